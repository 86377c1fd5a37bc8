/// The front of cost and balance: every option has an effect; refusals.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <fairstream/fair_kmeans/detail/rounds.hpp>
#include <fairstream/generate/synthetic.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "fronts.hpp"
#include "support/refusal.hpp"

namespace fairstream::safairkm {
namespace {

using test::expect_refused;

TEST(FrontOptions, MoreRoundsGoFurther) {
    const Window window = people(250, 4);
    FrontOptions options = quick();
    double before = 0;
    for (const int rounds : {0, 1, 4}) {
        options.rounds = rounds;
        const Front front = find_front(options, window);
        EXPECT_EQ(front.rounds, rounds);
        EXPECT_EQ(front.outcome, Outcome::iteration_limit);
        EXPECT_GT(front.hypervolume, before);
        before = front.hypervolume;
    }
}

// Only the result of the last iteration enters the list; with k-means updates alone it is the cheapest.
TEST(FrontOptions, MoreIterationsGoFurtherInARound) {
    const Window window = people(250, 4, 1);
    FrontOptions options = quick();
    options.stages = 0;
    options.improve = false;
    options.rounds = 1;
    options.pairs = {{20, 0}};
    double before = cost(window, std::vector<ClusterId>(window.size()), 1);
    for (const int iterations : {1, 4, 16}) {
        options.iterations = iterations;
        const Front front = find_front(options, window);
        expect_sound(options, window, front);
        EXPECT_EQ(front.rounds, 1);
        EXPECT_LT(front.points.front().cost, before) << iterations;
        before = front.points.front().cost;
    }
}

TEST(FrontOptions, PointLimitEndsRound) {
    const Window window = people(250, 4);
    FrontOptions options = quick();
    options.rounds = 100;
    std::vector<std::size_t> sizes;
    const auto count = [&](const FrontProgress& progress) { return sizes.push_back(progress.points.size()), true; };
    options.point_limit = 30;
    const Front front = find_front(options, window, 0, count);
    EXPECT_EQ(front.outcome, Outcome::iteration_limit);
    EXPECT_LT(front.rounds, 100);
    ASSERT_GE(sizes.size(), 2U);
    EXPECT_EQ(sizes.size(), static_cast<std::size_t>(front.rounds) + 1);
    EXPECT_GE(sizes.back(), 30U);
    EXPECT_LT(sizes[sizes.size() - 2], 30U);
    options.point_limit = static_cast<int>(sizes.front());
    EXPECT_EQ(find_front(options, window).rounds, 0) << "the starts alone reach it";
}

TEST(FrontOptions, AGapKeepsThePointsApart) {
    const Window window = people(250, 4);
    FrontOptions options = quick();
    options.stages = 64;
    const Front all = find_front(options, window);
    options.gap = 0.1;
    const Front thin = find_front(options, window);
    expect_sound(options, window, thin);
    EXPECT_LT(thin.points.size(), all.points.size() / 2);
    std::vector<std::size_t> every(thin.points.size());
    for (std::size_t i = 0; i < every.size(); ++i) every[i] = i;
    EXPECT_EQ(thinned(thin.points, 0.1), every);
}

TEST(FrontOptions, MoreStagesLieCloserTogether) {
    const Window window = people(400, 4);
    FrontOptions options = quick();
    options.model.starts = 1;
    options.rounds = 0;
    const auto gap = [&](int stages) {
        options.stages = stages;
        const Front front = find_front(options, window);
        double widest = 0;
        for (std::size_t i = 1; i < front.points.size(); ++i)
            widest = std::max(widest, front.points[i].balance - front.points[i - 1].balance);
        EXPECT_GE(front.points.back().balance, 0.98 * best_balance(window, 0));
        return widest;
    };
    EXPECT_LT(gap(64), 0.5 * gap(4));
}

// Without stages, half of the starts are random labels, half nearest to seeds. Random labels are similar overall, and
// far more expensive.
TEST(FrontOptions, PaperStartsWithoutStages) {
    const Window window = people(2000, 4);
    FrontOptions options = quick();
    options.stages = 0;
    options.rounds = 0;
    options.model.starts = 1;
    const Front seeded = find_front(options, window);
    ASSERT_EQ(seeded.points.size(), 1U);
    EXPECT_LT(seeded.points[0].cost, 0.7 * seeded.reference_cost);
    options.model.starts = 6;
    const Front both = find_front(options, window);
    expect_sound(options, window, both);
    EXPECT_LE(both.points.size(), 6U);
    EXPECT_LT(both.points.front().cost, 0.7 * both.reference_cost);
    EXPECT_GT(both.points.back().cost, 0.98 * both.reference_cost);
    EXPECT_GT(both.points.back().balance, both.points.front().balance);
}

// Pairs with swaps alone cannot deliberately lower the cost at a balance.
TEST(FrontOptions, ImprovementLowersTheCostOfABalance) {
    const Window window = people(300, 4);
    FrontOptions options = quick();
    options.stages = 0;
    options.model.starts = 6;
    options.pairs = {{0, 40}};
    options.rounds = 4;
    const Front with = find_front(options, window);
    options.improve = false;
    const Front without = find_front(options, window);
    expect_sound(options, window, with);
    expect_sound(options, window, without);
    EXPECT_GT(with.hypervolume, without.hypervolume);
    const auto cost_of = [](const Front& front) { return front.points[cheapest(front.points, 0.8).value()].cost; };
    EXPECT_LT(cost_of(with), 0.98 * cost_of(without));
}

// A pair with only k-means updates moves to the cheap end, one with only swaps to the fair end.
TEST(FrontOptions, PairsDecideWhereTheFrontGrows) {
    const Window window = people(300, 4);
    FrontOptions options = quick();
    options.stages = 0;
    options.improve = false;
    options.rounds = 3;
    options.pairs = {{60, 0}};
    const Front cheap = find_front(options, window);
    options.pairs = {{0, 60}};
    const Front fair = find_front(options, window);
    options.pairs = {{60, 0}, {0, 60}};
    const Front both = find_front(options, window);
    EXPECT_LT(cheap.points.front().cost, fair.points.front().cost);
    EXPECT_LT(cheap.points.back().balance, fair.points.back().balance);
    EXPECT_GT(both.hypervolume, cheap.hypervolume);
    EXPECT_GT(both.hypervolume, fair.hypervolume);
}

TEST(FrontOptions, UnusedOptionsAreIgnored) {
    const Window window = people(200, 4);
    const Front plain = find_front(quick(), window);
    FrontOptions options = quick();
    options.model.kmeans_updates = 3;
    options.model.swaps = 0;
    expect_same(find_front(options, window), plain);
}

// f1 of k-means alone, best of ten starts.
double kmeans_cost(const Window& filled, int clusters) {
    return safairkm::Model::objective(
        refined({.clusters = clusters, .kmeans_updates = 0, .swaps = 0, .starts = 10}, filled));
}

TEST(FrontOptions, SpansKMeansToBestOnPaperSets) {
    using generate::Synthetic;
    for (const Synthetic set :
         {Synthetic::equal_ds1, Synthetic::unequal_ds1, Synthetic::equal_ds2, Synthetic::unequal_ds2}) {
        PointColumns points;
        generate::SyntheticPoints(set, 1).next(400, points);
        const Window window = window_of({2, {{"group", {"black", "purple"}}}, false}, points);
        FrontOptions options;
        options.model.clusters = 2;
        options.model.starts = 4;
        options.stages = 32;
        const Front front = find_front(options, window);
        expect_sound(options, window, front);
        const bool equal = set == Synthetic::equal_ds1 || set == Synthetic::equal_ds2;
        EXPECT_EQ(front.points.back().balance, equal ? 1 : 1.0 / 3);
        EXPECT_EQ(front.points.front().balance, 0);
        EXPECT_LE(front.points.front().cost, kmeans_cost(window, 2) + cost_rounding(options, window, front));
    }
}

TEST(FrontOptions, SpansKMeansToBestOnMixture) {
    const Window window = people(600, 9, 4);
    FrontOptions options = quick();
    options.model.starts = 10;
    const Front front = find_front(options, window);
    EXPECT_LE(front.points.front().cost, kmeans_cost(window, 4) + cost_rounding(options, window, front));
    EXPECT_GE(front.points.back().balance, 0.98 * best_balance(window, 0));
}

void expect_bad(std::initializer_list<std::string_view> parts, const std::function<void(FrontOptions&)>& spoil) {
    static const Window window = people(50);
    FrontOptions options = quick();
    spoil(options);
    expect_refused(Reason::bad_option, parts, [&] { check(options, window.format()); });
    expect_refused(Reason::bad_option, parts, [&] { (void)find_front(options, window); });
}

TEST(FrontOptions, PairsThatAreNoneAreRefused) {
    expect_bad({"pairs"}, [](FrontOptions& o) { o.pairs.clear(); });
    expect_bad({"pair (0, 0)", "n_a + n_b"}, [](FrontOptions& o) { o.pairs = {{0, 0}}; });
    expect_bad({"pair (-1, 3)", "0 to 1000000000"}, [](FrontOptions& o) { o.pairs = {{2, 0}, {-1, 3}}; });
    expect_bad({"pair (3, -1)", "0 to 1000000000"}, [](FrontOptions& o) { o.pairs = {{3, -1}}; });
    expect_bad({"pair (1000000001, 0)", "0 to 1000000000"}, [](FrontOptions& o) { o.pairs = {{1'000'000'001, 0}}; });
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    expect_bad({"pair (9223372036854775807, 9223372036854775807)"}, [](FrontOptions& o) { o.pairs = {{most, most}}; });
    expect_bad({"(4, 5)", " 9", "(8, 0)", " 8"}, [](FrontOptions& o) { o.pairs = {{8, 0}, {0, 8}, {4, 5}}; });
}

TEST(FrontOptions, NumbersOutOfRangeAreRefused) {
    constexpr int million = 1'000'000;
    expect_bad({"rounds = -1", "0 to 1e+06"}, [](FrontOptions& o) { o.rounds = -1; });
    expect_bad({"rounds = 1000001", "0 to 1e+06"}, [](FrontOptions& o) { o.rounds = million + 1; });
    expect_bad({"stages = -1", "0 to 1e+06"}, [](FrontOptions& o) { o.stages = -1; });
    expect_bad({"stages = 1000001", "0 to 1e+06"}, [](FrontOptions& o) { o.stages = million + 1; });
    expect_bad({"iterations = 0", "1 to 1e+06"}, [](FrontOptions& o) { o.iterations = 0; });
    expect_bad({"iterations = 1000001", "1 to 1e+06"}, [](FrontOptions& o) { o.iterations = million + 1; });
    expect_bad({"point_limit = 0", "1 to 1e+06"}, [](FrontOptions& o) { o.point_limit = 0; });
    expect_bad({"point_limit = 1000001", "1 to 1e+06"}, [](FrontOptions& o) { o.point_limit = million + 1; });
    expect_bad({"gap = 1", " 0 "}, [](FrontOptions& o) { o.gap = 1; });
    expect_bad({"gap = -0.25", " 0 "}, [](FrontOptions& o) { o.gap = -0.25; });
    expect_bad({"gap = nan", " 0 "}, [](FrontOptions& o) { o.gap = std::nan(""); });
    expect_bad({"clusters = 0", "1 to 32767"}, [](FrontOptions& o) { o.model.clusters = 0; });
    expect_bad({"starts = 0", "1 to 1000"}, [](FrontOptions& o) { o.model.starts = 0; });
    expect_bad({"starts = 1001", "1 to 1000"}, [](FrontOptions& o) { o.model.starts = 1001; });
    expect_bad({"attribute = 2", "2 protected attributes"}, [](FrontOptions& o) { o.model.targets.attribute = 2; });
    expect_bad({"swap = nearest", "exact_change"}, [](FrontOptions& o) {
        o.model.swap = Swap::nearest;
        o.measure = FrontMeasure::parity;
    });
    expect_bad({"swap = nearest", "one attribute"}, [](FrontOptions& o) {
        o.model.swap = Swap::nearest;
        o.model.targets.attribute = {0, 1};
    });
    const Window window = people(50);
    expect_refused(Reason::bad_option, {"threads = -1", "at least 0"}, [&] { (void)find_front(quick(), window, -1); });
}

TEST(FrontOptions, PointsWithoutGroupsToBalanceAreRefused) {
    const StreamFormat plain{2, {}, false};
    const Window window = window_of(plain, test::mixture(plain, 20, 1));
    expect_refused(Reason::bad_option, {"attribute"}, [&] { check(quick(), plain); });
    expect_refused(Reason::bad_option, {"attribute"}, [&] { (void)find_front(quick(), window); });
}

TEST(FrontOptions, OneGroupOnlyIsRefused) {
    const StreamFormat one{2, {{"sex", {"f"}}}, false};
    const Window window = window_of(one, test::mixture(one, 20, 1));
    expect_refused(Reason::not_ready, {"'sex'", "one group"}, [&] { (void)find_front(quick(), window); });
}

TEST(FrontOptions, EmptyGroupIsOmittedOrRefused) {
    PointColumns points = test::mixture(test::two_attributes(), 40, 1);
    for (std::size_t i = 0; i < 40; ++i) points.groups[2 * i + 1] = i % 2 == 0 ? 0 : 2;
    const Window window = window_of(test::two_attributes(), points);
    EXPECT_NO_THROW((void)find_front(quick(), window));
    FrontOptions options = quick();
    options.model.targets.attribute = 1;
    const std::vector<LeftOutGroup> left_out = left_out_groups(options, window);
    ASSERT_EQ(left_out.size(), 1U);
    EXPECT_EQ(left_out[0].group, 1);
    EXPECT_GT(find_front(options, window).points.back().balance, 0.8);
    options.model.targets.rare_below = 0;
    EXPECT_TRUE(left_out_groups(options, window).empty());
    expect_refused(Reason::not_ready, {"group 'middle' of 'age'", "balance 0"},
                   [&] { (void)find_front(options, window); });
}

TEST(FrontOptions, MoreClustersThanPointsAreRefused) {
    const Window window = people(5);
    expect_refused(Reason::not_ready, {"clusters = 6", " 5"}, [&] { (void)find_front(quick(6), window); });
    EXPECT_NO_THROW((void)find_front(quick(5), window));
    const Window empty(test::two_attributes(), {.capacity = 4});
    expect_refused(Reason::not_ready, {"clusters = 1", " 0"}, [&] { (void)find_front(quick(1), empty); });
}

}  // namespace
}  // namespace fairstream::safairkm
