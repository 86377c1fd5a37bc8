/// How a live clustering keeps its target: prices that follow the room within demands, and the price of a changed
/// label.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <fairstream/engine.hpp>
#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "support/model_bench.hpp"
#include "support/streams.hpp"

namespace fairstream {
namespace {

using safairkm::Clustering;
using test::batches;
using test::mixture;
using test::two_attributes;
using Bench = test::ModelBench<safairkm::Model>;

safairkm::Options balanced(double balance) {
    safairkm::Options options;
    options.clusters = 4;
    options.effort = 0;
    options.targets.balance_at_least = balance;
    options.targets.rare_below = 0;
    return options;
}

// Sets the price of every group of the first demand, in every cluster.
void set_prices(Bench& bench, double price) {
    const auto groups = static_cast<std::size_t>(bench.state.tally.groups(0));
    bench.state.prices = {std::vector<double>(4 * groups, price), std::vector<double>(4)};
}

TEST(SteeredPrices, FallWhereThereIsRoom) {
    Bench bench(balanced(0.01));
    bench.ingest(mixture(two_attributes(), 400, 5).view());
    for (const double price : {-2.0, 2.0}) {
        set_prices(bench, price);
        Clustering(bench.options, bench.state, bench.workspace, bench.window).steer(40);
        for (const double after : bench.state.prices[0]) {
            EXPECT_GT(after * price, 0) << "a price keeps its sign";
            EXPECT_LT(std::abs(after), 2);
        }
    }
}

TEST(SteeredPrices, RiseForTheGroupThatIsShort) {
    Bench bench(balanced(0));
    bench.options.targets.parity_at_least = 0;
    bench.ingest(mixture(two_attributes(), 400, 5).view());
    bench.options.targets.balance_at_least = 0.9;  // which no cluster meets yet
    set_prices(bench, -2);
    Clustering(bench.options, bench.state, bench.workspace, bench.window).steer(40);
    const auto groups = static_cast<std::size_t>(bench.state.tally.groups(0));
    for (ClusterId l = 0; l < 4; ++l) {
        const std::span<const std::int64_t> counts = bench.state.tally.counts(l, 0);
        const auto scarce = static_cast<std::size_t>(std::ranges::min_element(counts) - counts.begin());
        const auto abundant = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
        const double* const of_cluster = &bench.state.prices[0][static_cast<std::size_t>(l) * groups];
        EXPECT_LT(of_cluster[scarce], -2);
        EXPECT_GT(of_cluster[abundant], -2);
    }
}

TEST(SteeredPrices, OfNothingStayNothing) {
    Bench bench(balanced(0.5));
    bench.ingest(mixture(two_attributes(), 400, 5).view());
    set_prices(bench, 0);
    const auto before = bench.state.prices;
    Clustering(bench.options, bench.state, bench.workspace, bench.window).steer(40);
    EXPECT_EQ(bench.state.prices, before);
    bench.state.prices.clear();
    Clustering(bench.options, bench.state, bench.workspace, bench.window).steer(40);
    EXPECT_TRUE(bench.state.prices.empty());
}

// Returns how many retained points change their cluster along a stream.
std::int64_t changed_labels(safairkm::Options options) {
    Engine engine({.format = two_attributes(), .window = {.capacity = 600}, .models = {{"m", options, {}}}});
    std::int64_t changed = 0;
    for (const PointColumns& batch : batches(two_attributes(), 40, 60, 5, 0.05F)) {
        const ModelUpdate& update = engine.ingest(batch.view()).models[0];
        EXPECT_EQ(update.solve.outcome, Outcome::converged);
        EXPECT_GE(minimum_balance(update.tally(), 0), options.targets.balance_at_least.of(0));
        for (const ClusterId before : update.labels().before) changed += before == no_cluster ? 0 : 1;
    }
    return changed;
}

TEST(ChangePrice, StopsChangesThatTheTargetDoesNotNeed) {
    safairkm::Options options = balanced(0.01);  // met by any clusters of this stream
    options.change_price = 0;
    EXPECT_GT(changed_labels(options), 0) << "this stream shows nothing";
    options.change_price = 10;
    EXPECT_EQ(changed_labels(options), 0);
}

TEST(ChangePrice, LowersChangesAndKeepsTheTarget) {
    safairkm::Options options = balanced(0.5);
    options.effort = 4;
    options.change_price = 0;
    const std::int64_t free = changed_labels(options);
    options.change_price = 0.2;
    EXPECT_LT(changed_labels(options), free);
}

TEST(ChangePrice, HoldsForRoundsOverAllPoints) {
    Bench bench(balanced(0.01));
    bench.ingest(mixture(two_attributes(), 400, 5).view());
    for (const double price : {0.0, 10.0}) {
        bench.options.change_price = price;
        Clustering c(bench.options, bench.state, bench.workspace, bench.window);
        c.charge_changes();
        safairkm::FairLloyd lloyd(c);
        // Centres elsewhere would move every label.
        std::vector<float> centres = bench.state.centres;
        for (float& x : centres) x *= 0.5F;
        lloyd.continue_from(centres, {});
        const std::size_t moved = lloyd.round(c.demands);
        if (price == 0)
            EXPECT_GT(moved, 0U);
        else
            EXPECT_EQ(moved, 0U);
    }
}

}  // namespace
}  // namespace fairstream
