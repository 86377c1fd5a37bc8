/// Times a live front of eight operating points against a single model over the same stream; prints one JSON object.
///
///   bench_live_front FEATURES GROUPS DIMENSIONS CLUSTERS WARM_BATCHES
///
/// The files are those of `bench_ingest`. Both engines have all cores.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "stream.hpp"

namespace fairstream::benchmarks {
namespace {

void time_model(const char* name, const ModelOptions& options, const Stream& stream, std::size_t warm) {
    Engine engine(engine_options(stream.dimensions, options));
    for (std::size_t b = 0; b < warm; ++b) engine.ingest(stream.batch(b));
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t b = warm; b < stream.batches(); ++b) engine.ingest(stream.batch(b));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const ModelReport report = engine.report("model");
    std::printf(",\n  \"%s\": {\"seconds\": %.6f, \"cost\": %.6f, \"balance\": %.4f, \"front\": [", name,
                seconds.count(), report.cost, minimum_balance(report.tally(), 0));
    for (std::size_t i = 0; i < report.front.size(); ++i)
        std::printf("%s[%.6f, %.4f]", i == 0 ? "" : ", ", report.front[i].cost, report.front[i].balance);
    std::printf("]}");
}

void time_all(const Stream& stream, int clusters, std::size_t warm) {
    if (stream.batches() <= warm) throw std::runtime_error("the warm batches must leave some to time");
    std::printf("{\"points\": %zu", (stream.batches() - warm) * batch_size);
    const safairkm::Options single = model_options(clusters, 64, 4);
    live_front::Options pairs{.common = single, .kmeans_updates = 64, .balance_at_least = 0};
    pairs.swaps = {0, 1, 2, 3, 4, 5, 7, 10};  // four on average
    safairkm::Options single_target = single;
    single_target.targets.balance_at_least = 0.25;
    live_front::Options targets = pairs;
    targets.swaps = 4;
    targets.balance_at_least = {0.11, 0.15, 0.19, 0.23, 0.27, 0.31, 0.35, 0.39};  // 0.25 on average
    time_model("single_pair", single, stream, warm);
    time_model("pairs", pairs, stream, warm);
    time_model("single_target", single_target, stream, warm);
    time_model("targets", targets, stream, warm);
    std::printf("\n}\n");
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: bench_live_front FEATURES GROUPS DIMENSIONS CLUSTERS WARM_BATCHES\n");
        return 2;
    }
    try {
        using namespace fairstream::benchmarks;
        const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
        time_all(Stream(argv[1], argv[2], static_cast<std::uint32_t>(number(3))), static_cast<int>(number(4)),
                 number(5));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_live_front: %s\n", error.what());
        return 1;
    }
    return 0;
}
