/// Measures how often the intervals of `score_intervals` hold the figures of made-up populations, and what they cost;
/// prints one JSON object.
///
///   bench_coverage REPLICATES [NAME]
///
/// NAME keeps the populations whose names contain it. One thread.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/fairness/score_figures.hpp>
#include <fairstream/fairness/score_intervals.hpp>

#include "support/score_populations.hpp"

namespace fairstream::benchmarks {
namespace {

using nlohmann::ordered_json;
using test::ScorePopulation;

constexpr double threshold = 0.8;
constexpr int parts = 50'000;  // of a whole population, by group

// Returns processor seconds, which other programs on the machine affect less.
double seconds_of(const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::vector<ScorePopulation> populations() {
    using test::level_gap, test::normal_scores;
    return {
        {"2 equal", {normal_scores(0), normal_scores(0)}},
        {"2 shift 0.1", {normal_scores(0), normal_scores(0.1)}},
        {"2 shift 0.3", {normal_scores(0), normal_scores(0.3)}, 0, 0.2},
        {"2 shift 1", {normal_scores(0), normal_scores(1)}, 0, 0.5},
        {"2 level 0.02", {normal_scores(0), level_gap(0.02)}},
        {"2 level 0.08", {normal_scores(0), level_gap(0.08)}},
        {"2 spread 1.4", {normal_scores(0), normal_scores(0, 1.4)}},
        {"4 equal", {normal_scores(0), normal_scores(0), normal_scores(0), normal_scores(0)}},
        {"4 shifts", {normal_scores(0), normal_scores(0.1), normal_scores(0.2), normal_scores(0.4)}},
        {"4 one apart", {normal_scores(0), normal_scores(0), normal_scores(0), normal_scores(0.7)}, 0, 0.1},
        {"2 ties shift 0.3", {normal_scores(0), normal_scores(0.3)}, 0.5},
        {"2 weights shift 0.3", {normal_scores(0), normal_scores(0.3)}, 0, 0, true},
    };
}

ordered_json coverage(const ScorePopulation& population, const RanksByGroup& ranks, const std::vector<int>& sizes,
                      RankAmong among, int replicates, std::uint64_t seed) {
    const ScoreFairness truth = score_fairness(population.exact_tally(parts, sizes), ranks, threshold, among);
    std::array<std::array<int, 2>, score_figures.size()> missed{};
    std::array<double, score_figures.size()> width{};
    Random random(seed);
    for (int i = 0; i < replicates; ++i) {
        const ScoreIntervals found = score_intervals(population.sample(sizes, random), ranks, threshold, among);
        for (std::size_t f = 0; f < score_figures.size(); ++f) {
            const double value = truth.*score_figures[f].value;
            const Interval interval = found.*score_figures[f].interval;
            missed[f][0] += value < interval.low - 1e-9;
            missed[f][1] += value > interval.high + 1e-9;
            width[f] += (interval.high - interval.low) / replicates;
        }
    }
    ordered_json out{{"population", population.name}, {"from", ranks[0][0].from}, {"to", ranks[0][0].to}};
    out["sizes"] = sizes;
    out["rank_among"] = among == RankAmong::group ? "group" : "class";
    out["replicates"] = replicates;
    for (std::size_t f = 0; f < score_figures.size(); ++f)
        out["figures"][score_figures[f].name] = {{"value", truth.*score_figures[f].value},
                                                 {"below", missed[f][0]},
                                                 {"above", missed[f][1]},
                                                 {"width", width[f]}};
    return out;
}

ordered_json times() {
    ordered_json out;
    const ScorePopulation population{"", {test::normal_scores(0), test::normal_scores(0.3)}};
    for (const int points : {1'000, 10'000, 100'000})
        for (const RanksByGroup& ranks : {RanksByGroup{{{0, 1}}}, RanksByGroup{{{0.05, 0.3}}}}) {
            Random random(1);
            const ScoreTally tally = population.sample({points / 2, points / 2}, random);
            double figure = 1, interval = 1;
            for (int turn = 0; turn < 9; ++turn) {
                ScoreFairness fairness;
                ScoreIntervals found;
                figure = std::min(figure, seconds_of([&] { fairness = score_fairness(tally, ranks, threshold); }));
                interval = std::min(interval, seconds_of([&] { found = score_intervals(tally, ranks, threshold); }));
                if (!found.sp.contains(fairness.sp)) throw std::runtime_error("an interval lacks the measured figure");
            }
            out.push_back({{"points", points},
                           {"from", ranks[0][0].from},
                           {"to", ranks[0][0].to},
                           {"score_fairness", figure},
                           {"score_intervals", interval}});
        }
    return out;
}

}  // namespace

int run(int replicates, const std::string& name) {
    ordered_json out;
    out["times"] = times();
    out["coverage"] = ordered_json::array();
    std::uint64_t seed = 0;
    for (const ScorePopulation& population : populations()) {
        if (population.name.find(name) == std::string::npos) continue;
        for (const RanksByGroup& ranks : {RanksByGroup{{{0, 1}}}, RanksByGroup{{{0.05, 0.3}}}})
            for (const int size : {100, 1'000, 10'000}) {
                std::vector<int> sizes(population.groups.size(), size);
                if (size == 1'000) sizes.front() = 300;
                const RankAmong among = size == 1'000 ? RankAmong::group_and_class : RankAmong::group;
                out["coverage"].push_back(coverage(population, ranks, sizes, among, replicates, ++seed));
            }
    }
    std::printf("%s\n", out.dump(1).c_str());
    return 0;
}

}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    try {
        if (argc < 2 || argc > 3) throw std::invalid_argument("usage: bench_coverage REPLICATES [NAME]");
        return fairstream::benchmarks::run(std::stoi(argv[1]), argc == 3 ? argv[2] : "");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_coverage: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
