/// Assignments to clusters of given sizes: they have these sizes, and no cheaper one does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <fairstream/fair_assignment/detail/transport.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {
namespace {

using Sizes = std::vector<std::int64_t>;

// Points with distances to k clusters, labelled by the least of distance and price.
struct Points {
    Points(std::size_t points, std::size_t clusters, double grid, std::uint64_t seed) : n(points), k(clusters) {
        Random random(seed, 0);
        prices.assign(k, 0.0F);
        for (float& price : prices) price = static_cast<float>(random.below(64)) / 64;
        for (std::size_t j = 0; j < n * k; ++j)
            distances.push_back(static_cast<float>(std::floor(random.below(1U << 20) / grid) * grid) / (1U << 20));
        for (std::size_t i = 0; i < n; ++i) {
            ClusterId best = 0;
            for (std::size_t l = 1; l < k; ++l)
                if (priced(i, l) < priced(i, static_cast<std::size_t>(best))) best = static_cast<ClusterId>(l);
            labels.push_back(best);
        }
    }
    [[nodiscard]] float distance(std::size_t i, std::size_t l) const { return distances[l * n + i]; }
    [[nodiscard]] float priced(std::size_t i, std::size_t l) const { return distance(i, l) + prices[l]; }
    [[nodiscard]] Sizes sizes() const {
        Sizes all(k);
        for (const ClusterId label : labels) ++all[static_cast<std::size_t>(label)];
        return all;
    }
    [[nodiscard]] double cost() const {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += distance(i, static_cast<std::size_t>(labels[i]));
        return sum;
    }
    // Returns the least cost of a cyclic move of points between clusters, which keeps the sizes; negative only if a
    // cheaper assignment with these sizes exists (Klein 1967).
    [[nodiscard]] double cheapest_cycle() const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        std::vector<double> way(k * k, infinity);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t h = 0; h < k; ++h) {
                const auto l = static_cast<std::size_t>(labels[i]);
                if (h != l) way[l * k + h] = std::min(way[l * k + h], double{distance(i, h)} - distance(i, l));
            }
        for (std::size_t via = 0; via < k; ++via)
            for (std::size_t l = 0; l < k; ++l)
                for (std::size_t h = 0; h < k; ++h)
                    way[l * k + h] = std::min(way[l * k + h], way[l * k + via] + way[via * k + h]);
        double least = 0;
        for (std::size_t l = 0; l < k; ++l) least = std::min(least, way[l * k + l]);
        return least;
    }
    void move(const Sizes& wanted) { transport(distances, n, prices, wanted, labels); }

    std::size_t n, k;
    std::vector<float> distances, prices;
    std::vector<ClusterId> labels;
};

// Sizes that sum to n, as unequal as random numbers.
Sizes some_sizes(std::size_t n, std::size_t k, std::uint64_t seed) {
    Random random(seed, 1);
    Sizes sizes(k);
    for (std::size_t i = 0; i < n; ++i) ++sizes[random.below(1 + random.below(static_cast<std::uint32_t>(k)))];
    return sizes;
}

class Transport : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Transport, testing::Range<std::uint64_t>(1, 9));

TEST_P(Transport, NoOtherAssignmentWithTheseSizesIsCheaper) {
    // Most clusters have more points than are kept as candidates of an edge.
    for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{60, 3}, {300, 24}, {3000, 5}}) {
        Points points(n, k, 1, GetParam());
        const Sizes wanted = some_sizes(n, k, GetParam());
        points.move(wanted);
        EXPECT_EQ(points.sizes(), wanted) << n << " points, " << k << " clusters";
        EXPECT_GE(points.cheapest_cycle(), -1e-6) << n << " points, " << k << " clusters";
    }
}

TEST_P(Transport, PointsThatCostTheSameAreMovedToo) {
    Points points(400, 6, 1U << 18, GetParam());
    const Sizes wanted = some_sizes(400, 6, GetParam());
    points.move(wanted);
    EXPECT_EQ(points.sizes(), wanted);
    EXPECT_GE(points.cheapest_cycle(), -1e-6);
}

TEST_P(Transport, MatchesEnumeration) {
    constexpr std::size_t n = 8, k = 3;
    Points points(n, k, 1, GetParam());
    Points others = points;
    const Sizes wanted = some_sizes(n, k, GetParam());
    points.move(wanted);
    ASSERT_EQ(points.sizes(), wanted);
    others.labels.clear();
    for (std::size_t l = 0; l < k; ++l)
        others.labels.insert(others.labels.end(), static_cast<std::size_t>(wanted[l]), static_cast<ClusterId>(l));
    double least = std::numeric_limits<double>::infinity();
    do least = std::min(least, others.cost());
    while (std::ranges::next_permutation(others.labels).found);
    EXPECT_NEAR(points.cost(), least, 1e-6);
}

TEST(Transport, LeavesLabelsWhoseSizesAreTheWantedOnes) {
    Points points(50, 4, 1, 1);
    const std::vector<ClusterId> before = points.labels;
    points.move(points.sizes());
    EXPECT_EQ(points.labels, before);
}

TEST(Transport, EmptiesAndFillsClusters) {
    Points points(500, 4, 1, 2);
    points.move({0, 500, 0, 0});
    EXPECT_EQ(points.sizes(), (Sizes{0, 500, 0, 0}));
}

TEST(Transport, TakesNoPointsAndOneCluster) {
    Points none(0, 3, 1, 1);
    none.move({0, 0, 0});
    Points one(10, 1, 1, 1);
    one.move({10});
    EXPECT_EQ(one.sizes(), Sizes{10});
}

}  // namespace
}  // namespace fairstream::safairkm
