/// Unattainable targets: as much as possible is kept, at no higher price than for that.

#include <gtest/gtest.h>

#include <algorithm>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {
namespace {

// Two separate groups, the second with `minority` of the points; the points of a group are consecutive.
PointColumns apart(std::size_t n, std::size_t minority) {
    PointColumns points;
    Random random(5, 11);
    for (std::size_t i = 0; i < n; ++i) {
        const auto group = static_cast<GroupId>(i < minority);
        points.ids.push_back(i + 1);
        points.groups.push_back(group);
        for (int j = 0; j < 2; ++j)
            points.features.push_back(static_cast<float>(group) + static_cast<float>(random.unit()));
    }
    return points;
}

struct Refined {
    Outcome outcome = Outcome::warming;
    double cost = 0;
    FairnessTally tally;
};

Refined refined(const PointColumns& points, const safairkm::Options& options) {
    Engine engine({{2, {{"group", {"x", "y"}}}, false}, {static_cast<Slot>(points.ids.size())}, {{"m", options, {}}}},
                  1);
    engine.ingest(points.view());
    const ModelUpdate& update = engine.ingest(Refinement{"m", 0}).models[0];
    return {update.solve.outcome, update.cost, update.tally()};
}

std::int64_t smallest_size(const FairnessTally& tally) {
    std::int64_t least = tally.size(0);
    for (ClusterId l = 1; l < tally.clusters(); ++l) least = std::min(least, tally.size(l));
    return least;
}

TEST(UnattainableTargets, TooLargeMinimumEqualisesSizes) {
    const Refined found = refined(apart(1000, 300), {.clusters = 5, .targets = {.size_at_least = 300}});
    EXPECT_EQ(found.outcome, Outcome::unattainable);
    EXPECT_EQ(smallest_size(found.tally), 200);
}

TEST(UnattainableTargets, TooSmallGroupCostsNothing) {
    const PointColumns points = apart(6, 1);
    const Refined plain = refined(points, {.clusters = 2, .targets = {.parity_at_least = 0}});
    for (const double balance : {0.15, 0.5}) {
        const Refined found = refined(points, {.clusters = 2, .targets = {.balance_at_least = balance}});
        EXPECT_EQ(found.outcome, Outcome::unattainable) << balance;
        EXPECT_NEAR(found.cost, plain.cost, 1e-12) << balance;  // sums in another order
    }
}

TEST(UnattainableTargets, ABalanceAboveTheBestOneReachesIt) {
    const Refined found = refined(apart(600, 150), {.clusters = 4, .targets = {.balance_at_least = 0.9}});
    EXPECT_EQ(found.outcome, Outcome::unattainable);
    EXPECT_GE(minimum_balance(found.tally, 0), 0.98 / 3);
}

// A window with more points than refinements begin from, in which a lower target is kept: the fit does not return to it
// for its cost.
TEST(UnattainableTargets, HigherTargetComesNearer) {
    constexpr std::size_t n = 18'000;
    const PointColumns points = apart(n, n / 4);
    safairkm::Options options{.clusters = 4, .targets = {.balance_at_least = 0.2}};
    options.starts = 1;
    Engine engine({{2, {{"group", {"x", "y"}}}, false}, {n}, {{"m", options, {}}}}, 1);
    engine.ingest(points.view());
    engine.ingest(Refinement{"m", 0});
    engine.ingest(KnobChange{"m", "balance_at_least", "0.9"});
    const ModelUpdate& update = engine.ingest(Refinement{"m", 0}).models[0];
    EXPECT_EQ(update.solve.outcome, Outcome::unattainable);
    EXPECT_GE(minimum_balance(update.tally(), 0), 0.99 / 3);
}

TEST(UnattainableTargets, TooLargeShareIsApproached) {
    const Refined found = refined(apart(600, 150), {.clusters = 4, .targets = {.share_at_least = {0, 0.6}}});
    EXPECT_EQ(found.outcome, Outcome::unattainable);
    for (ClusterId l = 0; l < found.tally.clusters(); ++l)
        EXPECT_NEAR(static_cast<double>(found.tally.counts(l, 0)[1]), 0.25 * static_cast<double>(found.tally.size(l)),
                    1)
            << l;
}

}  // namespace
}  // namespace fairstream
