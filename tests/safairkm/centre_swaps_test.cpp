/// Swaps of centres: clusters that start in wrong places find the right ones, with and without demands.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <fairstream/fair_kmeans/detail/centre_swaps.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "from_scratch.hpp"
#include "support/streams.hpp"

namespace fairstream::safairkm {
namespace {

constexpr std::size_t blobs = 6, per_blob = 50;

// Six far-off blobs on a line, alike in their groups: each has one point of group y for every two of x.
PointColumns far_blobs(bool has_weights = false) {
    Random random(11);
    PointColumns points;
    for (std::size_t i = 0; i < blobs * per_blob; ++i) {
        points.ids.push_back(i);
        points.features.push_back(static_cast<float>(20 * (i % blobs)) + test::normal(random));
        points.features.push_back(test::normal(random));
        points.groups.push_back(i / blobs % 3 == 0 ? 1 : 0);
        if (has_weights) points.weights.push_back(i % 7 == 0 ? 3 : 1);
    }
    return points;
}

StreamFormat two_groups(bool has_weights = false) {
    return {.dimensions = 2, .attributes = {{"group", {"x", "y"}}}, .has_weights = has_weights};
}

// Centres that leave out the last blobs: all of them near the first.
std::vector<float> crowded_centres() {
    std::vector<float> centres;
    for (std::size_t l = 0; l < blobs; ++l) {
        centres.push_back(static_cast<float>(l) / 10);
        centres.push_back(0);
    }
    return centres;
}

// A centre in each blob.
std::vector<float> spread_centres() {
    std::vector<float> centres;
    for (std::size_t l = 0; l < blobs; ++l) {
        centres.push_back(static_cast<float>(20 * l));
        centres.push_back(0);
    }
    return centres;
}

Demands demands_for_balance(double ratio) {
    Demands demands;
    demands.of_groups.push_back({.attribute = 0, .ratio = ratio});
    return demands;
}

struct Search {
    Search(const Window& window, const std::vector<float>& centres, const Demands& demands)
        : swaps(window, centres, attributes, demands, memory, {}) {}

    double run(double evaluations) {
        Budget budget(evaluations);
        swaps.follow(3, budget);
        before = swaps.cost();
        swaps.search(budget, random);
        left = budget.left();
        return swaps.cost();
    }

    static inline const std::vector<std::uint32_t> attributes{0};
    FairAssignment memory;
    CentreSwaps swaps;
    Random random{5};
    double before = 0, left = 0;
};

constexpr double plenty = 1e7;

TEST(CentreSwaps, FindEveryBlob) {
    const Window window = window_of(two_groups(), far_blobs());
    const Demands none;
    Search search(window, crowded_centres(), none);
    // A blob's points have squared distances of 2 to their mean, on average.
    EXPECT_LT(search.run(plenty), 2.5);
    EXPECT_GT(search.before, 100);
}

TEST(CentreSwaps, FindEveryBlobUnderDemands) {
    const Window window = window_of(two_groups(), far_blobs());
    const Demands demands = demands_for_balance(0.45);
    Search search(window, crowded_centres(), demands);
    EXPECT_LT(search.run(plenty), 2.5);
}

TEST(CentreSwaps, CountWeights) {
    const Window window = window_of(two_groups(true), far_blobs(true));
    const Demands none;
    Search search(window, crowded_centres(), none);
    EXPECT_LT(search.run(plenty), 2.5);
}

TEST(CentreSwaps, CostIsThatOfTheCentres) {
    const Window window = window_of(two_groups(), far_blobs());
    const Demands none;
    Search search(window, crowded_centres(), none);
    const double cost = search.run(plenty);
    FairLloyd again(window, search.swaps.centres(), Search::attributes);
    again.round(none);
    EXPECT_NEAR(again.cost(none), cost, 1e-3 * cost) << "centres are the means of their members";
}

TEST(CentreSwaps, NeverRaiseTheCost) {
    const StreamFormat format = test::two_attributes();
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Window window = window_of(format, test::mixture(format, 200, seed));
        const std::vector<float> centres(window.features(0), window.features(0) + 4 * window.dimensions());
        const Demands demands = seed % 2 == 0 ? demands_for_balance(0.3) : Demands{};
        Search search(window, centres, demands);
        EXPECT_LE(search.run(plenty), search.before) << seed;
    }
}

TEST(CentreSwaps, TakeOtherCentresOnlyIfTheyBecomeCheaper) {
    const Window window = window_of(two_groups(), far_blobs());
    for (const Demands& demands : {Demands{}, demands_for_balance(0.45)}) {
        Search search(window, crowded_centres(), demands);
        Budget budget(plenty);
        search.swaps.follow(3, budget);
        EXPECT_GT(search.swaps.cost(), 100);
        search.swaps.try_others(spread_centres(), budget);
        const double cost = search.swaps.cost();
        EXPECT_LT(cost, 2.5);
        const std::vector<float> kept(search.swaps.centres().begin(), search.swaps.centres().end());
        const double left = budget.left();
        search.swaps.try_others(crowded_centres(), budget);
        EXPECT_EQ(search.swaps.cost(), cost);
        EXPECT_TRUE(std::ranges::equal(search.swaps.centres(), kept));
        EXPECT_LT(budget.left(), left) << "a trial costs evaluations";
        Budget none(0);
        search.swaps.try_others(crowded_centres(), none);
        EXPECT_EQ(none.left(), 0);
    }
}

TEST(CentreSwaps, SpendLittleMoreThanTheBudget) {
    const Window window = window_of(two_groups(), far_blobs());
    const Demands none;
    const double pass = static_cast<double>(window.size() * blobs);
    Search search(window, crowded_centres(), none);
    (void)search.run(12 * pass);
    // A trial that has begun is finished: at most three of fifty rounds.
    EXPECT_GT(search.left, -150 * pass);
    Search poor(window, crowded_centres(), none);
    (void)poor.run(3 * pass);
    EXPECT_EQ(poor.left, 0) << "the first rounds take it all";
    EXPECT_EQ(poor.swaps.cost(), poor.before);
}

TEST(CentreSwaps, EndWithPointsThatAreAllEqual) {
    PointColumns points = far_blobs();
    std::ranges::fill(points.features, 1.0F);
    const Window window = window_of(two_groups(), points);
    const Demands none;
    Search search(window, crowded_centres(), none);
    EXPECT_EQ(search.run(plenty), 0);
}

TEST(CentreSwaps, LeaveAsManyClustersAsPointsAlone) {
    PointColumns points = far_blobs();
    points.ids.resize(blobs);
    points.features.resize(2 * blobs);
    points.groups.resize(blobs);
    const Window window = window_of(two_groups(), points);
    const Demands none;
    Search search(window, crowded_centres(), none);
    EXPECT_EQ(search.run(plenty), search.before);
}

}  // namespace
}  // namespace fairstream::safairkm
