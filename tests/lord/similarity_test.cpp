/// The similarities of weighted points, against those of repeated points written out.

#include <gtest/gtest.h>

#include <fairstream/models/lord/detail/setting.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "graphs.hpp"
#include "support/threads.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

// Weights of edges are floats, also in products: an entry of S is off by 2^-24 relative; the sums of K are those of the
// floats.
constexpr double edge_error = 1e-7;

constexpr CloudKind kinds[] = {CloudKind::clusters, CloudKind::far_clusters, CloudKind::few_places, CloudKind::line};

TEST(Similarity, WithoutWeightsIsTheGraphOverItsSum) {
    for (const CloudKind kind : kinds) {
        const CloudGraph graph(cloud_of(kind, 90, 3));
        const Similarity similarity(graph.affinity(), {});
        const Matrix s = written_out(graph.affinity()), v = random_matrix(90, 4, 1), product = plain_product(s, v);
        Matrix gradient;
        similarity.gradient(v, gradient);
        EXPECT_LE(largest_difference(gradient, product), edge_error * largest(product));
        double square = 0;
        for (const double value : s.values) square += value * value;
        EXPECT_NEAR(similarity.squared_norm(), square, edge_error * square);
        double sum = 0;
        for (const double value : s.values) sum += value;
        EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST(Similarity, UnweightedSpectrumMatchesGraph) {
    for (const CloudKind kind : kinds) {
        const CloudGraph graph(cloud_of(kind, 90, 4));
        Similarity similarity(graph.affinity(), {});
        const Spectrum all = symmetric_spectrum(written_out(graph.affinity()));
        const Spread spread = spread_of(similarity, 1);
        EXPECT_NEAR(spread.largest, all.values.front(), 1e-6 * all.values.front());
        EXPECT_NEAR(spread.smallest, all.values.back(), 1e-6 * all.values.front());
    }
}

TEST(Similarity, LargeSpectrumMeetsTolerance) {
    for (const CloudKind kind : {CloudKind::clusters, CloudKind::line}) {
        const CloudGraph graph(cloud_of(kind, 900, 4));
        Similarity similarity(graph.affinity(), {});
        const Spectrum all = symmetric_spectrum(written_out(graph.affinity()));
        const Spread spread = spread_of(similarity, 1);
        const double width = all.values.front() - all.values.back();
        EXPECT_NEAR(spread.largest, all.values.front(), 2e-4 * width);
        EXPECT_NEAR(spread.smallest, all.values.back(), 2e-4 * width);
        EXPECT_EQ(spread.width(), spread.largest - spread.smallest);
    }
}

// B-LoRD's step length follows ||S + gamma I||: underestimating an end of the spectrum makes steps too long by the same
// factor.
TEST(Similarity, WithWeightsIsThatOfRepeatedPoints) {
    for (const CloudKind kind : kinds)
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const WeightedCloud pair(cloud_of(kind, 60, seed), seed);
            const CloudGraph one(pair.points, pair.weights), many(pair.repeated);
            Similarity similarity(one.affinity(), one.weights);
            const Matrix s = written_out(many.affinity()), v = random_matrix(60, 3, seed);
            Matrix gradient;
            similarity.gradient(v, gradient);
            const Matrix product = plain_product(s, pair.repeat(v));
            EXPECT_LE(largest_difference(pair.repeat(gradient), product), edge_error * largest(product));
            const Spectrum all = symmetric_spectrum(s);
            const Spread spread = spread_of(similarity, 1);
            EXPECT_NEAR(spread.largest, all.values.front(), 1e-6 * all.values.front());
            EXPECT_NEAR(spread.smallest, all.values.back(), 1e-6 * all.values.front());
        }
}

TEST(Similarity, WeightedNormMatchesRepetition) {
    for (const CloudKind kind : kinds) {
        const WeightedCloud pair(cloud_of(kind, 60, 5), 5);
        const CloudGraph one(pair.points, pair.weights), many(pair.repeated);
        const Similarity similarity(one.affinity(), one.weights);
        double square = 0;
        for (const double value : written_out(many.affinity()).values) square += value * value;
        EXPECT_NEAR(similarity.squared_norm(), square, 1e-6 * square);
    }
}

TEST(Similarity, OfPointsAlikeToNoneIsZero) {
    const GivenAffinity none(Matrix(5, 5));
    Similarity similarity(none, {});
    EXPECT_EQ(similarity.scale(), 0);
    EXPECT_EQ(similarity.squared_norm(), 0);
    const Spread spread = spread_of(similarity, 1);
    EXPECT_EQ(spread.width(), 0);
    Matrix out;
    similarity.gradient(random_matrix(5, 2, 1), out);
    EXPECT_EQ(largest(out), 0);
    Options options;
    options.clusters = 2;
    EXPECT_TRUE(std::isfinite(chosen_tau(options, similarity, 5, 1)));
}

// b by the whole spectrum of the Laplacian.
double exact_tau2(const Matrix& s, std::size_t k) {
    const std::size_t n = s.rows;
    Matrix laplacian(n, n);
    double trace = 0, bottom = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            laplacian.at(i, j) -= s.at(i, j);
            laplacian.at(i, i) += s.at(i, j);
        }
    for (std::size_t i = 0; i < n; ++i) trace += laplacian.at(i, i);
    const Spectrum all = symmetric_spectrum(laplacian);
    for (std::size_t j = 0; j < std::min(k, n); ++j) bottom += all.values[n - 1 - j];
    return std::min(0.34 * std::exp(50 * bottom / trace - 0.03 * std::log(static_cast<double>(n))), 1.0);
}

TEST(Tau, IsThePapersByTheNumberOfPoints) {
    const CloudGraph graph(cloud_of(CloudKind::clusters, 50, 1));
    const Similarity similarity(graph.affinity(), {});
    Options options;
    options.tau = tau1;
    EXPECT_DOUBLE_EQ(chosen_tau(options, similarity, 50, 1), 2 * std::pow(50, -0.24));
    EXPECT_DOUBLE_EQ(chosen_tau(options, similarity, 4, 1), 1) << "and not above 1";
    options.tau = 0.123;
    EXPECT_EQ(chosen_tau(options, similarity, 50, 1), 0.123);
}

// b is known to a thousandth, and enters the exponent 50 times.
TEST(Tau, MatchesPaperFormula) {
    for (const CloudKind kind : kinds)
        for (const std::size_t n : {40U, 150U, 700U})
            for (const int k : {1, 4, 12}) {
                const CloudGraph graph(cloud_of(kind, n, 2));
                const Similarity similarity(graph.affinity(), {});
                Options options;
                options.clusters = k;
                options.tau = tau2;
                const double exact = exact_tau2(written_out(graph.affinity()), static_cast<std::size_t>(k));
                EXPECT_NEAR(chosen_tau(options, similarity, static_cast<double>(n), 1), exact, 0.02 * exact)
                    << n << " points, k " << k;
            }
}

// The exact one, by the whole spectrum of S without the level direction.
double exact_parting_tau(const Matrix& written, std::size_t k) {
    const std::size_t n = written.rows;
    double sum = 0;
    for (const double value : written.values) sum += value;
    Matrix s = written, apart(n, n);
    for (double& value : s.values) value /= sum;
    std::vector<double> rows(n);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) rows[i] += s.at(i, j) / static_cast<double>(n);
    for (const double row : rows) mean += row / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) apart.at(i, j) = s.at(i, j) - rows[i] - rows[j] + mean;
    const Spectrum all = symmetric_spectrum(s), left = symmetric_spectrum(apart);
    return std::clamp((all.values[0] - left.values[k - 2]) / (all.values[0] - all.values[n - 1]), 0.0, 1.0);
}

TEST(Tau, StartsAtRisingObjective) {
    for (const CloudKind kind : kinds)
        for (const std::size_t n : {40U, 150U, 700U})
            for (const std::size_t k : {2U, 4U, 12U}) {
                const CloudGraph graph(cloud_of(kind, n, 2));
                Similarity similarity(graph.affinity(), {});
                const double found = parting_tau(similarity, spread_of(similarity, 1), k, 1);
                EXPECT_NEAR(found, exact_parting_tau(written_out(graph.affinity()), k), 0.011)
                    << n << " points, k " << k;
            }
    const CloudGraph graph(cloud_of(CloudKind::clusters, 12, 2));
    Similarity similarity(graph.affinity(), {});
    EXPECT_EQ(parting_tau(similarity, spread_of(similarity, 1), 1, 1), 0);
    EXPECT_EQ(parting_tau(similarity, spread_of(similarity, 1), 12, 1), 0);
}

// A node joined to all others widens the spectrum: the paper's rule leaves probabilities equal.
TEST(Tau, HubGraphParts) {
    constexpr std::size_t n = 120, k = 4;
    Matrix dense(n, n);
    Random random(5);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            dense.at(i, j) = dense.at(j, i) = j == 0 ? 2 : i % k == j % k && random.unit() < 0.3 ? 1 : 0;
    const GivenAffinity graph(dense);
    Options options;
    options.clusters = k;
    const Setting setting(options, graph, {}, {}, 0);
    EXPECT_LT(exact_tau2(dense, k), exact_parting_tau(dense, k));
    EXPECT_NEAR(setting.problem.tau, exact_parting_tau(dense, k), 0.011);
}

TEST(Tau, WeightTwoMatchesRepetition) {
    const Cloud cloud = cloud_of(CloudKind::clusters, 80, 2);
    Cloud twice = cloud;
    twice.rows.insert(twice.rows.end(), cloud.rows.begin(), cloud.rows.end());
    const CloudGraph one(cloud, std::vector<double>(80, 2)), many(twice);
    const Similarity similarity(one.affinity(), one.weights);
    Options options;
    options.clusters = 4;
    const double exact = exact_tau2(written_out(many.affinity()), 4);
    EXPECT_NEAR(chosen_tau(options, similarity, 160, 1), exact, 0.01 * exact);
}

TEST(Similarity, GivesTheSameBitsAtAnyThreadCount) {
    const WeightedCloud pair(cloud_of(CloudKind::clusters, 1500, 1), 1);
    const CloudGraph graph(pair.points, pair.weights);
    Options options;
    expect_same_at_any_thread_count([&] {
        Similarity similarity(graph.affinity(), graph.weights);
        Matrix out;
        similarity.gradient(random_matrix(1500, 3, 1), out);
        const Spread spread = spread_of(similarity, 1);
        return std::tuple(out, spread.largest, spread.smallest, similarity.squared_norm(),
                          chosen_tau(options, similarity, 3000, 1));
    });
}

}  // namespace
}  // namespace fairstream::lord
