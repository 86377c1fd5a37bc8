/// The families of constraints against their definitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>
#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>

#include "constraints_by_hand.hpp"
#include "samples.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

constexpr Metric metrics[] = {Metric::psp, Metric::pdp, Metric::eop, Metric::eod, Metric::gauc};
constexpr Side sides[] = {Side::plus, Side::minus};

// All families, with their possible ranks, surrogates and allowances.
std::vector<Options> families() {
    std::vector<Options> all;
    for (const Metric metric : metrics)
        for (const Surrogate surrogate : {Surrogate::clipped, Surrogate::logistic})
            for (const double kappa : {0.0, 0.125, 1.0})
                for (const int ranks : {0, 1, 2, 3}) {
                    Options options;
                    options.loss = Loss::logistic;
                    options.metric = metric, options.surrogate = surrogate, options.kappa = kappa;
                    options.rank_levels = 5, options.threshold = 0.2, options.width = 0.8;
                    if (ranks == 0) options.interval = {0.25, 0.75};
                    if (ranks == 1) options.interval = {0.0, 1.0};
                    if (ranks == 2) options.interval = {0.125, 0.25, 0.5, 0.625, 0.75, 1.0};
                    if (ranks == 3) {
                        options.interval = {0.25, 0.5, 0.125, 0.5, 0.5, 1.0};
                        options.interval_for = IntervalFor::group;
                    }
                    if (metric == Metric::gauc && ranks == 2) continue;  // one interval each
                    all.push_back(options);
                }
    return all;
}

std::string name_of(const Options& options) {
    return "metric " + std::to_string(static_cast<int>(options.metric)) + " surrogate " +
           std::to_string(static_cast<int>(options.surrogate)) + " kappa " + std::to_string(options.kappa) +
           " intervals " + std::to_string(options.interval.size() / 2) + " from " + std::to_string(options.interval[0]);
}

struct Parts {
    Vector plus, minus;
};
Parts parts_of(Constraints& constraints, std::span<const double> scores, std::span<const double> thetas) {
    Parts parts{Vector(constraints.count()), Vector(constraints.count())};
    constraints.evaluate(scores, thetas, parts.plus, parts.minus);
    return parts;
}

TEST(Constraints, AreTheirDefinitions) {
    const Sample sample = random_sample(70, 2, 3, 1);
    for (const Options& options : families()) {
        SCOPED_TRACE(name_of(options));
        const auto constraints = make_constraints(options, sample);
        ASSERT_EQ(constraints->thresholds(), threshold_count(options));
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const Vector scores = random_vector(70, seed), thetas = random_vector(constraints->thresholds(), seed + 50);
            const Parts parts = parts_of(*constraints, scores, thetas);
            const Vector expected = by_hand(options, sample, scores, thetas);
            ASSERT_EQ(parts.plus.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
                ASSERT_NEAR(parts.plus[i] - parts.minus[i], expected[i], 2e-12) << "constraint " << i;
        }
    }
}

TEST(Constraints, BothPartsAreConvexInScoresAndThresholds) {
    const Sample sample = random_sample(24, 2, 3, 2);
    for (const Options& options : families()) {
        SCOPED_TRACE(name_of(options));
        const auto constraints = make_constraints(options, sample);
        for (std::size_t i = 0; i < constraints->count(); ++i)
            for (const Side side : sides) {
                const auto value = [&](const Vector& at) {
                    const Parts parts =
                        parts_of(*constraints, std::span(at).first(24), std::span(at).last(constraints->thresholds()));
                    return (side == Side::plus ? parts.plus : parts.minus)[i];
                };
                ASSERT_LE(above_chords(value, Vector(24 + constraints->thresholds(), 0.0), i), 1e-12)
                    << "constraint " << i << (side == Side::plus ? " plus" : " minus");
            }
    }
}

TEST(Constraints, SlopesAndGradientsAreThoseOfDifferences) {
    const Sample sample = random_sample(40, 2, 3, 3);
    LinearScores function(sample, GroupTerms::all);
    const std::size_t p = function.parameters();
    const Vector w = random_vector(p, 4);
    Vector scores(40);
    for (const Options& options : families()) {
        SCOPED_TRACE(name_of(options));
        const auto constraints = make_constraints(options, sample), tried = make_constraints(options, sample);
        const std::size_t m = constraints->thresholds();
        const Vector thetas = random_vector(m, 5);
        function.evaluate(w, scores);
        (void)parts_of(*constraints, scores, thetas);
        Matrix plus, minus;
        constraints->gradients(function, plus, minus);
        Vector all = w, moved(40);
        all.insert(all.end(), thetas.begin(), thetas.end());
        for (std::size_t i = 0; i < constraints->count(); ++i)
            for (const Side side : sides) {
                const Vector expected = slopes_of(
                    [&](const Vector& at) {
                        function.evaluate(std::span(at).first(p), moved);
                        const Parts parts = parts_of(*tried, moved, std::span(at).last(m));
                        return (side == Side::plus ? parts.plus : parts.minus)[i];
                    },
                    all, 1e-7);
                const Matrix& gradients = side == Side::plus ? plus : minus;
                ASSERT_LE(test::largest_difference({gradients.row(i), p + m}, expected), 1e-6) << "constraint " << i;
                Slopes slopes(40, m);
                constraints->add_slopes(i, side, 1, slopes);
                Vector pulled(p + m, 0.0);
                function.evaluate(w, moved);
                function.add_gradients({0, 40}, slopes.rows, std::span(pulled).first(p));
                std::ranges::copy(slopes.thresholds, pulled.begin() + static_cast<std::ptrdiff_t>(p));
                ASSERT_LE(test::largest_difference({gradients.row(i), p + m}, pulled), 1e-12);
                slopes.clear();
                ASSERT_EQ(slopes.rows, Vector(40, 0.0)) << "all that was touched is said to be";
            }
    }
}

TEST(Constraints, BendsAreNotNegative) {
    const Sample sample = random_sample(60, 2, 3, 3);
    LinearScores function(sample, GroupTerms::none);
    for (const Options& options : families()) {
        const auto constraints = make_constraints(options, sample);
        const Vector scores = random_vector(60, 6), thetas = random_vector(constraints->thresholds(), 7);
        (void)parts_of(*constraints, scores, thetas);
        Vector rows(60, 0.0), by_theta(constraints->thresholds(), 0.0);
        Matrix mixed(constraints->thresholds(), function.parameters());
        for (std::size_t i = 0; i < constraints->count(); ++i)
            constraints->add_curvatures(i, 0.5, function, rows, by_theta, mixed);
        for (const double curvature : rows) EXPECT_GE(curvature, 0);
        for (const double curvature : by_theta) EXPECT_GE(curvature, 0);
    }
}

TEST(Constraints, GroupsWithoutPointsTakeNoPart) {
    PointColumns points = random_points(60, 2, 3, 1);
    for (GroupId& g : points.groups) g = g == 1 ? 0 : g;
    const Sample sample = sample_of(points, 2, 3), empty = sample_of({}, 2, 3);
    PointColumns alone = points;
    std::ranges::fill(alone.groups, GroupId{2});
    const Sample one = sample_of(alone, 2, 3);
    for (const Options& options : families()) {
        SCOPED_TRACE(name_of(options));
        const Vector thetas(threshold_count(options), 0.1);
        const auto constraints = make_constraints(options, sample);
        const Vector scores = random_vector(60, 2);
        const Parts parts = parts_of(*constraints, scores, thetas);
        const Vector expected = by_hand(options, sample, scores, thetas);
        ASSERT_EQ(parts.plus.size(), expected.size());
        for (const double value : parts.plus) EXPECT_TRUE(std::isfinite(value));
        const auto nothing = make_constraints(options, empty);
        EXPECT_EQ(nothing->count(), 0U);
        EXPECT_EQ(nothing->thresholds(), threshold_count(options));
        EXPECT_EQ(nothing->fitting_thresholds({}).size(), options.metric == Metric::psp ? 5U : 0U);
        // (15) also constrains the levels of a single group, which its own thresholds can always meet.
        const std::size_t left = options.metric == Metric::psp ? make_constraints(options, one)->count() : 0;
        EXPECT_EQ(make_constraints(options, one)->count(), left);
    }
}

TEST(Constraints, SingleClassGroupCountsThere) {
    PointColumns points = random_points(60, 2, 3, 1);
    for (std::size_t i = 0; i < 60; ++i)
        if (points.groups[i] == 1) points.targets[i] = -1;
    const Sample sample = sample_of(points, 2, 3);
    Options options;
    options.loss = Loss::logistic;
    options.metric = Metric::eop;
    EXPECT_EQ(make_constraints(options, sample)->count(), 2U);
    options.metric = Metric::eod;
    EXPECT_EQ(make_constraints(options, sample)->count(), 2U + 6U);
}

double worst(const Parts& parts) {
    double most = -1;
    for (std::size_t i = 0; i < parts.plus.size(); ++i) most = std::max(most, parts.plus[i] - parts.minus[i]);
    return most;
}

// At w = 0 all scores are 0.
TEST(Constraints, EqualScoresAreFeasible) {
    const Sample sample = random_sample(70, 2, 3, 1);
    for (Options options : families()) {
        if (options.interval_for == IntervalFor::group) continue;
        if (options.metric != Metric::psp && options.metric != Metric::gauc && options.kappa == 0) continue;
        SCOPED_TRACE(name_of(options));
        for (const double kappa : {options.kappa, 0.01}) {
            options.kappa = kappa;
            const auto constraints = make_constraints(options, sample);
            const Vector scores(70, 0.0), thetas = constraints->fitting_thresholds(scores);
            ASSERT_EQ(thetas.size(), constraints->thresholds());
            // Thresholds are searched up to where the logistic surrogate is e^-20.
            EXPECT_LE(worst(parts_of(*constraints, scores, thetas)), kappa == 0 ? 1e-8 : 0);
        }
    }
}

// Once only the middle of the last group's range was tried: here 0.675, above everything the first group allows.
TEST(Constraints, EqualScoresAreFeasibleInOverlap) {
    const Sample sample = random_sample(70, 2, 3, 1);
    Options options;
    options.loss = Loss::logistic;
    options.interval_for = IntervalFor::group;
    options.interval = {0.1, 0.5, 0.25, 0.5, 0.2, 0.9};
    options.kappa = 0.75;
    const auto constraints = make_constraints(options, sample);
    const Vector scores(70, 0.0);
    EXPECT_LE(worst(parts_of(*constraints, scores, constraints->fitting_thresholds(scores))), 0);
}

TEST(Constraints, NoThresholdsFitBetter) {
    const Sample sample = random_sample(70, 2, 3, 1);
    Random random(3);
    for (const Options& options : families()) {
        if (options.metric != Metric::psp) continue;
        SCOPED_TRACE(name_of(options));
        const auto constraints = make_constraints(options, sample);
        const Vector scores = random_vector(70, 4), fitting = constraints->fitting_thresholds(scores);
        const double least = worst(parts_of(*constraints, scores, fitting));
        for (int trial = 0; trial < 50; ++trial) {
            Vector other = fitting;
            for (double& theta : other) theta += 0.3 * static_cast<double>(normal(random));
            EXPECT_GE(std::max(0.0, worst(parts_of(*constraints, scores, other))), least - 1e-9);
        }
    }
}

// 0.2 - 0.1 and 0.6 - 0.5 differ in their last bits. A level at the end of the first interval was once found inside the
// second by a rounding, or kept out of what lies between.
TEST(Constraints, LevelAtIntervalEndIsMet) {
    const Sample sample = random_sample(30, 2, 1, 1);
    Options options;
    options.loss = Loss::logistic;
    options.interval = {0.1, 0.2, 0.5, 0.6};
    options.kappa = 0, options.rank_levels = 3;
    const auto constraints = make_constraints(options, sample);
    ASSERT_EQ(constraints->count(), 6U);
    const Parts parts = parts_of(*constraints, Vector(30, 0.0), Vector(3, 100.0));  // no share at all
    const Vector ends{0.1, -0.1, 0.2, -0.5, 0.6, -0.6};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(parts.plus[i] - parts.minus[i], ends[i], 1e-12) << i;
}

double empirical_tail(std::span<const double> scores, RowRange rows, double theta) {
    double above = 0;
    for (std::size_t row = rows.first; row < rows.last; ++row) above += scores[row] > theta ? 1 : 0;
    return above / static_cast<double>(rows.size());
}

// Lemma 5.1 on a grid: if two shares of the ranks are more than kappa and a spacing apart, a level lies just above the
// lower one; if its threshold gives both groups that level, the higher one is too high.
TEST(Constraints, LevelsBoundFairness) {
    int met = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Sample sample = random_sample(60, 2, 2 + seed % 2, seed);
        Vector scores = random_vector(60, seed);
        for (std::size_t row = 0; row < 60; ++row) {
            scores[row] += 0.1 * static_cast<double>(seed % 5) * static_cast<double>(group_of(sample, row));
            if (seed % 4 == 0) scores[row] = std::round(3 * scores[row]);  // ties
        }
        Options options;
        options.loss = Loss::logistic;
        options.rank_levels = 8;
        if (seed % 3 == 0) options.interval = {0.125, 0.25, 0.5, 1.0};
        const RanksByGroup ranks = ranks_of(options, sample.groups());
        ScoreTally tally(sample.groups());
        for (std::size_t row = 0; row < 60; ++row)
            tally.add(scores[row], static_cast<GroupId>(group_of(sample, row)), sample.signs()[row] > 0);
        tally.settle();
        const double sp = score_fairness(tally, ranks, 0).sp;
        Vector thresholds = scores;
        thresholds.push_back(-100);
        for (const double kappa : {0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 1.0}) {
            bool all_met = true;
            for (int q = 0; q < options.rank_levels; ++q) {
                const double level = (1 - kappa) * q / (options.rank_levels - 1);
                const auto [low, high] = allowed(ranks[0], level, kappa);
                all_met = all_met && std::ranges::any_of(thresholds, [&](double theta) {
                              for (std::size_t g = 0; g < sample.groups(); ++g) {
                                  const double tail = empirical_tail(scores, sample.group(g), theta);
                                  if (tail < low - 1e-12 || tail > high + 1e-12) return false;
                              }
                              return true;
                          });
            }
            if (!all_met) continue;
            met += kappa < 1 ? 1 : 0;
            EXPECT_LE(sp, kappa + (1 - kappa) / (options.rank_levels - 1) + 1e-9)
                << "seed " << seed << " kappa " << kappa;
        }
    }
    EXPECT_GE(met, 20) << "levels are met often enough to say something";
}

TEST(GroupAuc, CountsByHand) {
    PointColumns points = random_points(6, 1, 1, 1);
    points.groups = {0, 0, 0, 1, 1, 1};
    std::ranges::fill(points.targets, 1.0F);
    const Sample sample = sample_of(points, 1, 2);
    Options options;
    options.loss = Loss::logistic;
    options.metric = Metric::gauc, options.width = 1e-6, options.kappa = 0.1;
    options.interval = {0.0, 0.5};  // the two highest of three
    const auto constraints = make_constraints(options, sample);
    const Parts parts = parts_of(*constraints, Vector{1, 5, 3, 4, 2, 6}, {});
    ASSERT_EQ(parts.plus.size(), 2U);
    EXPECT_NEAR(parts.plus[0] - parts.minus[0], 0.25 - 0.6, 1e-9) << "of 5, 3 against 6, 4 only 5 is above 4";
    EXPECT_NEAR(parts.plus[1] - parts.minus[1], 0.75 - 0.6, 1e-9);
}

TEST(GroupAuc, ARoundingOfTheRanksIsNoPoint) {
    PointColumns points = random_points(200, 1, 1, 1);
    for (std::size_t i = 0; i < 200; ++i) points.groups[i] = static_cast<GroupId>(i / 100);
    const Sample sample = sample_of(points, 1, 2);
    Options options;
    options.loss = Loss::logistic;
    options.metric = Metric::gauc, options.interval = {0.0, 0.07}, options.kappa = 0, options.width = 1e-3;
    Vector scores(200, -10.0);
    for (std::size_t i = 0; i < 7; ++i) scores[i] = 10, scores[100 + i] = 5;
    scores[107] = 20, scores[106] = -10;  // 7 of each: 20 and six of 5 against seven of 10
    const Parts parts = parts_of(*make_constraints(options, sample), scores, {});
    EXPECT_NEAR(parts.plus[0] - parts.minus[0], 6.0 / 7 - 0.5, 1e-9);
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
