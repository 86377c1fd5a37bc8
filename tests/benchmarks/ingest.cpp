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
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm.hpp>
#include <fairstream/numeric/kernels.hpp>

namespace {

using namespace fairstream;

constexpr std::size_t batch_size = 1024;
constexpr Slot window_capacity = 100'000;
constexpr std::uint64_t id_seed = 7;

enum class Ids : std::uint8_t { random, sequential };

struct Stream {
    std::vector<float> features;  // n x d
    std::vector<GroupId> groups;  // n
    std::uint32_t dimensions;
    int clusters;
    std::size_t warm;  // batches

    [[nodiscard]] std::size_t batches() const { return groups.size() / batch_size; }
    [[nodiscard]] StreamFormat format() const {
        return {.dimensions = dimensions, .attributes = {{"group", {"first", "second"}}}, .has_targets = false};
    }
    [[nodiscard]] PointBatch batch(std::size_t b, const std::vector<PointId>& ids) const {
        const std::size_t first = b * batch_size;
        return {std::span(ids).subspan(first, batch_size),
                std::span(features).subspan(first * dimensions, batch_size * dimensions),
                std::span(groups).subspan(first, batch_size),
                {}};
    }
    [[nodiscard]] std::vector<PointId> ids(Ids kind) const {
        std::vector<PointId> ids(groups.size());
        std::mt19937_64 random(id_seed);
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = kind == Ids::random ? random() : i;
        return ids;
    }
};

template <class T> std::vector<T> read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<T> values(std::filesystem::file_size(path) / sizeof(T));
    if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T))))
        throw std::runtime_error(std::string("cannot read ") + path);
    return values;
}

// Seconds of the calling thread's processor time, and of the wall clock: they differ when the machine is busy.
struct Seconds {
    double cpu = 0;
    double wall = 0;
};

Seconds now() {
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    const auto wall = std::chrono::steady_clock::now().time_since_epoch();
    return {static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec), std::chrono::duration<double>(wall).count()};
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

safairkm::Options model_options(const Stream& stream, int kmeans_updates, int swaps) {
    safairkm::Options options;
    options.clusters = stream.clusters;
    options.kmeans_updates = kmeans_updates;
    options.swaps = swaps;
    options.candidates = 32;
    return options;
}

void time_engine(const char* name, const Stream& stream, const std::vector<PointId>& ids, int kmeans_updates, int swaps) {
    EngineOptions options;
    options.format = stream.format();
    options.window.capacity = window_capacity;
    options.models = {{.name = "model", .options = model_options(stream, kmeans_updates, swaps), .schedule = {}}};
    Engine engine(options, 1);
    for (std::size_t b = 0; b < stream.warm; ++b) engine.ingest(stream.batch(b, ids));
    std::size_t changes = 0, departed = 0;
    const Seconds seconds = timed([&] {
        for (std::size_t b = stream.warm; b < stream.batches(); ++b) {
            const Update& update = engine.ingest(stream.batch(b, ids));
            changes += update.models[0].changes.ids.size();
            departed += update.models[0].changes.departed.size();
        }
    });
    const std::size_t points = (stream.batches() - stream.warm) * batch_size;
    if (changes < points || departed != points) throw std::runtime_error("not every point's label was reported");
    const ModelReport report = engine.report("model");
    const double balance = minimum_balance(report.tally, 0);
    char more[128];
    std::snprintf(more, sizeof more, ", \"changes\": %zu, \"cost\": %.6f, \"balance\": %.4f", changes, report.cost, balance);
    print_seconds(name, seconds, more);
}

Window warm_window(const Stream& stream, const std::vector<PointId>& ids) {
    Window window(stream.format(), {.capacity = window_capacity});
    for (std::size_t b = 0; b < stream.warm; ++b) window.apply(stream.batch(b, ids));
    return window;
}

// The parts of `ingest`, each added to those before it; differences are what a part costs.
void time_parts(const Stream& stream, const std::vector<PointId>& ids) {
    const auto each_batch = [&](auto&& work) {
        return timed([&] {
            for (std::size_t b = stream.warm; b < stream.batches(); ++b) work(stream.batch(b, ids));
        });
    };
    {
        const Window window = warm_window(stream, ids);
        print_seconds("validate", each_batch([&](const PointBatch& batch) { window.validate(batch); }));
    }
    {
        Window window = warm_window(stream, ids);
        print_seconds("apply", each_batch([&](const PointBatch& batch) { window.apply(batch); }));
    }
    {
        Window window = warm_window(stream, ids);
        print_seconds("validate_apply", each_batch([&](const PointBatch& batch) {
                          window.validate(batch);
                          window.apply(batch);
                      }));
    }
    Window window(stream.format(), {.capacity = window_capacity});
    const safairkm::Options options = model_options(stream, 0, 0);
    safairkm::State state = safairkm::start(options, window);
    safairkm::Workspace workspace;
    StepReport<ClusterId> report;
    const auto step = [&](const PointBatch& batch) {
        window.validate(batch);
        safairkm::step(options, state, workspace, window, window.apply(batch), report);
    };
    for (std::size_t b = 0; b < stream.warm; ++b) step(stream.batch(b, ids));
    print_seconds("validate_apply_step", each_batch(step));

    std::vector<float> packed(packed_size(static_cast<std::size_t>(stream.clusters), stream.dimensions));
    pack_centres(state.centres.data(), static_cast<std::size_t>(stream.clusters), stream.dimensions, packed.data());
    std::array<ClusterId, batch_size> labels{};
    print_seconds("nearest", each_batch([&](const PointBatch& batch) {
                      kernels().assign(batch.features.data(), batch_size, stream.dimensions, packed.data(),
                                       static_cast<std::size_t>(stream.clusters), labels.data());
                  }));
}

void run(const char* features, const char* groups, int dimensions, int clusters, int warm) {
    const Stream stream{.features = read<float>(features),
                        .groups = read<GroupId>(groups),
                        .dimensions = static_cast<std::uint32_t>(dimensions),
                        .clusters = clusters,
                        .warm = static_cast<std::size_t>(warm)};
    if (stream.features.size() != stream.groups.size() * stream.dimensions || stream.batches() <= stream.warm ||
        stream.warm * batch_size < window_capacity)
        throw std::runtime_error("the files do not agree with each other, or hold too few points");
    std::printf("{\"points\": %zu, \"level\": \"%s\"", (stream.batches() - stream.warm) * batch_size, kernels().level);
    const std::vector<PointId> random = stream.ids(Ids::random), sequential = stream.ids(Ids::sequential);
    time_engine("assign_random", stream, random, 0, 0);
    time_engine("assign_sequential", stream, sequential, 0, 0);
    time_engine("fair_random", stream, random, 64, 4);
    time_engine("fair_sequential", stream, sequential, 64, 4);
    time_engine("revisits_random", stream, random, 64, 0);
    time_parts(stream, random);
    std::printf("\n}\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: bench_ingest FEATURES GROUPS DIMENSIONS CLUSTERS WARM_BATCHES\n");
        return 2;
    }
    try {
        run(argv[1], argv[2], std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_ingest: %s\n", error.what());
        return 1;
    }
    return 0;
}
