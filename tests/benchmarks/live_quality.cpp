/// Compares live safairkm models with cold starts on the same windows along a stream; prints one JSON object.
///
///   bench_live_quality FEATURES GROUPS DIMENSIONS GROUP_COUNT CLUSTERS CAPACITY BATCH SEED RARE FIRST CHECKPOINTS
///                      [--set NAME=VALUE]... [--live [NAME=VALUE,...]]...
///
/// FEATURES holds n x d float32, GROUPS n uint16, both raw. They come in batches of BATCH points; the last may be
/// shorter. Each `--live` is a model of its own, with the options of every `--set` and then its own. It follows the
/// stream alone, so that its processor time is separate. The first FIRST batches are not measured.
///
/// CHECKPOINTS are numbers of batches, ascending, as "40,80" (or "" for none). After each of these numbers, the cold
/// reference, with the options of every `--set`, gets the window in one batch and refines it from ten starts. Groups
/// with fewer than RARE points in the window are left out of balance and parity.
///
/// If an option is unknown to the engine, "unknown" says so in place of the figures that need it.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/options.hpp>

#include "stream.hpp"

namespace fairstream::benchmarks {
namespace {

constexpr int cold_starts = 10;
constexpr double rounding = 1e-6;  // relative, of a cost that is kept up to date against one from scratch

using Settings = std::vector<std::string>;  // NAME=VALUE

struct Run {
    std::uint32_t dimensions;
    int groups;
    std::vector<float> features;    // n x d
    std::vector<GroupId> group_of;  // n
    std::vector<PointId> ids;       // n
    int clusters;
    std::size_t capacity;
    std::size_t batch;
    std::uint64_t seed;
    std::int64_t rare;
    std::size_t first;
    std::vector<std::size_t> checkpoints;
    Settings common;
    std::vector<Settings> live;

    [[nodiscard]] std::size_t batches() const { return (ids.size() + batch - 1) / batch; }
    [[nodiscard]] PointBatch points(std::size_t b) const {
        const PointBatch all{.ids = ids, .features = features, .groups = group_of};
        return all.slice(b * batch, std::min(batch, ids.size() - b * batch));
    }
    /// Returns whether there is a checkpoint after batch b, counted from 0.
    [[nodiscard]] bool is_checkpoint(std::size_t b) const { return std::ranges::binary_search(checkpoints, b + 1); }
};

EngineOptions engine_options(const Run& run, const ModelOptions& model, std::size_t capacity) {
    std::vector<std::string> names;
    for (int group = 0; group < run.groups; ++group) names.push_back(std::to_string(group));
    EngineOptions options;
    options.format = {.dimensions = run.dimensions, .attributes = {{"group", names}}, .has_targets = false};
    options.window.capacity = static_cast<Slot>(capacity);
    options.models = {{.name = "model", .options = model, .schedule = {}}};
    return options;
}

void set_options(ModelOptions& options, const Settings& settings) {
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos) throw std::runtime_error("'" + setting + "' is no NAME=VALUE");
        set_option(options, setting.substr(0, equals), setting.substr(equals + 1));
    }
}

ModelOptions model_options(const Run& run, const Settings& more) {
    ModelOptions options = default_options("safairkm");
    set_options(options, {"clusters=" + std::to_string(run.clusters), "seed=" + std::to_string(run.seed)});
    set_options(options, run.common);
    set_options(options, more);
    return options;
}

ModelOptions cold_options(const Run& run) {
    ModelOptions options = model_options(run, {"starts=" + std::to_string(cold_starts)});
    // The batch that brings the window must only start the model.
    for (const OptionText& option : list_options(options))
        if (option.name == "effort") set_option(options, "effort", "0");
    return options;
}

struct Quality {
    double cost = 0;
    double balance = 0;    // min over clusters and pairs of groups of m_lj / m_lj'
    double parity = 0;     // the same of m_lj / n_j, the rates at which groups are selected for the cluster
    bool claimed = false;  // whether the model reports that it meets its target
};

double smallest_over_largest(std::span<const double> values) {
    const auto [smallest, largest] = std::ranges::minmax(values);
    return largest > 0 ? smallest / largest : 0;
}

/// Over the groups with at least `rare` points; over all groups with points if fewer than two have that many.
Quality quality_of(const ModelUpdate& update, std::int64_t rare) {
    const FairnessTally& tally = update.tally();
    const int groups = tally.groups(0);
    std::vector<std::int64_t> totals(static_cast<std::size_t>(groups));
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        std::ranges::transform(totals, tally.counts(l, 0), totals.begin(), std::plus<>());
    if (std::ranges::count_if(totals, [&](std::int64_t total) { return total >= rare; }) < 2) rare = 1;
    Quality quality{
        .cost = update.cost, .balance = 1, .parity = 1, .claimed = update.solve.outcome == Outcome::converged};
    std::vector<double> counts, rates;
    for (ClusterId l = 0; l < tally.clusters(); ++l) {
        counts.clear();
        rates.clear();
        for (std::size_t j = 0; j < totals.size(); ++j) {
            if (totals[j] < rare) continue;
            counts.push_back(static_cast<double>(tally.counts(l, 0)[j]));
            rates.push_back(counts.back() / static_cast<double>(totals[j]));
        }
        quality.balance = std::min(quality.balance, smallest_over_largest(counts));
        quality.parity = std::min(quality.parity, smallest_over_largest(rates));
    }
    return quality;
}

/// Mean squared distance of labelled points to the exact mean of their cluster.
double exact_cost(const Window& window, std::span<const ClusterId> labels, int clusters) {
    const std::size_t d = window.dimensions(), k = static_cast<std::size_t>(clusters);
    std::vector<double> means(k * d), sizes(k);
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const auto l = static_cast<std::size_t>(labels[slot]);
        ++sizes[l];
        for (std::size_t i = 0; i < d; ++i) means[l * d + i] += window.features(slot)[i];
    }
    for (std::size_t i = 0; i < means.size(); ++i) means[i] /= std::max(1.0, sizes[i / d]);
    double sum = 0;
    for (Slot slot = 0; slot < window.size(); ++slot)
        for (std::size_t i = 0; i < d; ++i) {
            const double away = window.features(slot)[i] - means[static_cast<std::size_t>(labels[slot]) * d + i];
            sum += away * away;
        }
    return sum / window.size();
}

/// Throws if cost or counts of an update are not those of the engine's labels.
void verify(const Engine& engine, const ModelUpdate& update, int clusters) {
    const std::span<const ClusterId> labels = engine.labels("model");
    if (std::ranges::find(labels, no_cluster) != labels.end()) throw std::runtime_error("a point has no label");
    FairnessTally tally = empty_tally(clusters, engine.options().format);
    tally.add(labels, engine.window().points().groups.data());
    if (tally != update.tally()) throw std::runtime_error("the tally is not that of the labels");
    const double cost = exact_cost(engine.window(), labels, clusters);
    if (std::abs(cost - update.cost) > rounding * cost)
        throw std::runtime_error("a cost of " + std::to_string(update.cost) +
                                 " was reported, but that of the labels is " + std::to_string(cost));
}

struct Seconds {
    double cpu = 0;
    double wall = 0;
};

double clock_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Processor time of `ingest`: that of the process, including an engine's background work, less what the calling thread
/// used elsewhere; and wall time within the calls.
class IngestTimer {
public:
    void start() {
        process_ = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
        caller_ = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        running_ = true;
    }
    template <class Work> auto& timed(Work&& work) {
        const double cpu = clock_seconds(CLOCK_THREAD_CPUTIME_ID), wall = clock_seconds(CLOCK_MONOTONIC);
        auto& result = work();
        if (running_) {
            within_ += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
            wall_ += clock_seconds(CLOCK_MONOTONIC) - wall;
        }
        return result;
    }
    [[nodiscard]] Seconds stop() const {
        const double elsewhere = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - caller_ - within_;
        return {clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - process_ - elsewhere, wall_};
    }

private:
    bool running_ = false;
    double process_ = 0;
    double caller_ = 0;
    double within_ = 0;
    double wall_ = 0;
};

/// A model's way along the stream.
struct Course {
    Seconds seconds;
    double churn = 0;  // mean over batches
    std::vector<Quality> batches;
    std::vector<Quality> checkpoints;
};

Course follow(const Run& run, const ModelOptions& options) {
    Engine engine(engine_options(run, options, run.capacity), 1);
    Course course;
    IngestTimer timer;
    for (std::size_t b = 0; b < run.batches(); ++b) {
        if (b == run.first) timer.start();
        const ModelUpdate& update =
            timer.timed([&]() -> const Update& { return engine.ingest(run.points(b)); }).models[0];
        if (b < run.first) continue;
        course.batches.push_back(quality_of(update, run.rare));
        course.churn += update.churn;
        if (!run.is_checkpoint(b)) continue;
        verify(engine, update, run.clusters);
        course.checkpoints.push_back(quality_of(update, run.rare));
    }
    course.seconds = timer.stop();
    course.churn /= static_cast<double>(course.batches.size());
    return course;
}

struct Reference {
    std::size_t retained;
    Quality quality;
    double cpu;  // seconds
};

Reference start_cold(const Run& run, const ModelOptions& options, const Window& window) {
    const double before = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    Engine engine(engine_options(run, options, window.size()), 1);
    engine.ingest(window.points());
    const ModelUpdate& update = engine.ingest(Refinement{"model", 0}).models[0];
    const double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    verify(engine, update, run.clusters);
    return {window.size(), quality_of(update, run.rare), cpu};
}

std::vector<Reference> start_cold_at_checkpoints(const Run& run) {
    const ModelOptions model = cold_options(run);
    const EngineOptions options = engine_options(run, model, run.capacity);
    Window window(options.format, options.window);
    std::vector<Reference> references;
    for (std::size_t b = 0; b < run.batches(); ++b) {
        window.validate(run.points(b));
        window.apply(run.points(b));
        if (run.is_checkpoint(b)) references.push_back(start_cold(run, model, window));
    }
    return references;
}

// Seventeen digits, so that a ratio that meets a target exactly still does when it is read.
void print_quality(const Quality& quality) {
    std::printf("\"cost\": %.17g, \"balance\": %.17g, \"parity\": %.17g, \"claimed\": %s", quality.cost,
                quality.balance, quality.parity, quality.claimed ? "true" : "false");
}

void print_qualities(const char* name, const std::vector<Quality>& list) {
    std::printf(", \"%s\": [", name);
    for (std::size_t i = 0; i < list.size(); ++i) {
        std::printf("%s{", i == 0 ? "" : ", ");
        print_quality(list[i]);
        std::printf("}");
    }
    std::printf("]");
}

void print_course(const Run& run, const Settings& settings) {
    std::printf("{\"settings\": [");
    for (std::size_t i = 0; i < settings.size(); ++i) std::printf("%s\"%s\"", i == 0 ? "" : ", ", settings[i].c_str());
    std::printf("]");
    try {
        const Course course = follow(run, model_options(run, settings));
        std::printf(", \"cpu\": %.9f, \"wall\": %.9f, \"churn\": %.9f", course.seconds.cpu, course.seconds.wall,
                    course.churn);
        print_qualities("batches", course.batches);
        print_qualities("checkpoints", course.checkpoints);
    } catch (const InvalidInput& error) {
        if (error.reason() != Reason::unknown_option) throw;
        std::printf(", \"unknown\": \"%s\"", error.what());
    }
    std::printf("}");
}

void print_references(const Run& run) {
    std::printf("\"cold\": [");
    const char* separator = "";
    for (const Reference& reference : start_cold_at_checkpoints(run)) {
        std::printf("%s{\"retained\": %zu, \"cpu\": %.6f, ", separator, reference.retained, reference.cpu);
        print_quality(reference.quality);
        std::printf("}");
        separator = ",\n  ";
    }
    std::printf("]");
}

/// Returns whether the options that all models share are known; reports it otherwise.
bool knows_common(const Run& run) {
    try {
        (void)model_options(run, {});
        return true;
    } catch (const InvalidInput& error) {
        if (error.reason() != Reason::unknown_option) throw;
        std::printf("{\"unknown\": \"%s\"}\n", error.what());
        return false;
    }
}

void measure(const Run& run) {
    if (!knows_common(run)) return;
    std::printf("{\"points\": %zu, \"live\": [\n  ", run.ids.size() - run.first * run.batch);
    for (std::size_t i = 0; i < run.live.size(); ++i) {
        if (i > 0) std::printf(",\n  ");
        print_course(run, run.live[i]);
    }
    std::printf("],\n  ");
    print_references(run);
    std::printf("}\n");
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

std::size_t number(const std::string& text) {
    return std::strtoull(text.c_str(), nullptr, 10);
}

constexpr std::size_t positional = 11;

Run read_arguments(std::span<char*> arguments) {
    Run run{.dimensions = static_cast<std::uint32_t>(number(arguments[2])),
            .groups = static_cast<int>(number(arguments[3])),
            .features = read_raw<float>(arguments[0]),
            .group_of = read_raw<GroupId>(arguments[1]),
            .ids = {},
            .clusters = static_cast<int>(number(arguments[4])),
            .capacity = number(arguments[5]),
            .batch = number(arguments[6]),
            .seed = number(arguments[7]),
            .rare = static_cast<std::int64_t>(number(arguments[8])),
            .first = number(arguments[9]),
            .checkpoints = {},
            .common = {},
            .live = {}};
    std::ranges::transform(split(arguments[10]), std::back_inserter(run.checkpoints), number);
    if (run.dimensions == 0 || run.features.size() != run.group_of.size() * run.dimensions)
        throw std::runtime_error("features and groups do not agree with each other");
    run.ids.resize(run.group_of.size());
    std::iota(run.ids.begin(), run.ids.end(), PointId{0});
    if (run.batch == 0 || run.first >= run.batches()) throw std::runtime_error("no batch is left to measure");
    if (!std::ranges::is_sorted(run.checkpoints) ||
        (!run.checkpoints.empty() && (run.checkpoints.front() <= run.first || run.checkpoints.back() > run.batches())))
        throw std::runtime_error("checkpoints must ascend from the batches measured to the last");
    for (std::size_t i = positional; i < arguments.size(); i += 2) {
        const std::string_view what = arguments[i];
        if (i + 1 == arguments.size() || (what != "--set" && what != "--live"))
            throw std::runtime_error("'" + std::string(what) + "' is not --set or --live with a value");
        if (what == "--set")
            run.common.emplace_back(arguments[i + 1]);
        else
            run.live.push_back(split(arguments[i + 1]));
    }
    return run;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    using namespace fairstream::benchmarks;
    const std::span<char*> arguments = std::span(argv, static_cast<std::size_t>(argc)).subspan(1);
    if (arguments.size() < positional) {
        std::fprintf(stderr,
                     "usage: bench_live_quality FEATURES GROUPS DIMENSIONS GROUP_COUNT CLUSTERS CAPACITY BATCH "
                     "SEED RARE FIRST CHECKPOINTS [--set NAME=VALUE]... [--live [NAME=VALUE,...]]...\n");
        return 2;
    }
    try {
        measure(read_arguments(arguments));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_live_quality: %s\n", error.what());
        return 1;
    }
    return 0;
}
