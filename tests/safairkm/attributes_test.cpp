/// Several protected attributes balanced together.

#include <gtest/gtest.h>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "support/names.hpp"
#include "support/streams.hpp"

namespace fairstream {
namespace {

using test::batches;
using test::mixture;
using test::Names;
using test::two_attributes;

EngineOptions engine_options(const safairkm::Options& options, Slot capacity = 400) {
    return {.format = two_attributes(), .window = {.capacity = capacity}, .models = {{"m", options, {}}}};
}

safairkm::Options both() {
    safairkm::Options o;
    o.clusters = 4;
    o.targets.attribute = {0, 1};
    o.swaps = 0;
    o.targets.parity_at_least = 0;
    o.effort = 0;
    o.targets.rare_below = 0;
    o.starts = 1;
    return o;
}

std::pair<double, double> balances(const FairnessTally& tally) {
    return {minimum_balance(tally, 0), minimum_balance(tally, 1)};
}

TEST(SeveralAttributes, EachKeepsItsTargetOverTheStream) {
    safairkm::Options options = both();
    options.targets.balance_at_least = {0.4, 0.3};
    Engine engine(engine_options(options));
    for (const PointColumns& batch : batches(two_attributes(), 40, 90, 11)) {
        const ModelUpdate& update = engine.ingest(batch.view()).models[0];
        if (update.solve.outcome != Outcome::converged) continue;
        const auto [first, second] = balances(update.tally());
        EXPECT_GE(first, 0.4);
        EXPECT_GE(second, 0.3);
    }
    EXPECT_EQ(engine.report("m").solve.outcome, Outcome::converged);
}

TEST(SeveralAttributes, TargetLeavesOtherAttribute) {
    // A high target on one attribute alone leaves the other unchanged; both are raised together, at a cost.
    const PointColumns points = mixture(two_attributes(), 400, 12);
    const auto fitted = [&](const OneOrMore<int>& attribute, const OneOrMore<double>& target) {
        safairkm::Options options = both();
        options.targets.attribute = attribute;
        options.targets.balance_at_least = target;
        options.starts = 4;
        Engine engine(engine_options(options));
        engine.ingest(points.view());
        engine.ingest(Refinement{"m", 0});
        return engine.report("m");
    };
    const ModelReport none = fitted(0, 0), first = fitted(0, 0.5), together = fitted({0, 1}, {0.5, 0.4});
    EXPECT_GE(balances(first.tally()).first, 0.5);
    EXPECT_LT(balances(first.tally()).second, 0.4) << "or the test shows nothing";
    EXPECT_GE(balances(together.tally()).first, 0.5);
    EXPECT_GE(balances(together.tally()).second, 0.4);
    EXPECT_LE(none.cost, first.cost);
    EXPECT_LT(first.cost, together.cost);
}

TEST(SeveralAttributes, ACountedSwapServesThemInTurn) {
    safairkm::Options options = both();
    options.swaps = 8;
    options.kmeans_updates = 0;
    Engine engine(engine_options(options));
    engine.ingest(mixture(two_attributes(), 400, 13).view());
    auto before = balances(engine.report("m").tally());
    const auto start = before;
    for (int round = 0; round < 40; ++round) {
        engine.ingest(Refinement{"m", 1});
        const auto after = balances(engine.report("m").tally());
        EXPECT_GE(after.first, before.first) << "no swap takes balance from an attribute";
        EXPECT_GE(after.second, before.second);
        before = after;
    }
    EXPECT_GT(before.first, start.first);
    EXPECT_GT(before.second, start.second);
}

TEST(SeveralAttributes, OneTargetHoldsForAll) {
    safairkm::Options one = both(), each = both();
    one.targets.balance_at_least = 0.3;
    each.targets.balance_at_least = {0.3, 0.3};
    Engine a(engine_options(one)), b(engine_options(each));
    for (const PointColumns& batch : batches(two_attributes(), 10, 90, 14)) {
        a.ingest(batch.view());
        b.ingest(batch.view());
    }
    EXPECT_TRUE(std::ranges::equal(a.labels("m"), b.labels("m")));
}

TEST(SeveralAttributes, AssignFairKeepsAllTargets) {
    safairkm::Options options = both();
    options.targets.balance_at_least = {0.4, 0.3};
    Engine engine(engine_options(options));
    engine.ingest(mixture(two_attributes(), 400, 15).view());
    const FairnessTally before = engine.report("m").tally();
    const PointColumns fresh = mixture(two_attributes(), 50, 16);
    std::vector<ClusterId> labels(50);
    for (std::size_t i = 0; i < 50; ++i) {
        engine.assign_fair("m", std::span(fresh.features).subspan(4 * i, 4), std::span(fresh.groups).subspan(2 * i, 2),
                           {&labels[i], 1});
        FairnessTally after = before;
        after.add(labels[i], &fresh.groups[2 * i]);
        for (const int a : {0, 1}) {
            const double target = options.targets.balance_at_least[static_cast<std::size_t>(a)];
            EXPECT_GE(balance(after, a, labels[i]), std::min(target, balance(before, a, labels[i])));
        }
    }
    EXPECT_THROW(engine.assign_fair("m", fresh.features, std::span(fresh.groups).first(50), labels), InvalidInput);
}

TEST(SeveralAttributes, ImpossibleOptionsAreRefusedByName) {
    const auto refused = [](const safairkm::Options& options) {
        try {
            Engine engine(engine_options(options));
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    safairkm::Options options = both();
    options.targets.attribute = {0, 2};
    EXPECT_THAT(refused(options), Names({"attribute = 2: ", "2 protected"}));
    options.targets.attribute = {1, 1};
    EXPECT_THAT(refused(options), Names({"attribute = 1,1: ", "'age'"}));
    options = both();
    options.targets.balance_at_least = {0.1, 0.2, 0.3};
    EXPECT_THAT(refused(options), Names({"balance_at_least = 0.1,0.2,0.3: ", "2 attributes"}));
    options = both();
    options.swap = safairkm::Swap::nearest;
    EXPECT_NE(refused(options).find("swap = nearest"), std::string::npos);
    options = both();
    options.targets.balance_at_least = {0.1, 1.5};
    EXPECT_THAT(refused(options), Names({"balance_at_least = 0.1,1.5: ", "0 to 1"}));
}

}  // namespace
}  // namespace fairstream
