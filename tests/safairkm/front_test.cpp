/// The front of cost and balance: promises for each of its points and every search.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "fronts.hpp"

namespace fairstream::safairkm {
namespace {

// f1 and f2 are kept incrementally throughout; the labels alone must give the same values.
TEST(Front, IncrementalFiguresMatchLabels) {
    const Window window = people(300);
    for (const Swap swap : {Swap::exact_change, Swap::nearest})
        for (const CentreUpdate update : {CentreUpdate::exact, CentreUpdate::paper})
            for (const int stages : {0, 8}) {
                FrontOptions options = quick();
                options.model.swap = swap;
                options.model.centre_update = update;
                options.stages = stages;
                expect_sound(options, window, find_front(options, window));
            }
}

TEST(Front, FiguresMatchAfterManyRounds) {
    const Window window = people(200, 3);
    for (const Swap swap : {Swap::exact_change, Swap::nearest}) {
        FrontOptions options = quick(5);
        options.model.swap = swap;
        options.stages = 0;
        options.rounds = 60;
        options.iterations = 3;
        options.pairs = {{15, 0}, {12, 3}, {0, 15}};
        const Front front = find_front(options, window);
        EXPECT_GT(front.rounds, 30);
        expect_sound(options, window, front);
    }
}

TEST(Front, ThreeGroupsAreBalancedToo) {
    const Window window = people(300, 5);
    FrontOptions options = quick();
    options.model.targets.attribute = 1;
    const Front front = find_front(options, window);
    expect_sound(options, window, front);
    EXPECT_GE(front.points.back().balance, 0.9 * best_balance(window, 1));
}

FrontOptions of_both_attributes(FrontMeasure measure) {
    FrontOptions options = quick();
    options.measure = measure;
    options.model.targets.attribute = {0, 1};
    options.stages = 16;
    return options;
}

// A search from below to nearly the best balance, the same for any number of threads.
Front whole_front(const FrontOptions& options, const Window& window) {
    Front front = find_front(options, window);
    expect_rising(front);
    EXPECT_GT(front.points.back().balance, 0.9);
    expect_same(find_front(options, window, 1), front);
    return front;
}

// Of the balances of two attributes: the smaller share of the best.
TEST(Front, SeveralAttributesAreBalancedTogether) {
    const Window window = people(400, 6);
    const FrontOptions options = of_both_attributes(FrontMeasure::balance);
    const Front front = whole_front(options, window);
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        const std::vector<ClusterId> labels = labels_of(front, i);
        ASSERT_EQ(front.by_attribute[i].size(), 2U);
        double least = 1;
        for (const std::uint32_t a : {0U, 1U}) {
            const double own = balance(window, labels, 4, a);
            EXPECT_EQ(front.by_attribute[i][a], own);
            least = std::min(least, own / best_balance(window, a));
        }
        EXPECT_DOUBLE_EQ(front.points[i].balance, least);
        EXPECT_NEAR(front.points[i].cost, cost(window, labels, 4), cost_rounding(options, window, front));
    }
}

TEST(Front, ParityTakesThePlaceOfBalance) {
    const Window window = people(400, 6);
    const Front front = whole_front(of_both_attributes(FrontMeasure::parity), window);
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        const std::vector<ClusterId> labels = labels_of(front, i);
        EXPECT_NEAR(front.points[i].balance, std::min(parity(window, labels, 4, 0), parity(window, labels, 4, 1)),
                    1e-12);
    }
}

// A front of the same measure must not be cheaper than the clustering that meets a target.
TEST(Front, AFitWithATargetLiesOnIt) {
    const Window window = people(600, 8);
    FrontOptions options = quick();
    options.measure = FrontMeasure::parity;
    options.model.starts = 10;
    options.stages = 64;
    const Front front = find_front(options, window);
    Options fit = options.model;
    fit.targets.parity_at_least = 0.8;
    fit.effort = 0;
    const State state = refined(fit, window);
    const double reached = parity(window, state.labels, 4, 0);
    EXPECT_GE(reached, 0.8);
    const std::optional<std::size_t> there = cheapest(front.points, reached);
    ASSERT_TRUE(there);
    EXPECT_LE(safairkm::Model::objective(state), 1.005 * front.points[*there].cost);
}

TEST(Front, IsReproducibleAtAnyThreadCount) {
    const Window window = people(250, 2);
    for (const Swap swap : {Swap::exact_change, Swap::nearest})
        for (const int stages : {0, 6}) {
            FrontOptions options = quick();
            options.model.swap = swap;
            options.stages = stages;
            options.model.starts = 11;  // more than are made at once
            const Front once = find_front(options, window, 1);
            for (const int threads : {1, 2, 4, 0}) expect_same(find_front(options, window, threads), once);
        }
}

TEST(Front, AnotherSeedFindsOtherClusterings) {
    const Window window = people(250, 2);
    FrontOptions options = quick();
    const Front one = find_front(options, window);
    options.model.seed = 2;
    EXPECT_NE(find_front(options, window).points, one.points);
}

TEST(Front, EveryRoundAddsToTheHypervolume) {
    const Window window = people(250, 4);
    FrontOptions options = quick();
    options.model.starts = 20;
    options.stages = 3;
    options.rounds = 6;
    std::vector<FrontProgress> seen;
    std::vector<std::vector<TradeOff>> fronts;
    const Front front = find_front(options, window, 2, [&](const FrontProgress& progress) {
        seen.push_back(progress);
        fronts.emplace_back(progress.points.begin(), progress.points.end());
        return true;
    });
    ASSERT_GE(seen.size(), 8U);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        EXPECT_EQ(seen[i].hypervolume, hypervolume(fronts[i], front.reference_cost));
        if (i == 0) continue;
        EXPECT_GE(seen[i].hypervolume, seen[i - 1].hypervolume);
        for (const TradeOff& point : fronts[i - 1]) EXPECT_TRUE(covers(fronts[i], point)) << "a point was lost";
        EXPECT_GT(seen[i].starts + seen[i].round, seen[i - 1].starts + seen[i - 1].round);
    }
    EXPECT_LT(seen.front().starts, 20);
    EXPECT_EQ(seen.back().starts, 20);
    EXPECT_EQ(seen.back().round, front.rounds);
    EXPECT_EQ(fronts.back(), front.points);
    EXPECT_EQ(seen.back().hypervolume, front.hypervolume);
}

TEST(Front, ASearchThatFindsNothingMoreHasConverged) {
    const Window window = people(24, 6, 2);
    FrontOptions options = quick(2);
    options.rounds = 1000;
    const Front front = find_front(options, window);
    EXPECT_EQ(front.outcome, Outcome::converged);
    EXPECT_LT(front.rounds, 1000);
    expect_sound(options, window, front);
    options.rounds = front.rounds;
    expect_same(find_front(options, window), front);
    options.rounds = front.rounds - 1;
    const Front shorter = find_front(options, window);
    EXPECT_EQ(shorter.outcome, Outcome::iteration_limit);
    EXPECT_EQ(shorter.points, front.points) << "the last round is the one that adds nothing";
}

TEST(Front, WhoStopsTheSearchKeepsWhatItHas) {
    const Window window = people(200, 7);
    FrontOptions options = quick();
    options.rounds = 5;
    options.model.starts = 10;
    FrontOptions until = options;
    for (const int round : {0, 1, 3}) {
        const Front stopped = find_front(options, window, 2, [&](const FrontProgress& progress) {
            return progress.starts < 10 || progress.round < round;
        });
        until.rounds = round;
        expect_same(stopped, find_front(until, window));
        expect_sound(options, window, stopped);
    }
    int calls = 0;
    const Front first = find_front(options, window, 2, [&](const FrontProgress&) { return ++calls < 1; });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(first.rounds, 0);
    expect_sound(options, window, first);
    for (int checks : {1, 2, 10, 50, 250})
        expect_sound(options, window,
                     find_front(options, window, 1, {}, [&checks](const WorkProgress&) { return --checks > 0; }));
    std::vector<double> shares;
    expect_same(find_front(options, window, 1, {},
                           [&](const WorkProgress& work) { return shares.push_back(work.share), true; }),
                find_front(options, window));
    EXPECT_GT(shares.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
}

TEST(Front, LargeLabelsTakeTwoBytes) {
    for (const int clusters : {3, 300}) {
        const Window window = people(640, 1);
        FrontOptions options = quick(clusters);
        options.model.starts = 1;
        options.stages = 4;
        options.rounds = 1;
        const Front front = find_front(options, window);
        expect_sound(options, window, front);
        const std::vector<ClusterId> labels = labels_of(front, 0);
        EXPECT_EQ(std::ranges::max(labels), clusters - 1) << "all clusters are in use";
    }
}

TEST(Front, CompactLabelsRoundTrip) {
    for (const int clusters : {1, 2, 255, 256, 257, 300, 32767}) {
        std::vector<ClusterId> labels{0, static_cast<ClusterId>(clusters - 1), static_cast<ClusterId>(clusters / 2)};
        for (ClusterId l = 0; l < clusters; l += 97) labels.push_back(l);
        const CompactLabels compact(labels, static_cast<std::size_t>(clusters));
        ASSERT_EQ(compact.size(), labels.size());
        std::vector<ClusterId> copy(labels.size(), -7);
        compact.copy_to(copy);
        EXPECT_EQ(copy, labels);
        for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(compact[i], labels[i]);
        EXPECT_EQ(compact, CompactLabels(labels, static_cast<std::size_t>(clusters)));
        labels.back() ^= clusters > 1 ? 1 : 0;
        EXPECT_EQ(compact == CompactLabels(labels, static_cast<std::size_t>(clusters)), clusters == 1);
    }
    EXPECT_EQ(CompactLabels().size(), 0U);
    EXPECT_EQ(CompactLabels({}, 300).size(), 0U);
}

TEST(Front, IdenticalPointsHaveTheBestBalanceForNothing) {
    PointColumns points = test::mixture(test::two_attributes(), 60, 1);
    for (std::size_t i = 0; i < points.features.size(); ++i) points.features[i] = static_cast<float>(i % 4) / 3;
    for (std::size_t i = 0; i < 60; ++i) points.groups[2 * i] = i % 2;
    const Window window = window_of(test::two_attributes(), points);
    for (const int stages : {0, 8}) {
        FrontOptions options = quick(3);
        options.stages = stages;
        const Front front = find_front(options, window);
        expect_sound(options, window, front);
        EXPECT_EQ(front.points.back().balance, 1) << "stages " << stages;
    }
}

TEST(Front, OneClusterHasOneClustering) {
    const Window window = people(100);
    const Front front = find_front(quick(1), window);
    expect_sound(quick(1), window, front);
    ASSERT_EQ(front.points.size(), 1U);
    EXPECT_EQ(front.points[0].balance, best_balance(window, 0));
    EXPECT_EQ(front.outcome, Outcome::converged);
    EXPECT_NEAR(front.hypervolume, 0, cost_rounding(quick(1), window, front));
}

TEST(Front, AsManyClustersAsPointsCostNothing) {
    const Window window = people(12);
    const Front front = find_front(quick(12), window);
    expect_sound(quick(12), window, front);
    EXPECT_NEAR(front.points.front().cost, 0, cost_rounding(quick(12), window, front));
    EXPECT_EQ(front.points.front().balance, 0);
}

}  // namespace
}  // namespace fairstream::safairkm
