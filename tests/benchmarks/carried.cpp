/// Times `Engine::ingest` for streams that carry weights, lose them with age, or are prepared, against the same stream
/// without these. Times how long an event waits that converts a full window to another measure. Compares clusters of a
/// stream prepared as it comes with those of a stream standardised as a whole. Prints one JSON object.
///
///   bench_carried ingest FEATURES GROUPS DIMENSIONS CLUSTERS WARM_BATCHES
///   bench_carried pause POINTS DIMENSIONS CLUSTERS
///   bench_carried scales POINTS SEED SPREAD

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fairstream/models/safairkm/safairkm.hpp>

#include "stream.hpp"

namespace fairstream::benchmarks {
namespace {

double thread_seconds() {
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec);
}

/// What a stream carries: "plain", "weighted", "decaying", "aged", "fixed" or "running".
EngineOptions carrying(const std::string& what, EngineOptions options) {
    if (what == "weighted") options.format.has_weights = true;
    if (what == "decaying") options.window.half_life.points = 0.25 * options.window.capacity;
    if (what == "aged") options.window.max_age = options.window.capacity;
    if (what == "fixed")
        options.prepare.columns.assign(options.format.dimensions, {.scale = Scale::fixed, .mean = 1, .deviation = 2});
    if (what == "running") options.prepare.columns.assign(options.format.dimensions, {.scale = Scale::running});
    return options;
}

double seconds_of(const std::string& what, const Stream& stream, std::size_t warm, const ModelOptions& model) {
    Engine engine(carrying(what, engine_options(stream.dimensions, model)), 1);
    std::vector<double> weights(batch_size);
    for (std::size_t i = 0; i < batch_size; ++i) weights[i] = static_cast<double>(1 + i % 5);
    double seconds = 0;
    for (std::size_t b = 0; b < stream.batches(); ++b) {
        PointBatch batch = stream.batch(b);
        // A point a microsecond: a window by age holds as many as one by count.
        batch.event_time = static_cast<std::int64_t>(b * batch_size);
        if (what == "weighted") batch.weights = weights;
        const double start = thread_seconds();
        engine.ingest(batch);
        if (b >= warm) seconds += thread_seconds() - start;
    }
    return seconds;
}

void time_ingest(const Stream& stream, int clusters, std::size_t warm) {
    safairkm::Options usual;
    usual.clusters = clusters;
    const std::size_t points = (stream.batches() - warm) * batch_size;
    std::printf("{\"points\": %zu", points);
    for (const bool steps_only : {true, false}) {
        const ModelOptions model = steps_only ? model_options(clusters, 64, 4) : usual;
        std::printf(", \"%s\": {", steps_only ? "steps" : "defaults");
        const char* before = "";
        for (const char* what : {"plain", "weighted", "decaying", "aged", "fixed", "running"}) {
            std::printf("%s\"%s\": %.9f", before, what, seconds_of(what, stream, warm, model));
            before = ", ";
        }
        std::printf("}");
    }
    std::printf("}\n");
}

std::vector<float> normal_rows(std::mt19937_64& random, std::size_t n, std::size_t d, float mean, float deviation) {
    std::normal_distribution<float> normal(mean, deviation);
    std::vector<float> rows(n * d);
    for (float& x : rows) x = normal(random);
    return rows;
}

double wall_seconds(Engine& engine, const PointBatch& batch) {
    const auto start = std::chrono::steady_clock::now();
    engine.ingest(batch);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Compares the longest event, in which a full window is renewed, with the median event.
void time_pause(Slot capacity, std::uint32_t d, int clusters) {
    safairkm::Options model;
    model.clusters = clusters;
    EngineOptions options = carrying("running", engine_options(d, model));
    options.window.capacity = capacity;
    options.prepare.renew_every = capacity;
    Engine engine(options);
    std::mt19937_64 random(1);
    std::vector<PointId> ids(batch_size);
    std::vector<GroupId> groups(batch_size);
    std::vector<double> seconds;
    double renewing = 0;
    for (std::size_t b = 0; b * batch_size < 3 * std::size_t{capacity}; ++b) {
        for (std::size_t i = 0; i < batch_size; ++i) ids[i] = b * batch_size + i, groups[i] = (i * 7 + b) % 2;
        const float progress = static_cast<float>(b * batch_size) / static_cast<float>(capacity);
        const std::vector<float> rows = normal_rows(random, batch_size, d, progress, 1 + progress);
        const std::uint64_t renewals = engine.preparation().renewals;
        const bool is_full = engine.window().size() == capacity;
        const double one =
            wall_seconds(engine, {.ids = ids, .features = rows, .groups = groups, .targets = {}, .weights = {}});
        if (engine.preparation().renewals == renewals) seconds.push_back(one);
        if (engine.preparation().renewals > renewals && is_full) renewing = std::max(renewing, one);
    }
    std::ranges::sort(seconds);
    std::printf("{\"renewing\": %.6f, \"median\": %.6f, \"longest_other\": %.6f, \"renewals\": %llu}\n", renewing,
                seconds[seconds.size() / 2], seconds.back(),
                static_cast<unsigned long long>(engine.preparation().renewals));
}

/// Rows in another scale for each column; those of the second half spread wider, by `spread`.
std::vector<float> two_files(std::uint64_t seed, std::size_t n, std::size_t d, double spread) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    constexpr std::size_t components = 6;
    std::vector<double> centres(components * d);
    for (double& c : centres) c = 2 * normal(random);
    std::vector<float> rows;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t component = random() % components;
        for (std::size_t j = 0; j < d; ++j) {
            const double x = (centres[component * d + j] + normal(random)) * (2 * i < n ? 1 : spread);
            rows.push_back(static_cast<float>(std::pow(10, j % 4) * (x + 5)));
        }
    }
    return rows;
}

std::vector<float> standardised(const std::vector<float>& rows, std::size_t d) {
    std::vector<float> scaled(rows.size());
    for (std::size_t j = 0; j < d; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t at = j; at < rows.size(); at += d) sum += rows[at];
        const double n = static_cast<double>(rows.size() / d), mean = sum / n;
        for (std::size_t at = j; at < rows.size(); at += d) squares += (rows[at] - mean) * (rows[at] - mean);
        for (std::size_t at = j; at < rows.size(); at += d)
            scaled[at] = static_cast<float>((rows[at] - mean) / std::sqrt(squares / n));
    }
    return scaled;
}

/// Returns the mean squared distance of the rows to the means of their labels.
double cost_of(std::span<const ClusterId> labels, const std::vector<float>& rows, std::size_t d, std::size_t k) {
    std::vector<double> means(k * d), sizes(k);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto l = static_cast<std::size_t>(labels[i]);
        ++sizes[l];
        for (std::size_t j = 0; j < d; ++j) means[l * d + j] += rows[i * d + j];
    }
    double cost = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto l = static_cast<std::size_t>(labels[i]);
        for (std::size_t j = 0; j < d; ++j) {
            const double off = rows[i * d + j] - means[l * d + j] / sizes[l];
            cost += off * off;
        }
    }
    return cost / static_cast<double>(labels.size());
}

/// Returns the cost, in the measure of the whole, of clusters found along a stream.
double cost_along(const std::vector<float>& sent, const std::vector<float>& whole, const PrepareOptions& prepare,
                  std::uint64_t seed) {
    constexpr std::size_t d = 8;
    const std::size_t n = sent.size() / d;
    safairkm::Options model;
    model.seed = seed;
    EngineOptions options = engine_options(d, model);
    options.window.capacity = static_cast<Slot>(n);
    options.prepare = prepare;
    Engine engine(options);
    std::mt19937_64 random(seed);
    for (std::size_t first = 0; first < n; first += batch_size) {
        const std::size_t count = std::min(batch_size, n - first);
        std::vector<PointId> ids(count);
        std::vector<GroupId> groups(count);
        for (std::size_t i = 0; i < count; ++i) ids[i] = first + i, groups[i] = random() % 2;
        engine.ingest(PointBatch{.ids = ids,
                                 .features = std::span(sent).subspan(first * d, count * d),
                                 .groups = groups,
                                 .targets = {},
                                 .weights = {}});
    }
    engine.ingest(Refinement{"model", 0});
    return cost_of(engine.labels("model"), whole, d, static_cast<std::size_t>(model.clusters));
}

void compare_scales(std::size_t n, std::uint64_t seed, double spread) {
    constexpr std::size_t d = 8;
    const std::vector<float> raw = two_files(seed, n, d, spread), whole = standardised(raw, d);
    const auto prepared = [](ColumnPreparation how) { return PrepareOptions{.columns = {d, how}}; };
    std::printf("{\"whole\": %.9f, \"first\": %.9f, \"running\": %.9f, \"raw\": %.9f}\n",
                cost_along(whole, whole, {}, seed),
                cost_along(raw, whole, prepared({.scale = Scale::first, .first = n / 4}), seed),
                cost_along(raw, whole, prepared({.scale = Scale::running}), seed), cost_along(raw, whole, {}, seed));
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) try {
    using namespace fairstream::benchmarks;
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "ingest" && argc == 7)
        time_ingest(Stream(argv[2], argv[3], static_cast<std::uint32_t>(std::atoi(argv[4]))), std::atoi(argv[5]),
                    static_cast<std::size_t>(std::atoi(argv[6])));
    else if (mode == "pause" && argc == 5)
        time_pause(static_cast<fairstream::Slot>(std::atoi(argv[2])), static_cast<std::uint32_t>(std::atoi(argv[3])),
                   std::atoi(argv[4]));
    else if (mode == "scales" && argc == 5)
        compare_scales(static_cast<std::size_t>(std::atoi(argv[2])), static_cast<std::uint64_t>(std::atoi(argv[3])),
                       std::atof(argv[4]));
    else
        throw std::runtime_error(
            "ingest FEATURES GROUPS DIMENSIONS CLUSTERS WARM_BATCHES, pause POINTS DIMENSIONS "
            "CLUSTERS or scales POINTS SEED SPREAD");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_carried: %s\n", error.what());
    return 1;
}
