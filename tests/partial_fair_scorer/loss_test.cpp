/// Losses against their definitions, pair by pair for losses over pairs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/models/partial_fair_scorer/detail/loss.hpp>

#include "samples.hpp"
#include "support/threads.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

constexpr Loss losses[] = {Loss::logistic, Loss::hinge, Loss::squared, Loss::sigmoid};

Sample some_points(std::size_t n = 40) {
    PointColumns points = random_points(n, 2, 2, 3);
    for (std::size_t i = 0; i < points.targets.size(); ++i) points.targets[i] *= 0.5F + static_cast<float>(i % 3);
    return sample_of(points, 2, 2);
}

// Of the margin t = y h, or of the difference of two scores.
double margin_loss(Loss loss, double t) {
    switch (loss) {
        case Loss::hinge:
            return std::max(0.0, 1 - t);
        case Loss::squared:
            return (1 - t) * (1 - t) / 2;
        case Loss::sigmoid:
            return 1 / (1 + std::exp(2 * t)) + 0.1 * std::log1p(std::exp(-t));
        case Loss::logistic:
        case Loss::automatic:
            break;
    }
    return std::log1p(std::exp(-t));
}

double point_loss(Loss loss, const Sample& sample, std::span<const double> scores) {
    double sum = 0;
    for (std::size_t row = 0; row < sample.size(); ++row) {
        const double rest = scores[row] - sample.target(row);
        sum += loss == Loss::squared ? rest * rest / 2 : margin_loss(loss, sample.signs()[row] * scores[row]);
    }
    return sum / static_cast<double>(sample.size());
}

struct Ranks {
    double from = 0, to = 1;
};

// Returns the mean over positives and over the negatives numbered (from n, to n] by falling score.
double pair_loss(Loss loss, const Sample& sample, std::span<const double> scores, std::size_t first, std::size_t last) {
    Vector high, low;
    for (std::size_t row = 0; row < sample.size(); ++row) (sample.signs()[row] > 0 ? high : low).push_back(scores[row]);
    std::ranges::sort(low, std::greater{});
    double sum = 0;
    for (const double a : high)
        for (std::size_t j = first; j < last; ++j) sum += margin_loss(loss, a - low[j]);
    return sum / static_cast<double>(high.size() * (last - first));
}

std::size_t negatives_of(const Sample& sample) {
    return static_cast<std::size_t>(std::ranges::count(sample.signs(), -1.0));
}

std::unique_ptr<LossFunction> loss_of(Loss loss, const Sample& sample, Over over, Ranks ranks = {}) {
    Options options;
    options.loss = Loss::logistic;
    options.loss = loss, options.over = over, options.false_positives = {ranks.from, ranks.to};
    return make_loss(options, sample);
}

std::vector<std::unique_ptr<LossFunction>> all_over(Loss loss, const Sample& sample) {
    std::vector<std::unique_ptr<LossFunction>> all;
    all.push_back(loss_of(loss, sample, Over::points));
    all.push_back(loss_of(loss, sample, Over::auc));
    all.push_back(loss_of(loss, sample, Over::partial_auc, {0.2, 0.7}));
    all.push_back(loss_of(loss, sample, Over::partial_auc, {0, 0.5}));
    return all;
}

TEST(Loss, OfPointsIsItsDefinition) {
    const Sample sample = some_points();
    for (const Loss loss : losses)
        for (const double scale : {0.1, 1.0, 10.0}) {
            LossParts parts;
            const Vector scores = random_vector(sample.size(), 4, scale);
            loss_of(loss, sample, Over::points)->evaluate(scores, parts);
            const double expected = point_loss(loss, sample, scores);
            EXPECT_NEAR(parts.plus - parts.minus, expected, 1e-14 * (1 + parts.plus)) << static_cast<int>(loss);
            EXPECT_EQ(parts.has_minus, loss == Loss::sigmoid);
        }
}

void expect_pairs_by_definition(const Sample& sample) {
    const std::size_t n = negatives_of(sample);
    for (const Loss loss : losses)
        for (const double scale : {1e-9, 0.1, 1.0, 10.0}) {
            SCOPED_TRACE(::testing::Message() << "loss " << static_cast<int>(loss) << " scale " << scale);
            LossParts parts;
            const Vector scores = random_vector(sample.size(), 5, scale);
            loss_of(loss, sample, Over::auc)->evaluate(scores, parts);
            EXPECT_NEAR(parts.plus - parts.minus, pair_loss(loss, sample, scores, 0, n), 1e-13 * (1 + parts.plus));
            for (const Ranks ranks : {Ranks{0, 1}, {0, 0.3}, {0.2, 0.7}, {0.5, 1}}) {
                const auto first = static_cast<std::size_t>(std::ceil(ranks.from * static_cast<double>(n)));
                const auto last = static_cast<std::size_t>(std::ceil(ranks.to * static_cast<double>(n)));
                loss_of(loss, sample, Over::partial_auc, ranks)->evaluate(scores, parts);
                EXPECT_NEAR(parts.plus - parts.minus, pair_loss(loss, sample, scores, first, last),
                            1e-13 * (1 + parts.plus));
            }
        }
}

TEST(Loss, OfPairsIsItsDefinition) {
    expect_pairs_by_definition(some_points());
}

// More points than nodes in the sums over pairs.
TEST(Loss, OfManyPairsIsItsDefinition) {
    expect_pairs_by_definition(some_points(400));
}

// Returns the derivative of `margin_loss`, for smooth losses.
double margin_slope(Loss loss, double t) {
    const double q = 1 / (1 + std::exp(2 * t)), p = 1 / (1 + std::exp(t));
    return loss == Loss::sigmoid ? -2 * q * (1 - q) - 0.1 * p : -p;
}

TEST(Loss, SlopesOfManyPairsAreTheirDoubleSum) {
    const Sample sample = some_points(400);
    for (const Loss loss : {Loss::logistic, Loss::sigmoid})
        for (const double scale : {1e-9, 1.0, 30.0}) {
            const Vector scores = random_vector(sample.size(), 10, scale);
            LossParts parts;
            loss_of(loss, sample, Over::auc)->evaluate(scores, parts);
            Vector expected(sample.size(), 0.0);
            const auto negatives = static_cast<double>(negatives_of(sample));
            const double each = 1 / (negatives * (static_cast<double>(sample.size()) - negatives));
            for (std::size_t i = 0; i < sample.size(); ++i)
                for (std::size_t j = 0; j < sample.size(); ++j) {
                    if (sample.signs()[i] < 0 || sample.signs()[j] > 0) continue;
                    const double slope = each * margin_slope(loss, scores[i] - scores[j]);
                    expected[i] += slope, expected[j] -= slope;
                }
            const double most = std::abs(*std::ranges::max_element(expected));
            for (std::size_t i = 0; i < sample.size(); ++i)
                EXPECT_NEAR(parts.plus_slopes[i] - parts.minus_slopes[i], expected[i], 1e-12 * most);
        }
}

// Integer scores: many pairs tie, and many lie exactly at the hinge's kink.
TEST(Loss, OfTiedPairsIsItsDefinition) {
    const Sample sample = some_points();
    const std::size_t n = negatives_of(sample);
    Random random(1);
    Vector scores(sample.size());
    for (double& score : scores) score = random.below(4);
    for (const Loss loss : losses) {
        LossParts parts;
        loss_of(loss, sample, Over::auc)->evaluate(scores, parts);
        EXPECT_NEAR(parts.plus - parts.minus, pair_loss(loss, sample, scores, 0, n), 1e-13);
        loss_of(loss, sample, Over::partial_auc, {0.25, 0.5})->evaluate(scores, parts);
        const auto first = static_cast<std::size_t>(std::ceil(0.25 * static_cast<double>(n)));
        const auto last = static_cast<std::size_t>(std::ceil(0.5 * static_cast<double>(n)));
        EXPECT_NEAR(parts.plus - parts.minus, pair_loss(loss, sample, scores, first, last), 1e-13);
    }
}

// Two positives, 1 and 4; negatives 3, 2, 0, -1, of which ranks from a quarter to three quarters are 2 and 0.
TEST(Loss, PartialAucByHand) {
    PointColumns points = random_points(6, 1, 1, 1);
    points.targets = {1, 1, -1, -1, -1, -1};
    const Sample sample = sample_of(points, 1, 1);
    const Vector scores{3, 2, 0, -1, 1, 4};  // negatives come first
    LossParts parts;
    loss_of(Loss::hinge, sample, Over::partial_auc, {0.25, 0.75})->evaluate(scores, parts);
    EXPECT_DOUBLE_EQ(parts.plus - parts.minus, 2.0 / 4) << "only 1 against 2 is short of 1, by 2";
    loss_of(Loss::squared, sample, Over::partial_auc, {0.25, 0.75})->evaluate(scores, parts);
    EXPECT_DOUBLE_EQ(parts.plus - parts.minus, (4 + 0 + 1 + 9) / 2.0 / 4);
}

// 0.07 x 100 slightly exceeds 7 in doubles, and its ceiling was once 8.
TEST(Loss, ARoundingOfTheRanksIsNoPoint) {
    PointColumns points = random_points(101, 1, 1, 1);
    std::ranges::fill(points.targets, -1.0F);
    points.targets[0] = 1;
    const Sample sample = sample_of(points, 1, 1);
    Vector scores(101);
    std::iota(scores.begin(), scores.end(), 0.0);
    LossParts parts;
    loss_of(Loss::squared, sample, Over::partial_auc, {0.0, 0.07})->evaluate(scores, parts);
    EXPECT_NEAR(parts.plus, pair_loss(Loss::squared, sample, scores, 0, 7), 1e-10);
    loss_of(Loss::squared, sample, Over::partial_auc, {0.07, 0.55})->evaluate(scores, parts);
    EXPECT_NEAR(parts.plus - parts.minus, pair_loss(Loss::squared, sample, scores, 7, 55), 1e-9);
}

TEST(Loss, SlopesAreThoseOfDifferences) {
    const Sample sample = some_points();
    for (const Loss loss : losses)
        for (const auto& function : all_over(loss, sample)) {
            SCOPED_TRACE(static_cast<int>(loss));
            const Vector scores = random_vector(sample.size(), 6);
            LossParts parts, tried;
            function->evaluate(scores, parts);
            const auto side = [&](double LossParts::*value) {
                return slopes_of(
                    [&](const Vector& at) {
                        function->evaluate(at, tried);
                        return tried.*value;
                    },
                    scores);
            };
            EXPECT_LE(test::largest_difference(parts.plus_slopes, side(&LossParts::plus)), 1e-9);
            EXPECT_LE(test::largest_difference(parts.minus_slopes, side(&LossParts::minus)), 1e-9);
        }
}

// For partial pairs the squared loss is convex only while no positive exceeds a negative by more than 1; otherwise the
// sum over the highest negatives is not the largest.
TEST(Loss, BothPartsAreConvexInTheScores) {
    const Sample sample = some_points();
    for (const Loss loss : losses)
        for (const auto& function : all_over(loss, sample)) {
            LossParts parts;
            function->evaluate(Vector(sample.size(), 0.0), parts);
            if (loss == Loss::squared && parts.has_minus) continue;
            for (const bool plus : {true, false}) {
                const auto value = [&](const Vector& scores) {
                    function->evaluate(scores, parts);
                    return plus ? parts.plus : parts.minus;
                };
                EXPECT_LE(above_chords(value, Vector(sample.size(), 0.0), 7, loss == Loss::squared ? 0.01 : 2), 1e-13)
                    << static_cast<int>(loss) << (plus ? " plus" : " minus");
            }
        }
}

// Left of 0 the logistic curvature is that of a parabola above the loss, which extends as far as the loss.
void expect_bends_not_below(const Sample& sample) {
    for (const Loss loss : losses)
        for (const auto& function : all_over(loss, sample)) {
            const Vector scores = random_vector(sample.size(), 8);
            LossParts parts, up, down;
            function->evaluate(scores, parts);
            for (const double curvature : parts.curvatures) EXPECT_GE(curvature, 0);
            if (loss == Loss::hinge || loss == Loss::sigmoid) continue;
            for (std::size_t row = 0; row < sample.size(); ++row) {
                Vector moved = scores;
                moved[row] += 1e-5;
                function->evaluate(moved, up);
                moved[row] -= 2e-5;
                function->evaluate(moved, down);
                const double second = (up.plus_slopes[row] - down.plus_slopes[row]) / 2e-5;
                EXPECT_GE(parts.curvatures[row], second - 1e-8);
                if (loss == Loss::squared) {
                    EXPECT_NEAR(parts.curvatures[row], second, 1e-8);
                }
            }
        }
}

TEST(Loss, BendsBoundSecondDerivatives) {
    expect_bends_not_below(some_points());
    expect_bends_not_below(some_points(300));
}

TEST(Loss, FarOutItIsStillANumber) {
    const Sample sample = some_points();
    for (const Loss loss : losses)
        for (const auto& function : all_over(loss, sample)) {
            Vector scores(sample.size());
            for (std::size_t row = 0; row < scores.size(); ++row) scores[row] = row % 3 == 0 ? 1e6 : -1e6;
            LossParts parts;
            function->evaluate(scores, parts);
            EXPECT_TRUE(std::isfinite(parts.plus) && std::isfinite(parts.minus));
            for (std::size_t row = 0; row < scores.size(); ++row)
                EXPECT_TRUE(std::isfinite(parts.plus_slopes[row]) && std::isfinite(parts.curvatures[row]));
        }
}

TEST(Loss, EmptyAndSingleClassAreDefined) {
    PointColumns positives = random_points(5, 1, 1, 1);
    std::ranges::fill(positives.targets, 1.0F);
    PointColumns negatives = positives;
    std::ranges::fill(negatives.targets, -1.0F);
    for (const PointColumns& points : {PointColumns{}, positives, negatives})
        for (const Loss loss : losses) {
            const Sample sample = sample_of(points, 1, 1);
            for (const auto& function : all_over(loss, sample)) {
                LossParts parts;
                parts.plus = 3, parts.plus_slopes = {1, 2};  // of another evaluation
                function->evaluate(Vector(sample.size(), 0.5), parts);
                EXPECT_EQ(parts.plus_slopes.size(), sample.size());
                EXPECT_EQ(parts.curvatures.size(), sample.size());
                EXPECT_TRUE(sample.size() > 0 || parts.plus == 0);
                EXPECT_TRUE(std::isfinite(parts.plus) && std::isfinite(parts.minus));
            }
            LossParts pairs;
            loss_of(loss, sample, Over::auc)->evaluate(Vector(sample.size(), 0.5), pairs);
            EXPECT_EQ(pairs.plus, 0) << "there are no pairs";
        }
}

TEST(Loss, DoesNotDependOnThreads) {
    const Sample sample = some_points(20'000);
    const Vector scores = random_vector(sample.size(), 9);
    for (const Loss loss : losses) {
        for (const auto& function : all_over(loss, sample))
            fairstream::test::expect_same_at_any_thread_count([&] {
                LossParts parts;
                function->evaluate(scores, parts);
                Vector all = parts.plus_slopes;
                all.push_back(parts.plus);
                all.push_back(parts.minus);
                return all;
            });
    }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
