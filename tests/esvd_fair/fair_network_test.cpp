/// Fair networks: groups come as close as asked, at the least error, and a requested distance is met if possible.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fairstream/fairness/distribution_gaps.hpp>
#include <fairstream/models/esvd_fair/fair_network.hpp>

#include "support/matrices.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"

namespace fairstream::esvd_fair {
namespace {

using namespace fairstream::test;

// y is higher for the second group, which the inputs reveal: x_0 is the group plus noise.
struct Population {
    Population(std::size_t n, std::uint64_t seed) {
        Random random(seed, 6);
        for (std::size_t i = 0; i < n; ++i) {
            groups.push_back(static_cast<GroupId>(random.below(2)));
            const auto of = static_cast<float>(groups.back());
            const float a = of + normal(random), b = normal(random), c = (1 + of) * normal(random);
            rows.insert(rows.end(), {a, b, c});
            targets.push_back(0.6F * of + 0.5F * b + 0.3F * std::abs(c) + 0.1F * normal(random));
        }
    }
    [[nodiscard]] LabelledRows view() const { return {{rows, targets}, groups, 2}; }
    std::vector<float> rows, targets;
    std::vector<GroupId> groups;
};

const Population learned(2'000, 1), held_back(1'500, 2), others(1'500, 3);

const Network& network() {
    static const Network made = trained(random_network(std::vector<std::size_t>{3, 24, 24, 1}, Activation::relu, 1),
                                        learned.view().rows, {.epochs = 20, .batch = 64, .rate = 5e-3});
    return made;
}

TEST(FairNetwork, BringsTheMeansAsNearAsAsked) {
    for (const double part : {0.5, 0.1, 1e-4}) {
        FairOptions options;
        options.means = part, options.spreads = 1, options.ridge = 1e-6;
        const FairNetwork found = equalised(network(), learned.view(), options);
        FairOptions none = options;
        none.means = 1;
        const Fit refitted = equalised(network(), learned.view(), none).after;
        EXPECT_NEAR(found.after.mean_gap, std::sqrt(part) * refitted.mean_gap, 1e-3 * refitted.mean_gap);
        EXPECT_LT(found.after.ks, refitted.ks);
        EXPECT_GE(found.after.mse, refitted.mse - 1e-9);
    }
}

// With equal covariances, no linear function of the last layer's inputs separates the groups' first two moments: the
// variances of the outputs are equal.
TEST(FairNetwork, BringsTheVariancesAsNearAsAsked) {
    FairOptions options;
    options.means = 1e-6, options.spreads = 1e-8, options.ridge = 1e-6;
    const FairNetwork found = equalised(network(), learned.view(), options);
    const std::vector<float> out = Evaluation(found.network)(learned.rows);
    double sums[2] = {}, squares[2] = {}, counts[2] = {};
    for (std::size_t i = 0; i < out.size(); ++i) {
        counts[learned.groups[i]] += 1;
        sums[learned.groups[i]] += double{out[i]};
        squares[learned.groups[i]] += double{out[i]} * double{out[i]};
    }
    const auto variance = [&](int g) { return squares[g] / counts[g] - std::pow(sums[g] / counts[g], 2); };
    EXPECT_NEAR(variance(0), variance(1), 0.02 * (variance(0) + variance(1)));
    EXPECT_NEAR(sums[0] / counts[0], sums[1] / counts[1], 1e-3);
}

// The paper's claim, and that the optimal form reaches the same KS distance at less cost; both measured on held-out
// rows.
TEST(FairNetwork, PaperFormIsFairerOptimalFormMoreAccurate) {
    const Fit before = measure(network(), others.view());
    for (const double part : {1.0 / 15, 1.0 / 50, 1.0 / 500}) {
        FairOptions options = papers_options();
        options.means = part, options.spreads = part / 10;
        const Fit papers = measure(equalised(network(), learned.view(), options).network, others.view());
        EXPECT_LT(papers.ks, before.ks);
        const Fit ours = equalised_to(network(), learned.view(), others.view(), papers.ks).held_back_after;
        EXPECT_LE(ours.ks, papers.ks);
        EXPECT_LT(ours.mse, papers.mse) << "at a KS of " << papers.ks;
    }
}

TEST(FairNetwork, MeetsWishOnHeldBackRows) {
    double last = 0;
    for (const double wish : {0.4, 0.25, 0.15, 0.1}) {
        const FairNetwork found = equalised_to(network(), learned.view(), held_back.view(), wish);
        EXPECT_LE(found.held_back_after.ks, wish);
        EXPECT_GE(found.held_back_after.mse, last) << "what met less was there for more";
        last = found.held_back_after.mse;
        EXPECT_NEAR(measure(found.network, others.view()).ks, wish, wish) << "and holds on others";
        EXPECT_LE(measure(found.network, others.view()).ks, wish + 2 * ks_by_chance(750, 750));
    }
}

TEST(WishForNewRows, IsKeptByNewRowsOnAverage) {
    constexpr double at_most = 0.16;
    constexpr int draws = 20;
    double with_margin = 0, without = 0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const Population fitted(600, 100 + draw), chosen_by(300, 200 + draw), new_rows(300, 300 + draw);
        const KsWish wish = wish_for_new_rows(at_most, fitted.view(), chosen_by.view()).value();
        const auto ks_of = [&](const KsWish& of) {
            const Network found = equalised_to(network(), fitted.view(), chosen_by.view(), of).network;
            return measure(found, new_rows.view()).ks / draws;
        };
        with_margin += ks_of(wish);
        without += ks_of({.held_back = at_most});
    }
    EXPECT_LE(with_margin, at_most);
    EXPECT_GT(without, at_most) << "the margin is needed";
}

TEST(WishForNewRows, IsLowerThanTheBoundByAMarginButNotBelowChance) {
    const auto by_chance = [](const Population& rows) {
        const auto second = static_cast<double>(std::ranges::count(rows.groups, 1));
        return ks_by_chance(static_cast<double>(rows.groups.size()) - second, second);
    };
    const double chance = by_chance(held_back);
    double last = 0;
    for (const double at_most : {0.01, 0.03, 0.06, 0.1, 0.2, 0.9}) {
        const KsWish wish = wish_for_new_rows(at_most, learned.view(), held_back.view()).value();
        EXPECT_GE(wish.held_back, chance - 1e-12) << "rows cannot show that groups are nearer";
        EXPECT_GE(wish.held_back, last);
        EXPECT_GE(wish.all, at_most);
        if (at_most > 2 * chance) {
            EXPECT_LT(wish.held_back, at_most - 0.2 * chance);
        }
        last = wish.held_back;
    }
    const KsWish of_few = wish_for_new_rows(0.5, learned.view(), Population(150, 4).view()).value();
    EXPECT_LT(of_few.held_back, wish_for_new_rows(0.5, learned.view(), held_back.view())->held_back)
        << "fewer rows need a larger margin";
}

TEST(WishForNewRows, OfOneGroupIsNone) {
    Population one(100, 5);
    std::ranges::fill(one.groups, GroupId{1});
    EXPECT_FALSE(wish_for_new_rows(0.3, learned.view(), one.view()));
    EXPECT_FALSE(wish_for_new_rows(0.3, one.view(), held_back.view()));
}

TEST(FairNetwork, MeetsAWishAboutAllRowsToo) {
    const auto ks_of_all = [&](const Network& of) {
        std::vector<float> outputs = Evaluation(of)(learned.rows), others_outputs = Evaluation(of)(held_back.rows);
        std::vector<GroupId> groups = learned.groups;
        outputs.insert(outputs.end(), others_outputs.begin(), others_outputs.end());
        groups.insert(groups.end(), held_back.groups.begin(), held_back.groups.end());
        return distribution_gaps(outputs, groups, 2, {}).ks;
    };
    const FairNetwork loose = equalised_to(network(), learned.view(), held_back.view(), KsWish{.held_back = 0.3});
    const double wish = 0.7 * ks_of_all(loose.network);
    const FairNetwork found =
        equalised_to(network(), learned.view(), held_back.view(), KsWish{.held_back = 0.3, .all = wish});
    EXPECT_LE(ks_of_all(found.network), wish);
    EXPECT_LE(found.held_back_after.ks, 0.3);
    EXPECT_GE(found.held_back_after.mse, loose.held_back_after.mse);
    const FairNetwork nearest =
        equalised_to(network(), learned.view(), held_back.view(), KsWish{.held_back = 1, .all = 0});
    EXPECT_LE(ks_of_all(nearest.network), ks_of_all(found.network));
}

TEST(FairNetwork, WishGivesItsOptions) {
    for (const std::vector<int>& layers : {std::vector<int>{1}, {2}, {1, 2}, {}}) {
        FairOptions options;
        options.layers = layers;
        const FairNetwork found = equalised_to(network(), learned.view(), held_back.view(), 0.15, options);
        const FairNetwork again = equalised(network(), learned.view(), found.options);
        EXPECT_EQ(found.network, again.network) << layers.size();
        EXPECT_EQ(found.after.ks, again.after.ks);
    }
}

TEST(FairNetwork, UnattainableWishIsApproached) {
    const FairNetwork found = equalised_to(network(), learned.view(), held_back.view(), 0);
    EXPECT_GT(found.held_back_after.ks, 0);
    EXPECT_LE(found.held_back_after.ks,
              equalised_to(network(), learned.view(), held_back.view(), 0.1).held_back_after.ks);
}

TEST(FairNetwork, IsTheSameAtAnyThreadCount) {
    FairOptions options;
    options.layers = {1, 2};
    expect_same_at_any_thread_count([&] { return equalised(network(), learned.view(), options).network; });
}

TEST(FairNetwork, LeavesLayersThatAreNotNamedAlone) {
    FairOptions options;
    options.layers = {2};
    options.refits = false;
    const Network found = equalised(network(), learned.view(), options).network;
    EXPECT_EQ(found.layers[0], network().layers[0]);
    EXPECT_NE(found.layers[1], network().layers[1]);
    EXPECT_EQ(found.layers[2], network().layers[2]);
    options.layers = {};
    EXPECT_EQ(equalised(network(), learned.view(), options).network, network());
}

TEST(FairNetwork, OfOneGroupChangesNothingButTheFit) {
    Population alone = learned;
    std::ranges::fill(alone.groups, GroupId{1});
    FairOptions options;
    const FairNetwork found = equalised(network(), alone.view(), options);
    EXPECT_EQ(found.network, with_last_layer_refitted(network(), alone.view().rows, options.ridge));
    EXPECT_EQ(found.after.ks, 0);
}

TEST(FairNetwork, RefusesWhatItCannotDo) {
    const auto refuse = [&](std::string_view name, void (*damage)(FairOptions&)) {
        FairOptions options;
        damage(options);
        expect_refused(Reason::bad_option, {name}, [&] { (void)equalised(network(), learned.view(), options); });
    };
    refuse("means", [](FairOptions& o) { o.means = 0; });
    refuse("spreads", [](FairOptions& o) { o.spreads = std::numeric_limits<double>::quiet_NaN(); });
    refuse("epsilon", [](FairOptions& o) { o.form = Form::paper; });
    refuse("ridge", [](FairOptions& o) { o.ridge = -1; });
    refuse("layers", [](FairOptions& o) { o.layers = {4}; });
    refuse("layers", [](FairOptions& o) { o.layers = {1, 1}; });
    LabelledRows rows = learned.view();
    rows.groups = rows.groups.first(3);
    expect_refused(Reason::wrong_shape, {"groups"}, [&] { (void)equalised(network(), rows, {}); });
    const Network two = random_network(std::vector<std::size_t>{3, 4, 2}, Activation::relu, 1);
    expect_refused(Reason::wrong_shape, {"outputs"}, [&] { (void)equalised(two, learned.view(), {}); });
}

// The prediction equals the mean KS distance over many draws of two equal groups.
TEST(KsByChance, IsTheMeanOfEqualDistributions) {
    const Network line = random_network(std::vector<std::size_t>{1, 1}, Activation::identity, 1);
    Random random(5);
    double sum = 0;
    constexpr int draws = 400, n = 300;
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<float> rows, targets(n, 0.0F);
        std::vector<GroupId> groups;
        for (int i = 0; i < n; ++i) rows.push_back(normal(random)), groups.push_back(static_cast<GroupId>(i % 3 == 0));
        sum += measure(line, {{rows, targets}, groups, 2}).ks / draws;
    }
    EXPECT_NEAR(sum, ks_by_chance(100, 200), 0.08 * sum);
}

}  // namespace
}  // namespace fairstream::esvd_fair
