/// Scores and their gradients, against written-out terms and differences.

#include <gtest/gtest.h>

#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>
#include <fairstream/models/partial_fair_scorer/detail/mlp.hpp>

#include "samples.hpp"
#include "support/threads.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

std::vector<Options> forms() {
    std::vector<Options> all;
    for (const GroupTerms group_terms : {GroupTerms::none, GroupTerms::intercept, GroupTerms::all})
        for (const Form form : {Form::linear, Form::mlp}) {
            Options options;
            options.loss = Loss::logistic;
            options.group_terms = group_terms, options.form = form, options.hidden = 3;
            all.push_back(options);
        }
    return all;
}

// Dense and sparse samples, and one in which a group has no points.
std::vector<Sample> samples() {
    const PointColumns points = random_points(90, 3, 3, 2);
    PointColumns without = points;
    for (GroupId& g : without.groups) g = g == 1 ? 0 : g;
    return {sample_of(points, 3, 3), sample_of(padded(points, 3), 3 * padding, 3), sample_of(without, 3, 3)};
}

template <class Check> void for_each_form(Check&& check) {
    for (const Sample& sample : samples())
        for (const Options& options : forms()) {
            SCOPED_TRACE(::testing::Message() << "group terms " << static_cast<int>(options.group_terms) << " form "
                                              << static_cast<int>(options.form) << " sparse " << sample.is_sparse());
            check(options, sample);
        }
}

Vector gradient_of_row(ScoreFunction& function, std::size_t n, std::size_t row) {
    Vector weights(n, 0.0), out(function.parameters(), 0.0);
    weights[row] = 1;
    function.add_gradients({0, n}, weights, out);
    return out;
}

TEST(ScoreFunction, ScoresAreTheirTerms) {
    for_each_form([](const Options& options, const Sample& sample) {
        const auto function = make_score_function(options, sample);
        ASSERT_EQ(function->parameters(), parameter_count(options, sample.dimensions(), sample.groups()));
        const Vector w = random_vector(function->parameters(), 3, 0.7);
        Vector scores(sample.size());
        function->evaluate(w, scores);
        for (std::size_t row = 0; row < sample.size(); ++row)
            ASSERT_NEAR(scores[row], plain_score(options, sample, w, row), 1e-13);
    });
}

TEST(ScoreFunction, PointsOutsideASampleGetTheSameScores) {
    for_each_form([](const Options& options, const Sample& sample) {
        const auto function = make_score_function(options, sample);
        Vector w = random_vector(function->parameters(), 4, 0.7), scores(sample.size());
        function->evaluate(w, scores);
        to_raw(options, sample, w);
        std::vector<float> rows;
        std::vector<GroupId> groups;
        for (std::size_t row = 0; row < sample.size(); ++row) {
            groups.push_back(static_cast<GroupId>(group_of(sample, row)));
            for (std::size_t j = 0; j < sample.dimensions(); ++j) rows.push_back(feature(sample, row, j));
        }
        std::vector<Score> out(sample.size());
        score_rows(options, w, sample.dimensions(), sample.groups(), rows, groups, out);
        // Without its zeros a row is summed in another order.
        EXPECT_LE(test::largest_difference(out, scores), sample.is_sparse() ? 1e-13 : 0);
        if (options.group_terms != GroupTerms::none) return;
        std::vector<Score> unknown(sample.size());
        score_rows(options, w, sample.dimensions(), sample.groups(), rows, {}, unknown);
        EXPECT_EQ(unknown, out) << "groups need not be known";
    });
}

TEST(ScoreFunction, GradientsAreThoseOfDifferences) {
    for_each_form([](const Options& options, const Sample& sample) {
        const auto function = make_score_function(options, sample);
        const Vector w = random_vector(function->parameters(), 5, 0.7), weights = random_vector(sample.size(), 6);
        Vector scores(sample.size());
        for (const RowRange rows : {RowRange{0, sample.size()}, RowRange{7, 61}, RowRange{30, 31}, RowRange{9, 9}}) {
            const auto sum = [&](const Vector& at) {
                function->evaluate(at, scores);
                double total = 0;
                for (std::size_t row = rows.first; row < rows.last; ++row) total += weights[row] * scores[row];
                return total;
            };
            const Vector expected = slopes_of(sum, w);
            Vector out(w.size(), 0.0), twice;
            function->evaluate(w, scores);
            function->add_gradients(rows, weights, out);
            EXPECT_LE(test::largest_difference(out, expected), 1e-7);
            twice = out;
            function->add_gradients(rows, weights, twice);
            for (double& value : out) value *= 2;
            EXPECT_LE(test::largest_difference(twice, out), 1e-12) << "it is added";
        }
    });
}

TEST(ScoreFunction, BucketsAreSeparateSums) {
    for_each_form([](const Options& options, const Sample& sample) {
        const auto function = make_score_function(options, sample);
        Vector scores(sample.size());
        function->evaluate(random_vector(function->parameters(), 7, 0.7), scores);
        Random random(8);
        std::vector<std::uint16_t> bucket(sample.size());
        for (std::uint16_t& b : bucket) b = static_cast<std::uint16_t>(random.below(5));
        const RowRange rows{4, sample.size() - 3};
        for (const Vector& weights : {Vector{}, random_vector(sample.size(), 9)}) {
            Matrix out(6, function->parameters());
            std::ranges::fill(out.values, 0.5);
            function->add_bucket_gradients(rows, bucket, weights, out);
            for (std::size_t b = 0; b < 6; ++b) {
                Vector own(sample.size(), 0.0), sum(function->parameters(), 0.5);
                for (std::size_t row = rows.first; row < rows.last; ++row)
                    if (bucket[row] == b) own[row] = weights.empty() ? 1 : weights[row];
                function->add_gradients(rows, own, sum);
                EXPECT_LE(test::largest_difference({out.row(b), out.cols}, sum), 1e-12) << "bucket " << b;
            }
        }
    });
}

Matrix sum_of_squared_gradients(ScoreFunction& function, const Vector& weights) {
    const std::size_t p = function.parameters();
    Matrix sum(p, p);
    for (std::size_t row = 0; row < weights.size(); ++row) {
        const Vector g = gradient_of_row(function, weights.size(), row);
        for (std::size_t i = 0; i < p; ++i)
            for (std::size_t j = 0; j < p; ++j) sum.at(i, j) += weights[row] * g[i] * g[j];
    }
    return sum;
}

// Some are 0: such rows are skipped.
Vector bends_of_rows(std::size_t n) {
    Vector weights = random_vector(n, 10);
    for (double& weight : weights) weight = std::max(0.0, weight);
    return weights;
}

TEST(ScoreFunction, GramSumsSquaredGradients) {
    for_each_form([](const Options& options, const Sample& sample) {
        const auto function = make_score_function(options, sample);
        Vector scores(sample.size());
        const Vector weights = bends_of_rows(sample.size());
        function->evaluate(random_vector(function->parameters(), 11, 0.7), scores);
        const dc::Curvature found = function->gram(weights);
        ASSERT_EQ(found.blocks.size(), options.form == Form::linear ? 1 : 3 + 2) << "linear part, units, outer weights";
        ASSERT_EQ(found.variables(), function->parameters());
        const Matrix expected = sum_of_squared_gradients(*function, weights);
        std::size_t first = 0;
        for (const Matrix& block : found.blocks) {
            for (std::size_t i = 0; i < block.rows; ++i)
                for (std::size_t j = 0; j < block.cols; ++j)
                    ASSERT_NEAR(block.at(i, j), expected.at(first + i, first + (block.cols == 1 ? i : j)), 1e-11);
            first += block.rows;
        }
    });
}

// A case in which every few rows show how inputs are correlated: 8 inputs, 2,000 rows, each 15th.
TEST(MlpScores, LargeGramIsApproximated) {
    const PointColumns points = random_points(2000, 3, 2, 12);
    for (const Sample& sample : {sample_of(points, 3, 2), sample_of(padded(points, 3), 3 * padding, 2)}) {
        MlpScores mlp(sample, GroupTerms::all, 2);
        Vector scores(sample.size());
        const Vector weights = bends_of_rows(sample.size());
        mlp.evaluate(random_vector(mlp.parameters(), 11, 0.7), scores);
        const Matrix found = whole_of(mlp.gram(weights)), expected = sum_of_squared_gradients(mlp, weights);
        for (std::size_t i = 0; i < found.rows; ++i) {
            ASSERT_NEAR(found.at(i, i), expected.at(i, i), 1e-10);
            for (std::size_t j = 0; j < found.rows; ++j)
                if (found.at(i, j) != 0) {
                    const double size = std::sqrt(expected.at(i, i) * expected.at(j, j));
                    EXPECT_NEAR(found.at(i, j), expected.at(i, j), 0.4 * size);
                    EXPECT_LE(std::abs(found.at(i, j)), size * (1 + 1e-12));
                }
        }
    }
}

TEST(ScoreFunction, BeginsAtZeroScoresWithUnitsApart) {
    for_each_form([](const Options& options, const Sample& sample) {
        const auto function = make_score_function(options, sample);
        const Vector w = initial_parameters(options, sample.dimensions(), sample.groups());
        ASSERT_EQ(w.size(), function->parameters());
        Vector scores(sample.size(), 7.0);
        function->evaluate(w, scores);
        EXPECT_EQ(scores, Vector(sample.size(), 0.0));
        if (options.form == Form::linear) return;
        Options other = options;
        other.seed = 2;
        EXPECT_EQ(w, initial_parameters(options, sample.dimensions(), sample.groups()));
        EXPECT_NE(w, initial_parameters(other, sample.dimensions(), sample.groups()));
    });
}

TEST(ScoreFunction, OfNothing) {
    const Sample empty = sample_of({}, 4, 2);
    for (const Options& options : forms()) {
        const auto function = make_score_function(options, empty);
        const Vector w = random_vector(function->parameters(), 1);
        function->evaluate(w, {});
        Vector out(w.size(), 0.0);
        function->add_gradients({0, 0}, {}, out);
        EXPECT_EQ(out, Vector(w.size(), 0.0));
        const Matrix gram = whole_of(function->gram({}));
        EXPECT_EQ(Vector(w.size() * w.size(), 0.0), gram.values);
    }
}

TEST(MlpScores, WithoutOuterWeightsIsTheLinearScore) {
    const Sample sample = random_sample(50, 3, 2, 3);
    LinearScores linear(sample, GroupTerms::all);
    MlpScores mlp(sample, GroupTerms::all, 4);
    Vector w = random_vector(mlp.parameters(), 2), a(50), b(50);
    std::fill(w.end() - 4, w.end(), 0.0);
    linear.evaluate(std::span(w).first(linear.parameters()), a);
    mlp.evaluate(w, b);
    EXPECT_EQ(a, b);
}

// For |v| <= 1, the range of the estimate.
TEST(MlpScores, IsAsConvexAsItSays) {
    for (const GroupTerms group_terms : {GroupTerms::none, GroupTerms::all}) {
        const Sample sample = random_sample(60, 3, 2, 4);
        MlpScores mlp(sample, group_terms, 2);
        Vector scores(sample.size());
        for (const double sign : {1.0, -1.0}) {
            const auto mean = [&](const Vector& w) {
                mlp.evaluate(w, scores);
                double sum = 0;
                for (const double score : scores) sum += sign * score / static_cast<double>(scores.size());
                return sum + mlp.weak_convexity() / 2 * dot(w, w);
            };
            EXPECT_LE(above_chords(mean, Vector(mlp.parameters(), 0.0), 5, 0.5), 1e-12);
        }
    }
}

TEST(ScoreFunction, DoesNotDependOnThreads) {
    const PointColumns points = random_points(20'000, 3, 2, 5);
    for (const Sample& sample : {sample_of(points, 3, 2), sample_of(padded(points, 3), 3 * padding, 2)})
        for (const Options& options : forms()) {
            const auto function = make_score_function(options, sample);
            const Vector w = random_vector(function->parameters(), 3), weights(sample.size(), 0.1);
            fairstream::test::expect_same_at_any_thread_count([&] {
                Vector scores(sample.size()), out(w.size(), 0.0);
                function->evaluate(w, scores);
                function->add_gradients({0, sample.size()}, weights, out);
                const Matrix gram = whole_of(function->gram(weights));
                out.insert(out.end(), scores.begin(), scores.end());
                out.insert(out.end(), gram.values.begin(), gram.values.end());
                return out;
            });
        }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
