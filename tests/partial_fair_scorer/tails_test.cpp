/// Shares above thresholds, for both surrogates.

#include <gtest/gtest.h>

#include <cmath>

#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>
#include <fairstream/models/partial_fair_scorer/detail/tails.hpp>

#include "samples.hpp"
#include "support/threads.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

constexpr Surrogate surrogates[] = {Surrogate::clipped, Surrogate::logistic};
constexpr Side tail_sides[] = {Side::plus, Side::minus};

double sigma(const Options& options, double x) {
    x /= options.width;
    return options.surrogate == Surrogate::clipped ? std::clamp(x + 0.5, 0.0, 1.0) : 1 / (1 + std::exp(-x));
}

// Tails of two groups at two variables each, at a number, and of no rows.
std::vector<Tail> some_tails(const Sample& sample) {
    std::vector<Tail> tails;
    for (std::size_t g = 0; g < 2; ++g) {
        for (std::size_t variable = 0; variable < 2; ++variable) tails.push_back({sample.group(g), variable, 0});
        tails.push_back({sample.group(g), Tail::fixed, 0.25});
    }
    tails.push_back({{7, 7}, 1, 0});
    tails.push_back({{0, sample.size()}, 0, 0});
    return tails;
}

double theta_of(const Tail& tail, const Vector& thetas) {
    return tail.variable == Tail::fixed ? tail.at : thetas[tail.variable];
}

template <class Check> void for_each_surrogate(Check&& check) {
    for (const Surrogate surrogate : surrogates)
        for (const double width : {0.2, 1.0, 5.0}) {
            SCOPED_TRACE(::testing::Message() << "surrogate " << static_cast<int>(surrogate) << " width " << width);
            Options options;
            options.loss = Loss::logistic;
            options.surrogate = surrogate, options.width = width;
            check(options);
        }
}

TEST(Tails, AShareIsTheMeanOfTheSurrogate) {
    const Sample sample = random_sample(80, 2, 2, 1);
    const std::vector<Tail> tails = some_tails(sample);
    const Vector scores = random_vector(80, 2), thetas{0.3, -0.4};
    for_each_surrogate([&](const Options& options) {
        Tails found(options, sample, tails);
        found.evaluate(scores, thetas);
        for (std::size_t t = 0; t < tails.size(); ++t) {
            double sum = 0;
            for (std::size_t row = tails[t].rows.first; row < tails[t].rows.last; ++row)
                sum += sigma(options, scores[row] - theta_of(tails[t], thetas));
            const double n = static_cast<double>(tails[t].rows.size());
            EXPECT_NEAR(found.share(t), n == 0 ? 0 : sum / n, 1e-13);
            EXPECT_EQ(found.share(t), found.value(t, Side::plus) - found.value(t, Side::minus));
            for (const Side side : tail_sides) EXPECT_GE(found.value(t, side), 0);
        }
    });
}

TEST(Tails, SlopesAreThoseOfDifferences) {
    const Sample sample = random_sample(80, 2, 2, 1);
    const std::vector<Tail> tails = some_tails(sample);
    const Vector scores = random_vector(80, 3), thetas{0.31, -0.42};
    for_each_surrogate([&](const Options& options) {
        Tails found(options, sample, tails), tried(options, sample, tails);
        found.evaluate(scores, thetas);
        for (std::size_t t = 0; t < tails.size(); ++t)
            for (const Side side : tail_sides) {
                Slopes slopes(80, 2);
                found.add_slopes(t, side, 1, slopes);
                Vector all = scores;
                all.insert(all.end(), thetas.begin(), thetas.end());
                const Vector expected = slopes_of(
                    [&](const Vector& at) {
                        tried.evaluate(std::span(at).first(80), std::span(at).last(2));
                        return tried.value(t, side);
                    },
                    all, 1e-6);
                Vector got = slopes.rows;
                got.insert(got.end(), slopes.thresholds.begin(), slopes.thresholds.end());
                EXPECT_LE(test::largest_difference(got, expected), 1e-8) << "tail " << t;
                found.add_slopes(t, side, -1, slopes);
                EXPECT_LE(test::largest_difference(slopes.rows, Vector(80, 0.0)), 1e-16) << "they are added, scaled";
                slopes.clear();
                EXPECT_EQ(slopes.rows, Vector(80, 0.0));
                EXPECT_EQ(slopes.thresholds, Vector(2, 0.0));
            }
    });
}

TEST(Tails, BothSidesAreConvexInScoresAndThresholds) {
    const Sample sample = random_sample(20, 2, 2, 1);
    const std::vector<Tail> tails = some_tails(sample);
    for_each_surrogate([&](const Options& options) {
        Tails tried(options, sample, tails);
        for (std::size_t t = 0; t < tails.size(); ++t)
            for (const Side side : tail_sides) {
                const auto value = [&](const Vector& at) {
                    tried.evaluate(std::span(at).first(20), std::span(at).last(2));
                    return tried.value(t, side);
                };
                EXPECT_LE(above_chords(value, Vector(22, 0.0), 5), 1e-13) << "tail " << t;
            }
    });
}

TEST(Tails, GradientsInOnePassAreThoseOfSlopes) {
    for (const bool sparse : {false, true}) {
        const PointColumns points = random_points(80, 2, 2, 1);
        const Sample sample = sparse ? sample_of(padded(points, 2), 2 * padding, 2) : sample_of(points, 2, 2);
        LinearScores function(sample, GroupTerms::all);
        const std::vector<Tail> tails = some_tails(sample);
        Vector scores(80);
        function.evaluate(random_vector(function.parameters(), 4), scores);
        const std::size_t p = function.parameters();
        for_each_surrogate([&](const Options& options) {
            Tails found(options, sample, tails);
            // One threshold exactly at a score's kink, and two equal ones.
            for (const Vector& thetas : {Vector{0.3, -0.4}, Vector{scores[3] + options.width / 2, 0.1}, Vector{0, 0}}) {
                found.evaluate(scores, thetas);
                Matrix out;
                found.gradients(function, out);
                ASSERT_EQ(out.rows, 2 * tails.size());
                for (std::size_t t = 0; t < tails.size(); ++t)
                    for (const Side side : tail_sides) {
                        Slopes slopes(80, 2);
                        found.add_slopes(t, side, 1, slopes);
                        Vector expected(p + 2, 0.0);
                        function.add_gradients({0, 80}, slopes.rows, std::span(expected).first(p));
                        std::ranges::copy(slopes.thresholds, expected.begin() + static_cast<std::ptrdiff_t>(p));
                        EXPECT_LE(test::largest_difference({out.row(2 * t + static_cast<std::size_t>(side)), p + 2},
                                                           expected),
                                  1e-12)
                            << "tail " << t;
                    }
            }
        });
    }
}

TEST(Tails, ScoreAtKinkIsNotAbove) {
    const Sample sample = random_sample(4, 1, 1, 1);
    Options options;
    options.loss = Loss::logistic;
    Tails tails(options, sample, {{{0, 4}, 0, 0}});
    const Vector scores{0.5, 0.5, 0.5, 2};
    tails.evaluate(scores, Vector{1});
    EXPECT_EQ(tails.share(0), 0.25);
    Slopes slopes(4, 1);
    tails.add_slopes(0, Side::plus, 1, slopes);
    EXPECT_EQ(slopes.rows, (Vector{0, 0, 0, 0.25}));
}

TEST(Tails, BendsSumToResult) {
    const Sample sample = random_sample(80, 2, 2, 1);
    const std::vector<Tail> tails = some_tails(sample);
    const Vector scores = random_vector(80, 3), thetas{0.31, -0.42};
    for_each_surrogate([&](const Options& options) {
        Tails found(options, sample, tails);
        found.evaluate(scores, thetas);
        for (std::size_t t = 0; t < tails.size(); ++t)
            for (const Side side : tail_sides) {
                Vector curvatures(80, 0.0), twice(80, 0.0);
                const double sum = found.add_curvatures(t, side, 1, curvatures);
                EXPECT_NEAR(found.add_curvatures(t, side, 2, twice), 2 * sum, 1e-12 * sum);
                double total = 0;
                for (std::size_t row = 0; row < 80; ++row) {
                    EXPECT_GE(curvatures[row], 0);
                    EXPECT_DOUBLE_EQ(twice[row], 2 * curvatures[row]);
                    total += curvatures[row];
                    const bool inside = row >= tails[t].rows.first && row < tails[t].rows.last;
                    EXPECT_TRUE(inside || curvatures[row] == 0);
                }
                EXPECT_NEAR(total, sum, 1e-13 * (1 + sum));
            }
    });
}

// The logistic surrogate has a second derivative except at 0; for the clipped one, its integral over a range of
// thresholds is the change of the slope.
TEST(Tails, BendsAreSecondDerivatives) {
    const Sample sample = random_sample(400, 2, 1, 1);
    const Vector scores = random_vector(400, 3);
    for_each_surrogate([&](const Options& options) {
        Tails tails(options, sample, {{{0, 400}, 0, 0}});
        for (const Side side : tail_sides) {
            const auto slope_at = [&](double theta) {
                Slopes slopes(400, 1);
                tails.evaluate(scores, Vector{theta});
                tails.add_slopes(0, side, 1, slopes);
                return slopes.thresholds[0];
            };
            constexpr int steps = 4000;
            constexpr double from = -10, to = 10;  // all kinks, with their bands
            double integral = 0;
            for (int i = 0; i < steps; ++i) {
                const double theta = from + (i + 0.5) * (to - from) / steps;
                tails.evaluate(scores, Vector{theta});
                Vector curvatures(400, 0.0);
                integral += tails.add_curvatures(0, side, 1, curvatures) * (to - from) / steps;
            }
            const double change = slope_at(to) - slope_at(from);
            EXPECT_NEAR(integral, change, 0.05 * std::abs(change) + 0.01 / options.width);
        }
    });
}

TEST(Tails, DoNotDependOnThreads) {
    const Sample sample = random_sample(20'000, 2, 2, 1);
    LinearScores function(sample, GroupTerms::all);
    Vector scores(20'000);
    function.evaluate(random_vector(function.parameters(), 4), scores);
    for_each_surrogate([&](const Options& options) {
        fairstream::test::expect_same_at_any_thread_count([&] {
            Tails tails(options, sample, some_tails(sample));
            tails.evaluate(scores, Vector{0.2, -0.1});
            Matrix out;
            tails.gradients(function, out);
            for (std::size_t t = 0; t < tails.size(); ++t) out.values.push_back(tails.share(t));
            return out;
        });
    });
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
