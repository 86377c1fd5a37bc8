/// Fits safairkm to points in a raw file as `fairstream fit` does without options; prints one JSON object.
///
///   bench_embeddings FEATURES GROUPS DIMENSIONS CLUSTERS PARITY
///
/// FEATURES holds n x d float32, GROUPS n uint16 (two groups), both raw. PARITY is the target, 0: none. The work of the
/// improvement has the limit that is the default of `fairstream fit`.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "stream.hpp"

namespace fairstream::benchmarks {
namespace {

// Processor time of all threads, and wall time, in seconds.
struct Seconds {
    double cpu = 0, wall = 0;
};

Seconds now() {
    timespec cpu{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return {static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec),
            std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

EngineOptions options_of(std::uint32_t dimensions, int clusters, double parity, std::size_t points) {
    constexpr std::uint64_t billion = 1'000'000'000;
    safairkm::Options model;
    model.clusters = clusters;
    model.targets.parity_at_least = parity;
    model.effort = 0;  // while points stream in, as in `fairstream fit`, since the refinement restarts anyway
    EngineOptions options = engine_options(dimensions, model);
    options.window.capacity = static_cast<Slot>(points);
    options.event_work_limit = no_work_limit;
    options.step_work_limit = fit::FitOptions{}.work * billion;
    return options;
}

// Reads the points batch by batch, so that only the window holds all of them.
void ingest_file(Engine& engine, const std::string& features, const std::vector<GroupId>& groups, std::size_t d) {
    std::ifstream file(features, std::ios::binary);
    std::vector<float> rows(batch_size * d);
    std::vector<PointId> ids(batch_size);
    for (std::size_t first = 0; first < groups.size(); first += batch_size) {
        const std::size_t n = std::min(batch_size, groups.size() - first);
        const auto bytes = static_cast<std::streamsize>(n * d * sizeof(float));
        if (!file.read(reinterpret_cast<char*>(rows.data()), bytes))
            throw std::runtime_error("cannot read " + features);
        std::iota(ids.begin(), ids.end(), first);
        engine.ingest(
            PointBatch{std::span(ids).first(n), std::span(rows).first(n * d), std::span(groups).subspan(first, n), {}});
    }
}

void fit_file(const std::string& features, const std::string& groups_file, std::uint32_t d, int k, double parity) {
    const std::vector<GroupId> groups = read_raw<GroupId>(groups_file);
    Engine engine(options_of(d, k, parity, groups.size()));
    const Seconds start = now();
    ingest_file(engine, features, groups, d);
    const Seconds streamed = now();
    const Update& update = engine.ingest(Refinement{"model", 0});
    const Seconds end = now();
    const ModelReport report = engine.report("model");
    std::printf(
        "{\"cost\": %.9g, \"parity\": %.6f, \"outcome\": \"%s\", \"work\": %llu, \"cpu\": %.3f, \"wall\": %.3f, "
        "\"stream_cpu\": %.3f}\n",
        report.cost, attribute_fairness(report.tally(), 0).parity, std::string(to_string(report.solve.outcome)).c_str(),
        static_cast<unsigned long long>(update.work), end.cpu - start.cpu, end.wall - start.wall,
        streamed.cpu - start.cpu);
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: bench_embeddings FEATURES GROUPS DIMENSIONS CLUSTERS PARITY\n");
        return 2;
    }
    try {
        fairstream::benchmarks::fit_file(argv[1], argv[2],
                                         static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)),
                                         std::atoi(argv[4]), std::strtod(argv[5], nullptr));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_embeddings: %s\n", error.what());
        return 1;
    }
    return 0;
}
