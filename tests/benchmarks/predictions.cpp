/// Measures esvd_fair on streams: how a change affects the distance of the groups' predictions, how soon that is
/// corrected, and how often a change is reported without one. Prints one JSON object.
///
///   bench_predictions drift SEED SHIFT WINDOW
///   bench_predictions alarms SEED POINTS made-up|heavy
///   bench_predictions alarms SEED POINTS FILE GROUP TARGET

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/models/esvd_fair/esvd_fair.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream::benchmarks {
namespace {

constexpr std::size_t batch_size = 100;

/// Points of eight features. The second group's first four are above the first group's by `shift`, and the target is a
/// smooth function of all of them and noise.
class MadeUp {
public:
    MadeUp(std::uint64_t seed, bool heavy) : draws_(seed), heavy_(heavy) {}
    [[nodiscard]] StreamFormat format() const { return {8, {{"group", {"a", "b"}}}, true}; }
    void next(double shift, PointColumns& out) {
        out = {};
        for (std::size_t i = 0; i < batch_size; ++i) {
            const auto group = static_cast<GroupId>(draws_.below(2));
            double target = 0.1 * noise();
            for (int j = 0; j < 8; ++j) {
                const double x = noise() + (j < 4 ? group * shift : 0);
                out.features.push_back(static_cast<float>(x));
                target += 0.2 * (j % 2 == 0 ? x : std::tanh(x));
            }
            out.ids.push_back(id_++);
            out.groups.push_back(group);
            out.targets.push_back(static_cast<float>(target));
        }
    }

private:
    double noise() {
        // A distribution without a fifth moment, or the normal one.
        return heavy_ ? std::student_t_distribution<double>(5)(draws_) : std::normal_distribution<double>()(draws_);
    }
    Draws draws_;
    bool heavy_;
    PointId id_ = 0;
};

/// The rows of a file, drawn with replacement.
class OfFile {
public:
    OfFile(std::uint64_t seed, const std::string& file, const std::string& group, const std::string& target)
        : draws_(seed) {
        files::Roles columns;
        columns.groups = {{group, {}}};
        columns.target = target;
        table_ = files::read_table(file, columns);
        files::standardise(table_);
    }
    [[nodiscard]] StreamFormat format() const { return table_.format; }
    void next(double, PointColumns& out) {
        out = {};
        const std::size_t d = table_.format.dimensions;
        for (std::size_t i = 0; i < batch_size; ++i) {
            const std::size_t row = draws_.below(static_cast<std::uint32_t>(table_.size()));
            for (std::size_t j = 0; j < d; ++j)
                out.features.push_back(static_cast<float>(table_.features[row * d + j]));
            out.ids.push_back(id_++);
            out.groups.push_back(table_.groups[row]);
            out.targets.push_back(static_cast<float>(table_.targets[row]));
        }
    }

private:
    files::Table table_;
    Draws draws_;
    PointId id_ = 0;
};

Engine engine_of(const StreamFormat& format, Slot window, const esvd_fair::Options& options) {
    EngineOptions engine;
    engine.format = format;
    engine.window.capacity = window;
    engine.models = {{"m", options, {}}};
    return Engine(engine);
}

double alarms(const Engine& engine) {
    return engine.report("m").figure("alarms").value_or(0);
}

double ks(const Engine& engine) {
    return engine.report("m").prediction_fairness().ks;
}

void drift(std::uint64_t seed, double shift, Slot window) {
    MadeUp source(seed, false);
    esvd_fair::Options options, unwatched, wishing;
    unwatched.false_alarms = 0;
    wishing.ks_at_most = 0.1;
    Engine engine = engine_of(source.format(), window, options), other = engine_of(source.format(), window, unwatched),
           wished = engine_of(source.format(), window, wishing);
    PointColumns points;
    const auto send = [&](double by) {
        source.next(by, points);
        engine.ingest(points.view());
        other.ingest(points.view());
        wished.ingest(points.view());
    };
    constexpr double shift_before = 0.5;
    for (std::size_t sent = 0; sent < std::size_t{4} * window; sent += batch_size) send(shift_before);
    const double before = ks(engine), alarms_before = alarms(engine);
    double worst = 0;
    std::size_t worst_after = 0;
    std::optional<std::size_t> noticed;
    for (std::size_t sent = batch_size; sent <= std::size_t{4} * window; sent += batch_size) {
        send(shift_before + shift);
        if (ks(engine) > worst) worst = ks(engine), worst_after = sent;
        if (!noticed && alarms(engine) > alarms_before) noticed = sent;
    }
    const PredictionFairness last = engine.report("m").prediction_fairness(),
                             last_other = other.report("m").prediction_fairness();
    std::printf("{\"before\": %.4f, \"worst\": %.4f, \"worst_after\": %zu, \"after\": %.4f, \"unwatched\": %.4f, ",
                before, worst, worst_after, last.ks, last_other.ks);
    std::printf("\"mse\": %.4f, \"mse_unwatched\": %.4f, \"chance\": %.4f, \"noticed\": %zd, \"alarms_before\": %.0f, ",
                last.mse.value_or(0), last_other.mse.value_or(0), last.ks_by_chance,
                noticed ? static_cast<std::ptrdiff_t>(*noticed) : std::ptrdiff_t{-1}, alarms_before);
    const PredictionFairness by_wish = wished.report("m").prediction_fairness();
    std::printf("\"solves\": %.0f, \"by_wish\": %.4f, \"mse_by_wish\": %.4f}\n",
                engine.report("m").figure("solves").value_or(0), by_wish.ks, by_wish.mse.value_or(0));
}

template <class Source> void count_alarms(Source source, std::size_t count) {
    esvd_fair::Options options;
    options.hidden = {16};  // the detector behaves alike for any network; this one is fast
    Engine engine = engine_of(source.format(), 2000, options);
    PointColumns points;
    const auto begun = std::chrono::steady_clock::now();
    for (std::size_t sent = 0; sent < count; sent += batch_size) {
        source.next(0.5, points);
        engine.ingest(points.view());
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    std::printf("{\"alarms\": %.0f, \"points\": %zu, \"seconds\": %.1f}\n", alarms(engine), count, taken.count());
}

int run(int count, char** arguments) {
    const std::vector<std::string> given(arguments + 1, arguments + count);
    const auto number = [&](std::size_t i) {
        return static_cast<std::size_t>(std::strtoull(given[i].c_str(), nullptr, 10));
    };
    if (given.size() == 4 && given[0] == "drift")
        return drift(number(1), std::strtod(given[2].c_str(), nullptr), static_cast<Slot>(number(3))), 0;
    if (given.size() == 4 && given[0] == "alarms")
        return count_alarms(MadeUp(number(1), given[3] == "heavy"), number(2)), 0;
    if (given.size() == 6 && given[0] == "alarms")
        return count_alarms(OfFile(number(1), given[3], given[4], given[5]), number(2)), 0;
    std::fprintf(stderr, "usage: bench_predictions drift|alarms ...\n");
    return 2;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    try {
        return fairstream::benchmarks::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_predictions: %s\n", error.what());
        return 1;
    }
}
