/// Plain k-means: the properties of its fixed points, and the guarantees of its seeds.

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include <fairstream/numeric/detail/kmeans.hpp>

#include "support/streams.hpp"
#include "support/threads.hpp"

namespace fairstream::test {
namespace {

std::vector<float> blobs(std::size_t n, std::uint64_t seed, std::uint32_t d = 3, std::size_t components = 6) {
    return mixture({d, {}, false}, n, seed, 0, components).features;
}

double squared_distance(const float* a, const float* b, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += std::pow(double{a[j]} - double{b[j]}, 2);
    return sum;
}

double cost_of(std::span<const float> rows, std::span<const float> centres, std::size_t d) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); i += d) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t l = 0; l < centres.size(); l += d)
            least = std::min(least, squared_distance(&rows[i], &centres[l], d));
        sum += least;
    }
    return sum;
}

std::vector<float> rows_of(std::span<const float> rows, std::span<const Slot> which, std::size_t d) {
    std::vector<float> out;
    for (const Slot slot : which) out.insert(out.end(), &rows[slot * d], &rows[slot * d] + d);
    return out;
}

// Labels are nearest centres, centres the means of their rows, the cost the sum of squares: to float's accuracy of
// centres and distances.
void expect_fixed_point(const KMeans& result, std::span<const float> rows, std::size_t d, std::size_t k) {
    const std::size_t n = rows.size() / d;
    ASSERT_EQ(result.labels.size(), n);
    ASSERT_EQ(result.centres.size(), k * d);
    std::vector<double> sums(k * d);
    std::vector<int> sizes(k);
    double scale = 0;
    for (const float x : rows) scale = std::max(scale, static_cast<double>(std::abs(x)));
    for (std::size_t i = 0; i < n; ++i) {
        const auto own = static_cast<std::size_t>(result.labels[i]);
        ASSERT_LT(own, k);
        ++sizes[own];
        for (std::size_t j = 0; j < d; ++j) sums[own * d + j] += double{rows[i * d + j]};
        for (std::size_t l = 0; l < k; ++l)
            ASSERT_LE(squared_distance(&rows[i * d], &result.centres[own * d], d),
                      squared_distance(&rows[i * d], &result.centres[l * d], d) + 1e-6 * scale * scale);
    }
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; sizes[l] > 0 && j < d; ++j)
            ASSERT_NEAR(result.centres[l * d + j], sums[l * d + j] / sizes[l], 1e-6 * scale)
                << "centre " << l << " of " << sizes[l] << " rows";
    ASSERT_NEAR(result.cost, cost_of(rows, result.centres, d), 1e-5 * (1e-6 * scale * scale + result.cost));
}

TEST(KMeans, IsFixedPoint) {
    for (const std::size_t n : {5, 40, 700, 1'300})
        for (const std::size_t k : {1, 2, 5}) {
            const std::vector<float> rows = blobs(n, n + k);
            Random random(n);
            expect_fixed_point(kmeans(rows.data(), n, 3, k, 3, random), rows, 3, k);
        }
}

TEST(KMeans, CostsNoMoreThanItsSeeds) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::vector<float> rows = blobs(300, seed);
        Random random(seed), same(seed);
        const std::vector<float> seeds = rows_of(rows, plus_plus_seeds(rows.data(), 300, 3, 8, random), 3);
        const KMeans run = lloyd(rows.data(), 300, 3, 8, seeds);
        expect_fixed_point(run, rows, 3, 8);
        EXPECT_LE(run.cost, cost_of(rows, seeds, 3) * (1 + 1e-6));
        const KMeans best = kmeans(rows.data(), 300, 3, 8, 5, same);
        EXPECT_LE(best.cost, run.cost) << "the first of the starts is this one";
    }
}

TEST(KMeans, SeedsAreDifferentRowsWhereThereAreEnough) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::vector<float> rows = blobs(30, seed);
        Random random(seed);
        const std::vector<Slot> seeds = plus_plus_seeds(rows.data(), 30, 3, 30, random);
        EXPECT_EQ(std::set<Slot>(seeds.begin(), seeds.end()).size(), 30U);
    }
}

TEST(KMeans, SeedsEveryDistantBlob) {
    std::vector<float> rows;
    Random noise(1);
    for (int i = 0; i < 200; ++i) rows.push_back(static_cast<float>(1e4 * (i % 5)) + normal(noise));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        std::set<long> blobs_seen;
        for (const Slot slot : plus_plus_seeds(rows.data(), 200, 1, 5, random)) blobs_seen.insert(slot % 5);
        EXPECT_EQ(blobs_seen.size(), 5U);
    }
}

TEST(KMeans, EveryRowMayBeCentre) {
    const std::vector<float> rows = blobs(17, 3);
    Random random(1);
    const KMeans result = kmeans(rows.data(), 17, 3, 17, 1, random);
    EXPECT_EQ(std::set<ClusterId>(result.labels.begin(), result.labels.end()).size(), 17U);
    EXPECT_EQ(result.cost, 0);
}

TEST(KMeans, EmptyCentreTakesFarthestRow) {
    // One centre takes both rows, the other is too far away for any.
    const std::vector<float> two{0, 10};
    const KMeans pair = lloyd(two.data(), 2, 1, 2, {5, 1'000});
    expect_fixed_point(pair, two, 1, 2);
    EXPECT_EQ(pair.cost, 0);

    const std::vector<float> rows = blobs(200, 4);
    for (const std::size_t k : {2, 5, 40}) {
        std::vector<float> centres(k * 3, 1e6F);
        const KMeans result = lloyd(rows.data(), 200, 3, k, centres);
        expect_fixed_point(result, rows, 3, k);
        EXPECT_EQ(std::set<ClusterId>(result.labels.begin(), result.labels.end()).size(), k);
    }
}

TEST(KMeans, IdenticalRowsLeaveCentresEmptyAndCostNothing) {
    const std::vector<float> rows(3 * 50, 0.1F);
    for (const std::size_t k : {1, 4, 50}) {
        Random random(k);
        const KMeans result = kmeans(rows.data(), 50, 3, k, 2, random);
        EXPECT_EQ(result.cost, 0);
        EXPECT_EQ(std::ranges::count(result.labels, 0), 50) << "ties go to the lower index";
    }
}

TEST(KMeans, FewerDifferentRowsThanCentres) {
    std::vector<float> rows;
    for (int i = 0; i < 60; ++i) rows.push_back(static_cast<float>(i % 3));
    Random random(1);
    const KMeans result = kmeans(rows.data(), 60, 1, 7, 2, random);
    EXPECT_EQ(result.cost, 0);
    expect_fixed_point(result, rows, 1, 7);
}

TEST(KMeans, DoesNotDependOnThreads) {
    const std::vector<float> rows = blobs(2'000, 9);
    expect_same_at_any_thread_count([&] {
        Random random(1);
        const KMeans result = kmeans(rows.data(), 2'000, 3, 6, 2, random);
        return std::make_tuple(result.centres, result.labels, result.cost);
    });
}

}  // namespace
}  // namespace fairstream::test
