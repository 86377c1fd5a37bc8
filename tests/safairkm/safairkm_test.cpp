/// Online SAfairKM: the defining properties of its updates.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <fairstream/engine.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/rounds.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "support/model_bench.hpp"

namespace fairstream::safairkm {
namespace {

using test::batches;
using test::mixture;
using test::two_attributes;

struct Bench : test::ModelBench<safairkm::Model> {
    explicit Bench(const Options& chosen, const StreamFormat& format = two_attributes(), Slot capacity = 400)
        : ModelBench(chosen, format, capacity) {}
};

Options plain(int clusters, int kmeans_updates = 0, int swaps = 0) {
    Options o;
    o.clusters = clusters;
    o.kmeans_updates = kmeans_updates;
    o.swaps = swaps;
    o.targets.parity_at_least = 0;
    o.effort = 0;
    o.starts = 1;
    o.targets.rare_below = 0;
    return o;
}

// f1 from labels and features alone.
double recomputed_cost(const State& state, const Window& window) {
    const std::size_t k = state.squares.size(), d = window.dimensions();
    std::vector<double> mean(k * d), size(k);
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const auto l = static_cast<std::size_t>(state.labels[slot]);
        ++size[l];
        for (std::size_t j = 0; j < d; ++j) mean[l * d + j] += window.features(slot)[j];
    }
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; j < d; ++j) mean[l * d + j] /= std::max(1.0, size[l]);
    double total = 0;
    for (Slot slot = 0; slot < window.size(); ++slot)
        for (std::size_t j = 0; j < d; ++j)
            total += std::pow(window.features(slot)[j] - mean[static_cast<std::size_t>(state.labels[slot]) * d + j], 2);
    return total / window.size();
}

void expect_sound(const Bench& bench) {
    safairkm::Model::verify(bench.options, bench.state, bench.window);  // index arrays, counts, shapes
    const double cost = recomputed_cost(bench.state, bench.window);
    EXPECT_NEAR(safairkm::Model::objective(bench.state), cost, 1e-9 * std::max(1.0, cost));
}

const std::vector<double> perfect{1.0};

TEST(Safairkm, SumsMatchMembers) {
    Options options = plain(6, 50, 10);
    for (const double target : {0.0, 0.3}) {
        options.targets.balance_at_least = target;
        Bench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 60, 90, 1, 0.05F)) {
            bench.ingest(batch.view());
            expect_sound(bench);
            for (std::size_t l = 0; l < 6; ++l)
                for (std::size_t j = 0; j < 4; ++j)
                    EXPECT_FLOAT_EQ(
                        bench.state.centres[l * 4 + j],
                        static_cast<float>(bench.state.sums[l * 4 + j] /
                                           static_cast<double>(bench.state.tally.size(static_cast<ClusterId>(l)))));
        }
    }
}

TEST(Safairkm, DegeneratesToMiniBatchKMeans) {
    Bench bench(plain(5));
    const auto stream = batches(two_attributes(), 4, 100, 9);
    bench.ingest(stream[0].view());
    for (std::size_t b = 1; b < stream.size(); ++b) {
        std::vector<ClusterId> nearest(100);
        safairkm::Model::predict(bench.options, bench.state, stream[b].features, nearest);
        bench.ingest(stream[b].view());
        for (std::size_t i = 0; i < 100; ++i)
            EXPECT_EQ(bench.state.labels[*bench.window.find(stream[b].ids[i])], nearest[i]);
    }
}

TEST(Safairkm, AnOutlierThatLeavesTakesItsRoundingAlong) {
    Bench bench(plain(2), {2, {{"g", {"a", "b"}}}, false}, 60);
    const auto points = mixture({2, {{"g", {"a", "b"}}}, false}, 200, 4, 0, 2);
    bench.ingest(points.view().slice(0, 40));
    PointColumns far;
    far.ids = {1000};
    far.features = {3e14F, -2e14F};
    far.groups = {0};
    bench.ingest(far.view());
    for (std::size_t first = 40; first < 180; first += 20) bench.ingest(points.view().slice(first, 20));
    ASSERT_FALSE(bench.window.find(1000));
    expect_sound(bench);
}

TEST(Safairkm, EverySwapLiftsTheSortedPairOfBalances) {
    for (const int attribute : {0, 1}) {
        Options options = plain(5, 0, 0);
        options.targets.attribute = attribute;
        Bench bench(options);
        bench.ingest(mixture(two_attributes(), 400, 17).view());
        bench.options.targets.balance_at_least = 1;
        Clustering c(bench.options, bench.state, bench.workspace, bench.window);
        c.keep_index();
        const auto sorted_balances = [&] {
            std::vector<double> all;
            for (ClusterId l = 0; l < 5; ++l) all.push_back(balance(bench.state.tally, attribute, l));
            std::ranges::sort(all);
            return all;
        };
        auto before = sorted_balances();
        std::int64_t swaps = 0;
        while (swap_once(c, 0, perfect)) {
            const auto after = sorted_balances();
            EXPECT_GE(after, before) << "the least balanced cluster never falls";
            before = after;
            ASSERT_LT(++swaps, 2000) << "swaps must come to an end";
        }
        EXPECT_GT(swaps, 0);
        EXPECT_GT(before.front(), 0.6);
        safairkm::Model::verify(bench.options, bench.state, bench.window);
    }
}

TEST(Safairkm, SwapIsCheapest) {
    Options options = plain(4, 0, 1);
    options.candidates = 1000;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Bench bench(options, two_attributes(), 80);
        bench.ingest(mixture(two_attributes(), 80, seed, 0, 3).view().slice(0, 80));
        const State before = bench.state;
        const double cost = safairkm::Model::objective(before);
        Clustering c(bench.options, bench.state, bench.workspace, bench.window);
        const ClusterId l = c.least_balanced(0);
        if (!swap_once(c, 0, perfect)) continue;
        const double taken = safairkm::Model::objective(bench.state) - cost;
        // Among all exchanges between the same two clusters and groups, none may have been cheaper by the separable
        // screening; the pair term it leaves out is at most |x - x'|^2 (1/m_l + 1/m_h).
        std::vector<Slot> moved;
        for (Slot slot = 0; slot < 80; ++slot)
            if (bench.state.labels[slot] != before.labels[slot]) moved.push_back(slot);
        ASSERT_EQ(moved.size(), 2U);
        const Slot out = before.labels[moved[0]] == l ? moved[0] : moved[1];
        const Slot in = out == moved[0] ? moved[1] : moved[0];
        const ClusterId h = before.labels[in];
        const auto distance = [&](Slot slot, ClusterId cluster) {
            double total = 0;
            for (std::size_t j = 0; j < 4; ++j) {
                const auto at = static_cast<std::size_t>(cluster) * 4 + j;
                total += std::pow(
                    bench.window.features(slot)[j] - before.sums[at] / static_cast<double>(before.tally.size(cluster)),
                    2);
            }
            return total;
        };
        const auto apart = [&](Slot a, Slot b) {
            double total = 0;
            for (std::size_t j = 0; j < 4; ++j)
                total += std::pow(bench.window.features(a)[j] - bench.window.features(b)[j], 2);
            return total;
        };
        const double shrink =
            1.0 / static_cast<double>(before.tally.size(l)) + 1.0 / static_cast<double>(before.tally.size(h));
        const auto separable = [&](Slot x, Slot x2) {
            return distance(x2, l) - distance(x, l) + distance(x, h) - distance(x2, h);
        };
        EXPECT_NEAR(80 * taken, separable(out, in) - apart(out, in) * shrink, 1e-4)
            << "the change of f1 is the formula's";
        for (Slot x = 0; x < 80; ++x)
            for (Slot x2 = 0; x2 < 80; ++x2) {
                const bool same_kind = before.labels[x] == l && before.labels[x2] == h &&
                                       bench.window.group(x, 0) == bench.window.group(out, 0) &&
                                       bench.window.group(x2, 0) == bench.window.group(in, 0);
                if (same_kind) {
                    EXPECT_GE(separable(x, x2), separable(out, in) - 1e-4);
                }
            }
    }
}

TEST(Safairkm, LateBalanceEqualsEarly) {
    // The index for drawing swaps is built at its first use; options change back and forth.
    Bench bench(plain(5, 20));
    const auto stream = batches(two_attributes(), 40, 60, 3, 0.1F);
    for (std::size_t b = 0; b < stream.size(); ++b) {
        if (b == 10 || b == 30) bench.options.targets.balance_at_least = 0.5;
        if (b == 20) bench.options.targets.balance_at_least = 0;
        bench.ingest(stream[b].view());
        expect_sound(bench);
        const bool asked = (b >= 10 && b < 20) || b >= 30;
        EXPECT_EQ(bench.state.indexed, asked);
        if (asked) {
            EXPECT_GE(minimum_balance(bench.state.tally, 0), 0.5);
        }
    }
}

TEST(Safairkm, ATargetIsMetAndKept) {
    Options options = plain(5, 40);
    options.targets.balance_at_least = 0.6;
    Bench bench(options);
    for (const PointColumns& batch : batches(two_attributes(), 30, 80, 21, 0.1F)) {
        const auto& report = bench.ingest(batch.view());
        const bool met = minimum_balance(bench.state.tally, 0) >= 0.6;
        EXPECT_EQ(report.solve.outcome, met ? Outcome::converged : Outcome::stalled);
        if (bench.window.size() >= 240) {
            EXPECT_TRUE(met) << "with fewer points counts are too coarse for 0.6";
        }
    }
}

TEST(Safairkm, ImpossibleTargetIsUnattainable) {
    StreamFormat format{2, {{"g", {"few", "many"}}}, false};
    PointColumns points = mixture(format, 200, 2);
    for (std::size_t i = 0; i < 200; ++i) points.groups[i] = i % 5 == 0 ? 0 : 1;  // no clustering can exceed .25
    Options options = plain(3, 20);
    options.targets.balance_at_least = 0.9;
    Bench bench(options, format);
    EXPECT_EQ(bench.ingest(points.view()).solve.outcome, Outcome::unattainable);
    EXPECT_GT(minimum_balance(bench.state.tally, 0), 0.15) << "as far as swaps reach";
}

TEST(Safairkm, UnreachedTargetIsStalled) {
    StreamFormat format{2, {{"g", {"few", "many"}}}, false};
    PointColumns points = mixture(format, 10, 2);
    for (std::size_t i = 0; i < 10; ++i) points.groups[i] = i < 4 ? 0 : 1;
    Options options = plain(3, 20);
    options.targets.balance_at_least = 0.66;  // 4 to 6 is more, but takes integer counts: 2 : 3, 1 : 1, 1 : 2
    Bench bench(options, format);
    EXPECT_EQ(bench.ingest(points.view()).solve.outcome, Outcome::stalled);
}

TEST(Safairkm, EmptyClusterIsReseeded) {
    Bench bench(plain(4, 30, 2), two_attributes(), 60);
    // Two distant blobs, then only one of them: clusters lose all members by eviction.
    PointColumns left = mixture(two_attributes(), 60, 5, 0, 1), right = mixture(two_attributes(), 240, 6, 100, 1);
    for (std::size_t i = 0; i < left.features.size() / 2; ++i) left.features[i] += 100;
    bench.ingest(left.view());
    for (std::size_t first = 0; first < 240; first += 30) {
        bench.ingest(right.view().slice(first, 30));
        for (ClusterId l = 0; l < 4; ++l) EXPECT_GT(bench.state.tally.size(l), 0);
        expect_sound(bench);
    }
}

TEST(Safairkm, RevisitsLowerCostWithinTarget) {
    Options options = plain(5);
    Bench bench(options);
    bench.ingest(mixture(two_attributes(), 400, 33).view());
    bench.options.targets.balance_at_least = 0.7;
    Clustering c(bench.options, bench.state, bench.workspace, bench.window);
    c.keep_index();
    repair(c);
    ASSERT_GE(minimum_balance(bench.state.tally, 0), 0.7);
    c.set_candidate_count(50);
    double cost = safairkm::Model::objective(bench.state);
    std::int64_t moved = 0;
    for (Slot slot = 0; slot < bench.window.size(); ++slot) {
        moved += improve(c, slot, Rule::keep_balance);
        EXPECT_LE(safairkm::Model::objective(bench.state), cost * (1 + 1e-12));
        EXPECT_GE(minimum_balance(bench.state.tally, 0), 0.7);
        cost = safairkm::Model::objective(bench.state);
    }
    EXPECT_GT(moved, 0);
}

TEST(Safairkm, OpenRefinementEndsLocally) {
    Bench bench(plain(5));
    for (const PointColumns& batch : batches(two_attributes(), 5, 80, 2)) bench.ingest(batch.view());
    const double before = safairkm::Model::objective(bench.state);
    safairkm::Model::refine(bench.options, bench.state, bench.workspace, bench.window, 0, bench.report);
    EXPECT_LE(safairkm::Model::objective(bench.state), before);
    expect_sound(bench);
    // Lloyd-stationary: every point is at its nearest centre.
    std::vector<ClusterId> nearest(bench.window.size());
    safairkm::Model::predict(bench.options, bench.state, bench.window.points().features, nearest);
    EXPECT_EQ(nearest, bench.state.labels);
}

TEST(Safairkm, MoreStartsNeverCostMore) {
    Options options = plain(8);
    Bench one(options), many((options.starts = 12, options));
    const auto points = mixture(two_attributes(), 400, 77, 0, 8);
    one.ingest(points.view());
    many.ingest(points.view());
    const std::vector<ClusterId> before = many.state.labels;
    safairkm::Model::refine(one.options, one.state, one.workspace, one.window, 0, one.report);
    safairkm::Model::refine(many.options, many.state, many.workspace, many.window, 0, many.report);
    EXPECT_LE(safairkm::Model::objective(many.state), safairkm::Model::objective(one.state));
    expect_sound(many);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < before.size(); ++i) kept += before[i] == many.state.labels[i];
    EXPECT_GT(kept, before.size() / 2);
}

// Places with several points each, fewer than there are clusters.
TEST(Safairkm, WithoutATargetEqualPointsHaveEqualLabels) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
        const PointColumns places = mixture(two_attributes(), 9, seed);
        PointColumns points;
        for (std::uint64_t i = 0; i < 60; ++i) {
            points.append(places.view().slice(i % 9, 1));
            points.ids.back() = i;
        }
        Options options = plain(12, 40);
        options.targets.parity_at_least = 0;
        options.seed = seed;
        Bench bench(options, two_attributes(), 60);
        bench.ingest(points.view());
        safairkm::Model::refine(bench.options, bench.state, bench.workspace, bench.window, 0, bench.report);
        for (std::size_t i = 9; i < 60; ++i) EXPECT_EQ(bench.state.labels[i], bench.state.labels[i % 9]) << seed;
    }
}

TEST(Safairkm, TheWindowFollowsDrift) {
    Bench bench(plain(3, 100), two_attributes(), 200);
    const auto start = mixture(two_attributes(), 200, 1, 0, 3);
    bench.ingest(start.view());
    safairkm::Model::refine(bench.options, bench.state, bench.workspace, bench.window, 0, bench.report);
    const double still = safairkm::Model::objective(bench.state);
    for (const PointColumns& batch : batches(two_attributes(), 40, 50, 100, 0.5F)) bench.ingest(batch.view());
    EXPECT_LT(safairkm::Model::objective(bench.state), 20 * still)
        << "a model that kept its old centres would be some 400 away";
}

TEST(Safairkm, AssignFairKeepsTheTargetWhereItCan) {
    Options options = plain(5, 40);
    options.targets.balance_at_least = 0.6;
    Bench bench(options);
    bench.ingest(mixture(two_attributes(), 400, 8).view());
    const PointColumns fresh = mixture(two_attributes(), 300, 9, 1000);
    std::vector<GroupId> groups;
    for (std::size_t i = 0; i < 300; ++i) groups.push_back(fresh.groups[2 * i]);
    std::vector<ClusterId> fair(300), nearest(300);
    for (std::size_t i = 0; i < 300; ++i)
        safairkm::Model::assign_fair(options, bench.state, two_attributes(),
                                     std::span(fresh.features).subspan(4 * i, 4), {&groups[i], 1}, {&fair[i], 1});
    safairkm::Model::predict(options, bench.state, fresh.features, nearest);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < 300; ++i) {
        const auto keeps = [&](ClusterId l) {
            FairnessTally after = bench.state.tally;
            after.add(l, &fresh.groups[2 * i]);
            return balance(after, 0, l) >= std::min(0.6, balance(bench.state.tally, 0, l));
        };
        bool any = false;
        for (ClusterId l = 0; l < 5; ++l) any = any || keeps(l);
        EXPECT_TRUE(keeps(fair[i]) || !any);
        if (keeps(nearest[i])) {
            EXPECT_EQ(fair[i], nearest[i]);
        }
        moved += fair[i] != nearest[i];
    }
    EXPECT_GT(moved, 0U);
}

TEST(Safairkm, MoreSwapsBuyBalanceAndCostMore) {
    const auto settle = [&](int updates, int swaps) {
        Bench bench(plain(5, updates, swaps));
        for (const PointColumns& batch : batches(two_attributes(), 5, 80, 2)) bench.ingest(batch.view());
        safairkm::Model::refine(bench.options, bench.state, bench.workspace, bench.window, 200, bench.report);
        return std::pair(safairkm::Model::objective(bench.state), minimum_balance(bench.state.tally, 0));
    };
    const auto [cheap, unfair] = settle(20, 0);
    const auto [dear, fair] = settle(5, 4);
    EXPECT_LT(cheap, dear);
    EXPECT_LT(unfair, fair);
}

TEST(Safairkm, ThreeGroupsComeCloseToTheirBestBalance) {
    Options options = plain(4, 0);
    options.targets.attribute = 1;
    options.targets.balance_at_least = 1;  // unattainable: as far as possible
    Bench bench(options);
    bench.ingest(mixture(two_attributes(), 400, 3).view());
    safairkm::Model::refine(bench.options, bench.state, bench.workspace, bench.window, 0, bench.report);
    const AttributeFairness fairness = attribute_fairness(bench.state.tally, 1);
    EXPECT_GE(fairness.balance, 0.97 * fairness.best_balance);
}

TEST(Safairkm, UngroupedStreamCannotBeBalanced) {
    const StreamFormat format{3, {}, false};
    Bench bench(plain(3, 20), format, 100);
    for (const PointColumns& batch : batches(format, 6, 40, 1)) bench.ingest(batch.view());
    expect_sound(bench);
    EXPECT_THROW(safairkm::Model::check(plain(3, 20, 1), format), InvalidInput);
}

}  // namespace
}  // namespace fairstream::safairkm
