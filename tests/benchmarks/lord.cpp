/// Measures lord: an iteration in units of one product of the graph with V; a model that continues along a sliding
/// window against starts from nothing; the time of a start by the number of points. Prints one JSON object.
///
///   bench_lord iteration POINTS CLUSTERS
///   bench_lord window POINTS CLUSTERS REPLACED REFRESHES SPREAD FRESH_EVERY
///   bench_lord scale CLUSTERS POINTS...

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include <fairstream/models/lord/detail/ascent.hpp>
#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/lord/detail/setting.hpp>
#include <fairstream/models/lord/detail/window_solve.hpp>

namespace fairstream::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begun) {
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

/// Gaussian clusters in eight dimensions, each with its own share of the second group.
class Mixture {
public:
    Mixture(std::size_t clusters, double spread) : spread_(spread) {
        std::normal_distribution<float> normal;
        for (std::size_t i = 0; i < clusters * dimensions; ++i) centres_.push_back(4 * normal(random_));
    }
    PointColumns next(std::size_t n) {
        std::normal_distribution<float> normal;
        PointColumns points;
        const std::size_t clusters = centres_.size() / dimensions;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t own = random_() % clusters;
            points.ids.push_back(next_++);
            points.groups.push_back(static_cast<double>(random_() % 1000) <
                                            200 + 600.0 * static_cast<double>(own) / static_cast<double>(clusters)
                                        ? 1
                                        : 0);
            for (std::size_t j = 0; j < dimensions; ++j)
                points.features.push_back(centres_[own * dimensions + j] +
                                          static_cast<float>(spread_) * normal(random_));
        }
        return points;
    }
    static StreamFormat format() { return {.dimensions = dimensions, .attributes = {{"group", {"a", "b"}}}}; }

private:
    static constexpr std::size_t dimensions = 8;
    std::mt19937_64 random_{1};
    std::vector<float> centres_;
    double spread_;
    PointId next_ = 0;
};

lord::Options usual(int clusters) {
    lord::Options options;
    options.clusters = clusters;
    options.targets.parity_at_least = 0;
    return options;
}

/// Returns the seconds of work repeated often enough to take a tenth of a second.
template <class Work> double seconds_of(const Work& work) {
    work();
    for (int times = 1;; times *= 2) {
        const auto begun = Clock::now();
        for (int i = 0; i < times; ++i) work();
        if (const double seconds = seconds_since(begun); seconds > 0.1) return seconds / times;
    }
}

void time_iteration(std::size_t n, int k) {
    Mixture mixture(static_cast<std::size_t>(k), 2);
    Window points(Mixture::format(), {static_cast<Slot>(n), WindowPolicy::sliding, 1});
    points.apply(mixture.next(n).view());
    lord::Workspace workspace;
    const Affinity& graph = lord::graph_of(points, 0, workspace);
    std::printf("{\"n\": %zu, \"k\": %d, \"runs\": [", n, k);
    const char* before = "";
    for (const bool fair : {false, true}) {
        lord::Options options = usual(k);
        if (!fair) options.fair = lord::Fair::off;
        const lord::Setting setting(options, graph, {},
                                    lord::fair_blocks(options, points.format(), points.points().groups, n));
        const Matrix v = lord::random_start(setting.marginals, 1, 1);
        Matrix out;
        const double product = seconds_of([&] { graph.multiply(v, out); });
        auto begun = Clock::now();
        const lord::Ascent solved = lord::ascend(setting.problem, v, {4000, 1e-4});
        const double seconds = seconds_since(begun);
        std::printf(
            "%s\n  {\"fair\": %s, \"product\": %.9f, \"iteration\": %.9f, \"iterations\": %lld, \"rounds\": "
            "%.3f, \"tau\": %.4f}",
            before, fair ? "true" : "false", product, seconds / static_cast<double>(solved.iterations),
            static_cast<long long>(solved.iterations),
            static_cast<double>(solved.projection_rounds) / static_cast<double>(solved.iterations),
            setting.problem.tau);
        before = ",";
    }
    std::printf("\n]}\n");
}

/// Least number of iterations after which a step's objective is within a thousandth of `best`.
template <class State> std::int64_t iterations_to(lord::Options options, const State& before,
                                                  lord::Workspace& workspace, const Window& points,
                                                  const WindowChange& change, double best) {
    const auto reaches = [&](std::int64_t iterations) {
        options.iterations = static_cast<int>(iterations);
        lord::State state = before;
        StepReport<ClusterId> report;
        lord::Model::step(options, state, workspace, points, change, report);
        return state.quality.objective <= best + 1e-3 * std::abs(best);
    };
    std::int64_t most = 1;
    while (most < 4000 && !reaches(most)) most *= 2;
    std::int64_t least = most / 2;  // does not reach it
    while (most - least > 1) {
        const std::int64_t middle = least + (most - least) / 2;
        (reaches(middle) ? most : least) = middle;
    }
    return most;
}

void follow_window(std::size_t n, int k, std::size_t replaced, int refreshes, double spread, int fresh_every) {
    Mixture mixture(static_cast<std::size_t>(k), spread);
    Window points(Mixture::format(), {static_cast<Slot>(n), WindowPolicy::sliding, 1});
    lord::Options options = usual(k), cold_options = options;
    options.fresh_every = fresh_every;
    lord::Workspace warm_workspace, cold_workspace;
    StepReport<ClusterId> report;
    lord::State warm = lord::Model::start(options, points);
    const WindowChange* change = &points.apply(mixture.next(n).view());
    lord::Model::step(options, warm, warm_workspace, points, *change, report);
    std::string rows;
    for (int t = 0; t < refreshes; ++t) {
        change = &points.apply(mixture.next(replaced).view());
        const lord::State before = warm;
        auto begun = Clock::now();
        lord::Model::step(options, warm, warm_workspace, points, *change, report);
        const double warm_seconds = seconds_since(begun), churn = report.churn;
        const auto warm_iterations = report.solve.iterations;
        cold_options.seed = static_cast<std::uint64_t>(t) + 2;
        cold_options.starts = 10;
        lord::State cold = lord::Model::start(cold_options, points);
        StepReport<ClusterId> cold_report;
        begun = Clock::now();
        lord::Model::step(cold_options, cold, cold_workspace, points, {}, cold_report);
        const double cold_seconds = seconds_since(begun),
                     best = std::min(warm.quality.objective, cold.quality.objective);
        const double cold_iterations = static_cast<double>(cold_report.solve.iterations) / cold_options.starts;
        // To within a thousandth of its own end: the model that continues, without fresh starts; and a single start.
        lord::Options alone = options, single = cold_options;
        alone.fresh_every = 0;
        const std::int64_t warm_to =
            iterations_to(alone, before, warm_workspace, points, *change, std::max(best, warm.quality.objective));
        single.starts = 1;
        lord::State one = lord::Model::start(single, points);
        lord::Model::step(single, one, cold_workspace, points, {}, cold_report);
        const std::int64_t cold_to = iterations_to(single, lord::Model::start(single, points), cold_workspace, points,
                                                   WindowChange{}, one.quality.objective);
        char row[240];
        std::snprintf(row, sizeof row, "%s\n  [%.9g, %.9g, %lld, %.1f, %.5f, %.5f, %.5f, %lld, %lld]",
                      t == 0 ? "" : ",", warm.quality.objective, cold.quality.objective,
                      static_cast<long long>(warm_iterations), cold_iterations, churn, warm_seconds, cold_seconds,
                      static_cast<long long>(warm_to), static_cast<long long>(cold_to));
        rows += row;
    }
    std::printf(
        "{\"columns\": [\"warm\", \"cold\", \"warm_iterations\", \"cold_iterations\", \"churn\", "
        "\"warm_seconds\", \"cold_seconds\", \"warm_to\", \"cold_to\"], \"rows\": [%s\n]}\n",
        rows.c_str());
}

void scale(int k, const std::vector<std::string>& sizes) {
    std::printf("{\"runs\": [");
    const char* before = "";
    for (const std::string& size : sizes) {
        const auto n = static_cast<std::size_t>(std::strtoull(size.c_str(), nullptr, 10));
        Mixture mixture(static_cast<std::size_t>(k), 2);
        Window points(Mixture::format(), {static_cast<Slot>(n), WindowPolicy::sliding, 1});
        const WindowChange& change = points.apply(mixture.next(n).view());
        lord::Options options = usual(k);
        options.starts = 1;
        lord::Workspace workspace;
        auto begun = Clock::now();
        (void)lord::graph_of(points, 0, workspace);
        const double graph = seconds_since(begun);
        StepReport<ClusterId> report;
        lord::State state = lord::Model::start(options, points);
        begun = Clock::now();
        lord::Model::step(options, state, workspace, points, change, report);
        std::printf("%s\n  {\"n\": %zu, \"graph\": %.4f, \"start\": %.4f, \"iterations\": %lld}", before, n, graph,
                    seconds_since(begun), static_cast<long long>(report.solve.iterations));
        before = ",";
    }
    std::printf("\n]}\n");
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) try {
    using namespace fairstream::benchmarks;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto number = [&](std::size_t i) { return std::strtod(arguments.at(i).c_str(), nullptr); };
    const std::string mode = arguments.empty() ? "" : arguments[0];
    if (mode == "iteration")
        time_iteration(static_cast<std::size_t>(number(1)), static_cast<int>(number(2)));
    else if (mode == "window")
        follow_window(static_cast<std::size_t>(number(1)), static_cast<int>(number(2)),
                      static_cast<std::size_t>(number(3)), static_cast<int>(number(4)), number(5),
                      static_cast<int>(number(6)));
    else if (mode == "scale")
        scale(static_cast<int>(number(1)), {arguments.begin() + 2, arguments.end()});
    else
        std::fprintf(stderr, "usage: bench_lord iteration|window|scale ..., see its source\n");
    return mode.empty() ? 2 : 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_lord: %s\n", error.what());
    return 1;
}
