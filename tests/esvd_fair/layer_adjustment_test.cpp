/// New weights of a layer: the constraint is met, and no other weights that meet it change the outputs less.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <fairstream/models/esvd_fair/layer_adjustment.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

#include "support/matrices.hpp"
#include "support/threads.hpp"

namespace fairstream::esvd_fair {
namespace {

using namespace fairstream::test;

constexpr double epsilon = 1e-5;
constexpr Form forms[] = {Form::optimal, Form::paper};

// Inputs of a layer: groups with different means and spreads. `dead` inputs at the end are always 0.
struct Inputs {
    Inputs(std::size_t n, std::size_t p, std::size_t groups, std::uint64_t seed, std::size_t dead = 0) {
        Random random(seed, 5);
        std::vector<float> x;
        std::vector<GroupId> of;
        const Matrix mix = random_matrix(p, p, seed);
        for (std::size_t i = 0; i < n; ++i) {
            of.push_back(static_cast<GroupId>(i % groups));
            std::vector<double> z(p);
            for (double& value : z) value = static_cast<double>(normal(random)) * (1 + 0.4 * of.back());
            for (std::size_t j = 0; j < p; ++j) {
                double value = 0.3 * static_cast<double>((of.back() + j) % 3) + 1;
                for (std::size_t k = 0; k < p; ++k) value += (j == k ? 1 : 0.2) * mix.at(j, k) * z[k];
                x.push_back(j + dead < p ? static_cast<float>(value) : 0.0F);
            }
        }
        moments = GroupMoments(groups, p);
        moments.add({x, of});
        known = input_moments(moments, epsilon);
    }
    GroupMoments moments;
    InputMoments known;
};

// The mean over all rows of |(W' - W) x + b' - b|^2, from their first two moments.
double change_of(const Adjustment& found, const Matrix& before, const InputMoments& inputs) {
    Matrix gap = found.weights;
    for (std::size_t e = 0; e < gap.values.size(); ++e) gap.values[e] -= before.values[e];
    const Matrix spread = plain_product(plain_product(gap, inputs.covariance), plain_transpose(gap));
    double sum = 0;
    for (std::size_t i = 0; i < gap.rows; ++i) {
        double shift = found.bias_shift[i];
        for (std::size_t j = 0; j < gap.cols; ++j) shift += gap.at(i, j) * inputs.mean[j];
        sum += spread.at(i, i) + shift * shift;
    }
    return sum;
}

TEST(InputMoments, OfTwoGroupsAreThePapers) {
    const Inputs inputs(400, 6, 2, 1);
    const Moments &a = inputs.moments.of(0), &b = inputs.moments.of(1);
    Matrix gap = a.covariance();
    for (std::size_t e = 0; e < 36; ++e) gap.values[e] -= b.covariance().values[e];
    const Matrix size = symmetric_function(gap, [](double x) { return std::abs(x); });
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) {
            EXPECT_NEAR(inputs.known.mean_gaps.at(i, j),
                        (a.mean[i] - b.mean[i]) * (a.mean[j] - b.mean[j]) + (i == j ? epsilon : 0), 1e-12);
            EXPECT_NEAR(inputs.known.spread_gaps.at(i, j), size.at(i, j), 1e-10);
        }
}

// Theorem 3.1 for any number of groups.
TEST(InputMoments, MeasureGapOfOutputMeans) {
    for (const std::size_t groups : {2, 3, 5}) {
        const Inputs inputs(600, 5, groups, groups);
        const Matrix w = random_matrix(4, 5, 9);
        double sum = epsilon * squared_norm(w);
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t h = 0; h < g; ++h)
                for (std::size_t i = 0; i < 4; ++i) {
                    double gap = 0;
                    for (std::size_t j = 0; j < 5; ++j)
                        gap += w.at(i, j) * (inputs.moments.of(g).mean[j] - inputs.moments.of(h).mean[j]);
                    sum += gap * gap;
                }
        EXPECT_NEAR(mean_gap(w, inputs.known), sum, 1e-10 * sum);
    }
}

// Theorem 3.2 for any number of groups; for two, one of whose covariances dominates the other, it is an equality.
TEST(InputMoments, BoundGapOfOutputCovariances) {
    for (const std::size_t groups : {2, 3, 5}) {
        const Inputs inputs(600, 5, groups, 10 + groups);
        const Matrix w = random_matrix(4, 5, 9);
        double most = 0;
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t h = 0; h < g; ++h) {
                Matrix gap = inputs.moments.of(g).covariance();
                for (std::size_t e = 0; e < 25; ++e) gap.values[e] -= inputs.moments.of(h).covariance().values[e];
                most = std::max(most, squared_norm(plain_product(plain_product(w, gap), plain_transpose(w))));
            }
        EXPECT_LE(most, spread_gap(w, inputs.known) * (1 + 1e-10));
    }
    GroupMoments moments(2, 2);
    const std::vector<float> x{1, 0, -1, 0, 0, 1, 0, -1, 3, 1, -3, -1, 1, 3, -1, -3};
    moments.add({x, std::vector<GroupId>{0, 0, 0, 0, 1, 1, 1, 1}});
    const InputMoments known = input_moments(moments, epsilon);
    const Matrix w = random_matrix(3, 2, 2);
    Matrix gap = moments.of(1).covariance();
    for (std::size_t e = 0; e < 4; ++e) gap.values[e] -= moments.of(0).covariance().values[e];
    EXPECT_NEAR(spread_gap(w, known), squared_norm(plain_product(plain_product(w, gap), plain_transpose(w))), 1e-9);
}

TEST(EqualiseMeans, MeetsTheLimitWithEqualityWhereItBinds) {
    for (const Form form : forms)
        for (const double part : {0.9, 1.0 / 15, 1e-3}) {
            const Inputs inputs(500, 8, 3, 2);
            const Matrix w = random_matrix(5, 8, 4);
            const double limit = part * mean_gap(w, inputs.known);
            const Adjustment found = Equaliser(inputs.known, form).means(w, limit);
            EXPECT_GT(found.multiplier, 0);
            EXPECT_NEAR(mean_gap(found.weights, inputs.known), limit, 1e-9 * limit);
            EXPECT_NEAR(found.change, change_of(found, w, inputs.known), 1e-9 * found.change);
        }
}

TEST(EqualiseSpreads, MeetsTheLimitWithEqualityWhereItBinds) {
    for (const Form form : forms)
        for (const std::size_t groups : {2, 4})
            for (const double part : {0.9, 1.0 / 150, 1e-6}) {
                const Inputs inputs(500, 8, groups, 2);
                const Matrix w = random_matrix(5, 8, 4);
                const double limit = part * spread_gap(w, inputs.known);
                const Adjustment found = Equaliser(inputs.known, form).spreads(w, limit);
                EXPECT_GT(found.multiplier, 0);
                EXPECT_NEAR(spread_gap(found.weights, inputs.known), limit, 1e-8 * limit) << part;
                EXPECT_NEAR(found.change, change_of(found, w, inputs.known), 1e-9 * found.change);
            }
}

TEST(Equalise, ChangesNothingWhereTheLimitIsKept) {
    const Inputs inputs(300, 6, 2, 3);
    const Matrix w = random_matrix(4, 6, 1);
    for (const Form form : forms)
        for (const Adjustment& found : {Equaliser(inputs.known, form).means(w, mean_gap(w, inputs.known)),
                                        Equaliser(inputs.known, form).spreads(w, 2 * spread_gap(w, inputs.known))}) {
            EXPECT_EQ(found.weights, w);
            EXPECT_EQ(found.multiplier, 0);
            EXPECT_EQ(found.change, 0);
            EXPECT_EQ(found.bias_shift, std::vector<double>(4, 0.0));
        }
}

// The problems are convex: if the gradient of the change is opposite to that of the gap, the solution is optimal.
TEST(Equalise, SolvesTheFirstOrderConditions) {
    for (const std::size_t groups : {2, 3}) {
        const Inputs inputs(500, 7, groups, 6);
        const Matrix w = random_matrix(4, 7, 8);
        for (const bool spreads : {false, true})
            for (const double part : {0.5, 1e-2, 1e-4}) {
                const double limit = part * (spreads ? spread_gap(w, inputs.known) : mean_gap(w, inputs.known));
                const Adjustment found = spreads ? Equaliser(inputs.known, Form::optimal).spreads(w, limit)
                                                 : Equaliser(inputs.known, Form::optimal).means(w, limit);
                Matrix gap = found.weights;
                for (std::size_t e = 0; e < gap.values.size(); ++e) gap.values[e] -= w.values[e];
                Matrix covariance = inputs.known.covariance;
                double variance = 0;
                for (std::size_t j = 0; j < 7; ++j) variance += covariance.at(j, j) / 7;
                for (std::size_t j = 0; j < 7; ++j) covariance.at(j, j) += covariance_ridge * variance;
                const Matrix rise = plain_product(gap, covariance);
                Matrix fall = plain_product(found.weights, spreads ? inputs.known.spread_gaps : inputs.known.mean_gaps);
                if (spreads) {
                    const Matrix image = plain_product(fall, plain_transpose(found.weights));
                    fall = plain_product(image, fall);
                }
                const double factor = spreads ? 2 * found.multiplier : found.multiplier;
                for (std::size_t e = 0; e < rise.values.size(); ++e)
                    EXPECT_NEAR(rise.values[e], -factor * fall.values[e], 2e-5 * largest(rise)) << spreads << part;
            }
    }
}

// Other weights that meet the limit, drawn near the solution and near the original weights, change the outputs more.
TEST(Equalise, NoOtherWeightsChangeTheOutputsLess) {
    const Inputs inputs(500, 4, 2, 7);
    const Matrix w = random_matrix(3, 4, 3);
    for (const bool spreads : {false, true}) {
        const auto gap_of = [&](const Matrix& x) {
            return spreads ? spread_gap(x, inputs.known) : mean_gap(x, inputs.known);
        };
        const double limit = gap_of(w) / 20;
        const auto solve = [&](Form form) {
            const Equaliser equaliser(inputs.known, form);
            return spreads ? equaliser.spreads(w, limit) : equaliser.means(w, limit);
        };
        const Adjustment best = solve(Form::optimal);
        EXPECT_LE(best.change, solve(Form::paper).change);
        for (std::uint64_t draw = 0; draw < 2'000; ++draw) {
            Matrix other = draw % 2 == 0 ? best.weights : w;
            const Matrix noise = random_matrix(3, 4, 100 + draw);
            const double size = std::pow(10.0, -static_cast<double>(draw % 5));
            for (std::size_t e = 0; e < 12; ++e) other.values[e] += size * noise.values[e];
            const double factor = std::pow(std::min(1.0, limit / gap_of(other)), spreads ? 0.25 : 0.5);
            for (double& value : other.values) value *= factor;
            Matrix step = other;
            for (std::size_t e = 0; e < 12; ++e) step.values[e] -= w.values[e];
            const Matrix products = plain_product(step, inputs.known.covariance);
            double change = 0;
            for (std::size_t e = 0; e < 12; ++e) change += step.values[e] * products.values[e];
            ASSERT_GE(change, best.change * (1 - 1e-5));
        }
    }
}

// Within the paper's family, the singular vectors of W S stay, and the singular values solve its equations.
TEST(Equalise, ThePapersFormShrinksSingularValuesAlone) {
    const Inputs inputs(500, 6, 2, 5);
    const Matrix w = random_matrix(4, 6, 2);
    Matrix second = inputs.known.covariance;
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) second.at(i, j) += inputs.known.mean[i] * inputs.known.mean[j];
    for (const bool spreads : {false, true}) {
        const Matrix& gaps = spreads ? inputs.known.spread_gaps : inputs.known.mean_gaps;
        const Matrix root = symmetric_function(gaps, [](double x) { return std::sqrt(std::max(x, 0.0)); });
        const Matrix inverse = symmetric_function(gaps, [](double x) { return 1 / std::sqrt(x); });
        const double limit = (spreads ? spread_gap(w, inputs.known) : mean_gap(w, inputs.known)) / 15;
        const Adjustment found = spreads ? Equaliser(inputs.known, Form::paper).spreads(w, limit)
                                         : Equaliser(inputs.known, Form::paper).means(w, limit);
        const Svd before = singular_values(plain_product(w, root));
        const Matrix turned =
            plain_product(plain_gram(before.left, plain_product(found.weights, root)), before.right);  // Uᵀ W' S V
        const Matrix rows = plain_product(plain_transpose(before.right), inverse);
        const Matrix prices = plain_product(plain_product(rows, second), plain_transpose(rows));
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(i == j ? 0 : turned.at(i, j), 0, 1e-7 * before.values[0]);
            const double value = turned.at(i, i), pull = prices.at(i, i) * (value - before.values[i]);
            const double push = spreads ? 2 * found.multiplier * value * value * value : found.multiplier * value;
            EXPECT_NEAR(pull, -push, 1e-6 * std::abs(push) + 1e-9) << spreads << ", singular value " << i;
        }
        EXPECT_EQ(found.bias_shift, std::vector<double>(4, 0.0));
    }
}

// Weights of constant inputs are kept if no gap depends on them.
TEST(EqualiseSpreads, KeepsWhatTheGapsSayNothingOf) {
    for (const Form form : forms) {
        const Inputs inputs(400, 7, 2, 4, 2);
        const Matrix w = random_matrix(4, 7, 6);
        const double limit = spread_gap(w, inputs.known) / 150;
        const Adjustment found = Equaliser(inputs.known, form).spreads(w, limit);
        EXPECT_NEAR(spread_gap(found.weights, inputs.known), limit, 1e-7 * limit);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 5; j < 7; ++j) EXPECT_NEAR(found.weights.at(i, j), w.at(i, j), 1e-6);
    }
}

TEST(Equalise, HandlesWideLayersAndSingleOutputs) {
    for (const Form form : forms)
        for (const std::size_t outputs : {1, 2, 30}) {
            const Inputs inputs(300, 6, 2, 11);
            const Matrix w = random_matrix(outputs, 6, outputs);
            const double means = mean_gap(w, inputs.known) / 15, spreads = spread_gap(w, inputs.known) / 150;
            EXPECT_NEAR(mean_gap(Equaliser(inputs.known, form).means(w, means).weights, inputs.known), means,
                        1e-8 * means);
            EXPECT_NEAR(spread_gap(Equaliser(inputs.known, form).spreads(w, spreads).weights, inputs.known), spreads,
                        1e-7 * spreads);
        }
}

TEST(Equalise, MeetsLimitDespiteIndefiniteMoments) {
    // 40 inputs that are three numbers and their sums; float32 rounding determines the other 37 directions.
    constexpr std::size_t p = 40;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    Matrix basis(p, 3), w(1, p);
    for (double& entry : basis.values) entry = normal(random);
    for (double& entry : w.values) entry = normal(random);
    InputMoments inputs{std::vector<double>(p, 0.5), product(basis, transposed(basis)), Matrix(p, p), {}};
    double mean_variance = 0;
    for (std::size_t i = 0; i < p; ++i) mean_variance += inputs.covariance.at(i, i) / p;
    for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < p; ++j) inputs.mean_gaps.at(i, j) = basis.at(i, 0) * basis.at(j, 0);
    for (const double rounding : {1e-5, 1e-3}) {
        for (std::size_t i = 0; i < p; ++i) inputs.covariance.at(i, i) -= rounding * mean_variance;
        for (const Form form : {Form::optimal, Form::paper}) {
            const double before = mean_gap(w, inputs), limit = before / 4;
            const Adjustment found = Equaliser(inputs, form).means(w, limit);
            EXPECT_NEAR(mean_gap(found.weights, inputs), limit, 1e-6 * before) << rounding;
            // Only what affects the gaps is changed, by less than half of the outputs' gap.
            EXPECT_LT(std::abs(found.change), before) << rounding;
        }
    }
}

TEST(Equalise, DoesNotDependOnThreads) {
    const Inputs inputs(900, 40, 3, 1);
    const Matrix w = random_matrix(30, 40, 2);
    expect_same_at_any_thread_count([&] {
        const Equaliser equaliser(inputs.known, Form::optimal);
        const Matrix spreads = equaliser.spreads(w, spread_gap(w, inputs.known) / 150).weights;
        return equaliser.means(spreads, mean_gap(spreads, inputs.known) / 15).weights;
    });
}

}  // namespace
}  // namespace fairstream::esvd_fair
