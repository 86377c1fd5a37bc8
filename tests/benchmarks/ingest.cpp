/// Times `Engine::ingest` on a stream held in memory, and the parts it is made of; prints one JSON object.
///
///   bench_ingest FEATURES GROUPS DIMENSIONS CLUSTERS WARM_BATCHES
///
/// FEATURES holds n x d float32, GROUPS n uint16 (two groups), both raw. The first WARM_BATCHES batches fill the window
/// and start the model, untimed.

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

#include "stream.hpp"

namespace fairstream::benchmarks {
namespace {

// Seconds of the calling thread's processor time, and of the wall clock: they differ when the machine is busy.
struct Seconds {
    double cpu = 0;
    double wall = 0;
};

Seconds now() {
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    const auto wall = std::chrono::steady_clock::now().time_since_epoch();
    return {static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec),
            std::chrono::duration<double>(wall).count()};
}

Seconds timed(const std::function<void()>& work) {
    const Seconds start = now();
    work();
    const Seconds end = now();
    return {end.cpu - start.cpu, end.wall - start.wall};
}

void print_seconds(const char* name, Seconds seconds, const std::string& more = "") {
    std::printf(",\n  \"%s\": {\"cpu\": %.9f, \"wall\": %.9f%s}", name, seconds.cpu, seconds.wall, more.c_str());
}

// Processor time of the whole process, with the background work of an engine.
Seconds timed_process(const std::function<void()>& work) {
    const auto process_now = [] {
        timespec cpu{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        return static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec);
    };
    const double before = process_now();
    const Seconds seconds = timed(work);
    return {process_now() - before, seconds.wall};
}

struct Run {
    Stream stream;
    int clusters;
    std::size_t warm;  // batches

    [[nodiscard]] std::size_t points() const { return (stream.batches() - warm) * batch_size; }
    template <class Work> void each_warm_batch(Work&& work) const {
        for (std::size_t b = 0; b < warm; ++b) work(stream.batch(b));
    }
    template <class Work> [[nodiscard]] Seconds timed_batches(Work&& work) const {
        return timed([&] {
            for (std::size_t b = warm; b < stream.batches(); ++b) work(stream.batch(b));
        });
    }
};

void time_engine(const char* name, const Run& run, int kmeans_updates, int swaps) {
    Engine engine(engine_options(run.stream.dimensions, model_options(run.clusters, kmeans_updates, swaps)), 1);
    run.each_warm_batch([&](const PointBatch& batch) { engine.ingest(batch); });
    std::size_t changes = 0, departed = 0;
    const Seconds seconds = run.timed_batches([&](const PointBatch& batch) {
        const Update& update = engine.ingest(batch);
        changes += update.models[0].labels().ids.size();
        departed += update.models[0].labels().departed.size();
    });
    if (changes < run.points() || departed != run.points())
        throw std::runtime_error("not every point's label was reported");
    const ModelReport report = engine.report("model");
    char more[128];
    std::snprintf(more, sizeof more, ", \"changes\": %zu, \"cost\": %.6f, \"balance\": %.4f", changes, report.cost,
                  minimum_balance(report.tally(), 0));
    print_seconds(name, seconds, more);
}

// Times a model as its defaults are, from the first batch on, with its work in the background.
void time_defaults(const char* name, const Run& run, bool targeted) {
    safairkm::Options options;
    options.clusters = run.clusters;
    if (!targeted) options.targets.parity_at_least = 0;
    Engine engine(engine_options(run.stream.dimensions, options));
    const Seconds seconds = timed_process([&] {
        for (std::size_t b = 0; b < run.stream.batches(); ++b) engine.ingest(run.stream.batch(b));
    });
    const ModelReport report = engine.report("model");
    char more[128];
    std::snprintf(more, sizeof more, ", \"points\": %zu, \"cost\": %.6f, \"met\": %d",
                  run.stream.batches() * batch_size, report.cost,
                  !targeted || report.solve.outcome == Outcome::converged);
    print_seconds(name, seconds, more);
}

Window warm_window(const Run& run) {
    Window window(stream_format(run.stream.dimensions), {.capacity = window_capacity});
    run.each_warm_batch([&](const PointBatch& batch) { window.apply(batch); });
    return window;
}

// Times the window's part of `ingest`, piece by piece.
void time_window(const Run& run) {
    const Window checked = warm_window(run);
    print_seconds("validate", run.timed_batches([&](const PointBatch& batch) { checked.validate(batch); }));
    Window window = warm_window(run);
    print_seconds("validate_apply", run.timed_batches([&](const PointBatch& batch) {
        window.validate(batch);
        window.apply(batch);
    }));
}

// Times the window and the model's step without an engine, and the search for the nearest centre alone.
void time_step(const Run& run) {
    Window window(stream_format(run.stream.dimensions), {.capacity = window_capacity});
    const safairkm::Options options = model_options(run.clusters, 0, 0);
    safairkm::State state = safairkm::Model::start(options, window);
    safairkm::Workspace workspace;
    StepReport<ClusterId> report;
    const auto step = [&](const PointBatch& batch) {
        window.validate(batch);
        safairkm::Model::step(options, state, workspace, window, window.apply(batch), report);
    };
    run.each_warm_batch(step);
    print_seconds("validate_apply_step", run.timed_batches(step));

    const auto k = static_cast<std::size_t>(run.clusters);
    const std::size_t d = run.stream.dimensions;
    std::vector<float> packed(packed_size(k, d));
    pack_centres(state.centres.data(), k, d, packed.data());
    std::array<ClusterId, batch_size> labels{};
    print_seconds("nearest", run.timed_batches([&](const PointBatch& batch) {
        kernels().assign(batch.features.data(), batch_size, d, packed.data(), k, labels.data());
    }));
}

void time_all(Run run) {
    if (run.stream.batches() <= run.warm || run.warm * batch_size < window_capacity)
        throw std::runtime_error("the warm batches must fill the window and leave some to time");
    std::printf("{\"points\": %zu, \"level\": \"%s\"", run.points(), kernels().level);
    time_defaults("defaults_plain", run, false);
    time_defaults("defaults_parity", run, true);
    time_engine("assign_random", run, 0, 0);
    time_engine("revisits_random", run, 64, 0);
    time_engine("fair_random", run, 64, 4);
    time_window(run);
    time_step(run);
    run.stream.number(Ids::sequential);
    time_engine("assign_sequential", run, 0, 0);
    time_engine("fair_sequential", run, 64, 4);
    std::printf("\n}\n");
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: bench_ingest FEATURES GROUPS DIMENSIONS CLUSTERS WARM_BATCHES\n");
        return 2;
    }
    try {
        using namespace fairstream::benchmarks;
        const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
        time_all(
            {Stream(argv[1], argv[2], static_cast<std::uint32_t>(number(3))), static_cast<int>(number(4)), number(5)});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_ingest: %s\n", error.what());
        return 1;
    }
    return 0;
}
