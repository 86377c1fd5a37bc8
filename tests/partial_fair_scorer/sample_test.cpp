/// The order of a sample; storing it without zeros does not change any result.

#include <gtest/gtest.h>

#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>

#include "samples.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

TEST(Sample, IsSortedStably) {
    const std::size_t d = 3;
    const PointColumns points = random_points(200, d, 3, 1);
    const Sample sample = sample_of(points, d, 3);
    ASSERT_EQ(sample.size(), 200U);
    ASSERT_EQ(sample.groups(), 3U);
    std::size_t row = 0;
    for (std::size_t g = 0; g < 3; ++g)
        for (const bool positive : {false, true}) {
            const RowRange cell = positive ? sample.positives(g) : sample.negatives(g);
            EXPECT_EQ(cell.first, row);
            for (std::size_t i = 0; i < 200; ++i) {
                if (points.groups[i] != g || (points.targets[i] > 0) != positive) continue;
                ASSERT_LT(row, cell.last);
                ASSERT_EQ(sample.point(row), i);
                ASSERT_EQ(sample.target(row), static_cast<double>(points.targets[i]));
                ASSERT_EQ(sample.signs()[row], positive ? 1 : -1);
                for (std::size_t j = 0; j < d; ++j) ASSERT_EQ(feature(sample, row, j), points.features[i * d + j]);
                ++row;
            }
            EXPECT_EQ(cell.last, row);
            EXPECT_EQ(sample.group(g), (RowRange{sample.negatives(g).first, sample.positives(g).last}));
        }
}

TEST(Sample, ATargetOfZeroIsNegative) {
    PointColumns points = random_points(3, 1, 1, 1);
    points.targets = {0.0F, -0.0F, 1e-30F};
    const Sample sample = sample_of(points, 1, 1);
    EXPECT_EQ(sample.negatives(0).size(), 2U);
    EXPECT_EQ(sample.positives(0).size(), 1U);
}

TEST(Sample, TakesTheAttributeItIsGiven) {
    PointColumns points = random_points(4, 1, 1, 1);
    points.groups = {0, 1, 1, 0, 0, 2, 1, 1};  // of two attributes
    const Sample second(points.view(), 1, 2, 1, 3);
    EXPECT_EQ(second.group(0).size(), 1U);
    EXPECT_EQ(second.group(1).size(), 2U);
    EXPECT_EQ(second.group(2).size(), 1U);
    points.groups.clear();
    const Sample none(points.view(), 1, 0, 0, 1);
    EXPECT_EQ(none.group(0).size(), 4U) << "without attributes all are in one group";
}

TEST(Sample, OfNothing) {
    const Sample nothing;
    EXPECT_EQ(nothing.size(), 0U);
    EXPECT_EQ(nothing.groups(), 0U);
    const Sample empty = sample_of({}, 4, 3);
    EXPECT_EQ(empty.size(), 0U);
    EXPECT_EQ(empty.groups(), 3U);
    for (std::size_t g = 0; g < 3; ++g) EXPECT_EQ(empty.group(g).size(), 0U);
}

TEST(Sample, OfOnePoint) {
    PointColumns points = random_points(1, 2, 1, 1);
    points.groups[0] = 1;
    const Sample sample = sample_of(points, 2, 3);
    EXPECT_EQ(sample.group(0).size() + sample.group(2).size(), 0U);
    EXPECT_EQ(sample.group(1).size(), 1U);
}

TEST(Sample, MostlyZerosAreLeftOut) {
    const PointColumns points = random_points(50, 4, 2, 3);
    EXPECT_FALSE(sample_of(points, 4, 2).is_sparse());
    const Sample sparse = sample_of(padded(points, 4), 4 * padding, 2);
    ASSERT_TRUE(sparse.is_sparse());
    for (std::size_t row = 0; row < 50; ++row) {
        EXPECT_TRUE(std::ranges::is_sorted(sparse.columns(row)));
        for (std::size_t j = 0; j < sparse.columns(row).size(); ++j) EXPECT_NE(sparse.entries(row)[j], 0);
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_EQ(feature(sparse, row, j), points.features[sparse.point(row) * 4 + j]);
    }
    PointColumns zeros = points;
    std::ranges::fill(zeros.features, -0.0F);
    const Sample none = sample_of(zeros, 4, 2);
    EXPECT_TRUE(none.is_sparse());
    EXPECT_EQ(none.columns(49).size(), 0U);
}

TEST(AddInOrder, CoversEveryRowOnceWhereverItBegins) {
    for (const RowRange rows : {RowRange{0, 0}, RowRange{5, 5}, RowRange{3, 4}, RowRange{100, 20'000}}) {
        Vector sums{1, 2};
        add_in_order(rows, 2, sums, [](RowRange part, double* out) {
            out[0] += static_cast<double>(part.size());
            for (std::size_t row = part.first; row < part.last; ++row) out[1] += static_cast<double>(row);
        });
        EXPECT_EQ(sums[0], 1 + static_cast<double>(rows.size()));
        double expected = 2;
        for (std::size_t row = rows.first; row < rows.last; ++row) expected += static_cast<double>(row);
        EXPECT_EQ(sums[1], expected);
        std::vector<int> seen(rows.last, 0);
        for_parts(rows, [&](RowRange part) {
            for (std::size_t row = part.first; row < part.last; ++row) ++seen[row];
        });
        for (std::size_t row = 0; row < rows.last; ++row) ASSERT_EQ(seen[row], row < rows.first ? 0 : 1);
    }
}

// Returns the indices of the narrow sample's variables among those of the wide sample.
std::vector<std::size_t> kept_variables(const Options& options, std::size_t d, std::size_t groups) {
    std::vector<std::size_t> kept;
    const std::size_t units = options.form == Form::linear ? 1 : static_cast<std::size_t>(options.hidden) + 1;
    std::size_t at = 0;
    for (std::size_t unit = 0; unit < units; ++unit) {
        const std::size_t blocks = options.group_terms == GroupTerms::all ? groups : 1;
        for (std::size_t block = 0; block < blocks; ++block, at += d * padding + 1)
            for (std::size_t j = 0; j <= d; ++j) kept.push_back(at + j);
        if (options.group_terms == GroupTerms::intercept)
            for (std::size_t g = 1; g < groups; ++g) kept.push_back(at++);
    }
    const std::size_t rest = (units - 1) + threshold_count(options);
    for (std::size_t j = 0; j < rest; ++j) kept.push_back(at++);
    return kept;
}

TEST(Sample, SparseProblemMatchesDense) {
    const std::size_t d = 3, groups = 3;
    const PointColumns points = random_points(300, d, groups, 4);
    const Sample dense = sample_of(points, d, groups), sparse = sample_of(padded(points, d), d * padding, groups);
    ASSERT_TRUE(sparse.is_sparse() && !dense.is_sparse());
    for (const GroupTerms group_terms : {GroupTerms::none, GroupTerms::intercept, GroupTerms::all})
        for (const Form form : {Form::linear, Form::mlp})
            for (const Surrogate surrogate : {Surrogate::clipped, Surrogate::logistic}) {
                Options options;
                options.loss = Loss::logistic;
                options.group_terms = group_terms, options.form = form, options.surrogate = surrogate;
                options.hidden = 3, options.rank_levels = 4;
                ScoreProblem a(options, dense), b(options, sparse);
                const std::vector<std::size_t> kept = kept_variables(options, d, groups);
                ASSERT_EQ(kept.size(), a.variables());
                const Vector v = random_vector(a.variables(), 8, 0.5);
                Vector wide(b.variables(), 0.0);
                for (std::size_t j = 0; j < kept.size(); ++j) wide[kept[j]] = v[j];
                dc::Values of_a, of_b;
                a.evaluate(v, of_a), b.evaluate(wide, of_b);
                EXPECT_LE(test::largest_difference(a.scores(), b.scores()), 1e-14);
                EXPECT_LE(test::largest_difference(of_a.plus, of_b.plus), 1e-13);
                EXPECT_LE(test::largest_difference(of_a.minus, of_b.minus), 1e-13);
                Matrix plus_a, minus_a, plus_b, minus_b;
                a.constraint_gradients(plus_a, minus_a), b.constraint_gradients(plus_b, minus_b);
                Vector gradient_a(v.size(), 0.0), gradient_b(wide.size(), 0.0);
                a.add_plus_gradient(0, 1, gradient_a), b.add_plus_gradient(0, 1, gradient_b);
                const Vector multipliers(a.constraints(), 0.3);
                const Matrix curve_a = whole_of(a.curvature(multipliers)), curve_b = whole_of(b.curvature(multipliers));
                for (std::size_t j = 0; j < kept.size(); ++j) {
                    ASSERT_NEAR(gradient_a[j], gradient_b[kept[j]], 1e-13);
                    for (std::size_t i = 0; i < a.constraints(); ++i) {
                        ASSERT_NEAR(plus_a.at(i, j), plus_b.at(i, kept[j]), 1e-13);
                        ASSERT_NEAR(minus_a.at(i, j), minus_b.at(i, kept[j]), 1e-13);
                    }
                    // A network's curvature has more than a diagonal only with many rows per parameter.
                    for (std::size_t i = 0; i < kept.size(); ++i) {
                        if (form == Form::mlp && i != j) continue;
                        ASSERT_NEAR(curve_a.at(i, j), curve_b.at(kept[i], kept[j]), 1e-12);
                    }
                }
            }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
