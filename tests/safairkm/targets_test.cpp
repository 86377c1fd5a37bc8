/// Targets other than balance: met ones are verified from labels, and unattainable ones are reported.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/attainable.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/options.hpp>
#include <fairstream/targets/target_notes.hpp>

#include "support/names.hpp"
#include "support/refusal.hpp"
#include "support/streams.hpp"

namespace fairstream {
namespace {

using test::mixture;
using test::Names;
using test::two_attributes;

constexpr std::size_t clusters = 5;

// A fit of some points, and the counts of an attribute by cluster and group, from its labels alone.
struct Fitted {
    Fitted(const safairkm::Options& options, const PointColumns& points, const StreamFormat& format = two_attributes())
        : engine({format, {static_cast<Slot>(points.ids.size())}, {{"m", options, {}}}}) {
        engine.ingest(points.view());
        outcome = engine.ingest(Refinement{"m", 0}).models[0].solve.outcome;
    }
    [[nodiscard]] std::vector<std::vector<double>> counts(std::size_t attribute) const {
        const std::size_t groups = engine.options().format.attributes[attribute].groups.size();
        std::vector<std::vector<double>> counted(clusters, std::vector<double>(groups));
        const std::span<const ClusterId> labels = engine.labels("m");
        for (Slot slot = 0; slot < labels.size(); ++slot)
            ++counted[static_cast<std::size_t>(labels[slot])][engine.window().group(slot, attribute)];
        return counted;
    }
    Engine engine;
    Outcome outcome;
};

double sum(const std::vector<double>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0);
}

std::vector<double> totals(const std::vector<std::vector<double>>& counts) {
    std::vector<double> all(counts[0].size());
    for (const std::vector<double>& row : counts)
        for (std::size_t j = 0; j < row.size(); ++j) all[j] += row[j];
    return all;
}

double parity(const std::vector<std::vector<double>>& counts) {
    const std::vector<double> all = totals(counts);
    double lowest = 1;
    for (const std::vector<double>& row : counts) {
        double low = 1, high = 0;
        for (std::size_t j = 0; j < row.size(); ++j)
            low = std::min(low, row[j] / all[j]), high = std::max(high, row[j] / all[j]);
        lowest = std::min(lowest, low / high);
    }
    return lowest;
}

safairkm::Options plain() {
    safairkm::Options options;
    options.clusters = clusters;
    options.targets.parity_at_least = 0;
    options.starts = 2;
    return options;
}

TEST(Targets, DefaultParityIsMetWithPrice) {
    safairkm::Options options;
    options.clusters = clusters;
    options.starts = 2;
    const PointColumns points = mixture(two_attributes(), 1000, 3);
    const Fitted fair(options, points), none(plain(), points);
    EXPECT_LT(parity(none.counts(0)), 0.7) << "or the test shows nothing";
    EXPECT_EQ(fair.outcome, Outcome::converged);
    EXPECT_GE(parity(fair.counts(0)), 0.8 * (1 - 1e-12));
    const ModelReport report = fair.engine.report("m");
    EXPECT_GT(report.figure("plain_cost"), 0);
    EXPECT_LT(report.figure("plain_cost"), report.cost);
    EXPECT_NEAR(report.figure("price_of_fairness").value(), report.cost / *report.figure("plain_cost") - 1, 1e-12);
    EXPECT_NEAR(attribute_fairness(report.tally(), 0).parity, parity(fair.counts(0)), 1e-12);
    EXPECT_EQ(none.engine.report("m").figure("plain_cost"), std::nullopt) << "nothing was asked for";
}

TEST(Targets, TheDefaultStandsBackForAnyOther) {
    safairkm::Options options;
    const auto asks = [&](const char* name, const char* value) {
        ModelOptions all = options;
        set_option(all, name, value);
        FairnessTally tally(2, std::vector<int>{2, 3});
        for (int i = 0; i < 100; ++i) {
            const GroupId groups[] = {static_cast<GroupId>(i % 2), static_cast<GroupId>(i % 3)};
            tally.add(i % 2, groups);  // every cluster has one group only
        }
        for (const TargetNote& note : missed_targets(targets_of(all.get<safairkm::Options>()), two_attributes(), tally))
            if (note.option == "parity_at_least") return true;
        return false;
    };
    EXPECT_TRUE(asks("seed", "2"));
    EXPECT_TRUE(asks("parity_at_least", "auto"));
    EXPECT_TRUE(asks("parity_at_least", "0.5"));
    for (const auto& [name, value] :
         {std::pair("parity_at_least", "0"), std::pair("balance_at_least", "0.1"), std::pair("share_delta", "0.5"),
          std::pair("share_at_least", "0.1"), std::pair("share_at_most", "0.9"), std::pair("size_at_least", "3"),
          std::pair("size_at_most", "300"), std::pair("swaps", "1"), std::pair("swap", "nearest"),
          std::pair("centre_update", "paper")})
        EXPECT_FALSE(asks(name, value)) << name;
}

TEST(Targets, BoundsOnSharesAreMetByEveryCluster) {
    const PointColumns points = mixture(two_attributes(), 1000, 4);
    safairkm::Options options = plain();
    options.targets.share_delta = 0.2;
    const Fitted fair(options, points);
    EXPECT_EQ(fair.outcome, Outcome::converged);
    const auto counts = fair.counts(0);
    const std::vector<double> all = totals(counts);
    for (const std::vector<double>& row : counts)
        for (std::size_t j = 0; j < row.size(); ++j) {
            const double share = row[j] / sum(row), of_all = all[j] / sum(all);
            EXPECT_GE(share, 0.8 * of_all * (1 - 1e-12));
            EXPECT_LE(share, of_all / 0.8 * (1 + 1e-12));
        }
    options.targets.share_delta = 1;
    options.targets.attribute = 1;
    options.targets.share_at_least = {0.25, 0.2, 0.1};
    options.targets.share_at_most = 0.5;
    const Fitted said(options, points);
    EXPECT_EQ(said.outcome, Outcome::converged);
    for (const std::vector<double>& row : said.counts(1))
        for (std::size_t j = 0; j < row.size(); ++j) {
            EXPECT_GE(row[j] / sum(row), options.targets.share_at_least.of(j) * (1 - 1e-12));
            EXPECT_LE(row[j] / sum(row), 0.5 * (1 + 1e-12));
        }
}

TEST(Targets, SizesCombineWithBalanceAndParity) {
    const PointColumns points = mixture(two_attributes(), 1000, 5);
    safairkm::Options options = plain();
    options.targets.attribute = {0, 1};
    options.targets.balance_at_least = {0.4, 0};
    options.targets.parity_at_least = {0, 0.6};
    options.targets.size_at_least = 180;
    options.targets.size_at_most = 230;
    const Fitted fair(options, points);
    EXPECT_EQ(fair.outcome, Outcome::converged);
    for (const std::vector<double>& row : fair.counts(0)) {
        EXPECT_GE(sum(row), 180);
        EXPECT_LE(sum(row), 230);
        EXPECT_GE(std::ranges::min(row), 0.4 * std::ranges::max(row) * (1 - 1e-12));
    }
    EXPECT_GE(parity(fair.counts(1)), 0.6 * (1 - 1e-12));
}

// -- groups too rare to count

// The first `rare` points are of group 2, the others of 0 and 1 in turn.
PointColumns with_rare_group(std::size_t n, std::size_t rare) {
    PointColumns points = mixture({3, {{"race", {"a", "b", "c"}}}, false}, n, 6);
    for (std::size_t i = 0; i < n; ++i) points.groups[i] = i < rare ? GroupId{2} : static_cast<GroupId>(i % 2);
    return points;
}

TEST(Targets, RareGroupIsLeftOutUnlessNamed) {
    const StreamFormat format{3, {{"race", {"a", "b", "c"}}}, false};
    const PointColumns points = with_rare_group(600, 8);
    safairkm::Options options = plain();
    options.targets.balance_at_least = 0.5;
    const Fitted fair(options, points, format);
    EXPECT_EQ(fair.outcome, Outcome::converged) << "8 points are fewer than 5 x 5";
    for (const std::vector<double>& row : fair.counts(0))
        EXPECT_GE(std::min(row[0], row[1]), 0.5 * std::max(row[0], row[1]));
    const GroupTotals counted = group_totals(fair.engine.report("m").tally());
    EXPECT_EQ(counted, (GroupTotals{{296, 296, 8}}));
    const auto left_out = left_out_groups(targets_of(options), counted);
    ASSERT_EQ(left_out.size(), 1U);
    EXPECT_EQ(left_out[0].attribute, 0);
    EXPECT_EQ(left_out[0].group, 2);
    EXPECT_EQ(left_out[0].points, 8);
    EXPECT_TRUE(unattainable_targets(targets_of(options), format, counted, 600).empty());

    for (const bool named : {true, false}) {
        options.targets.named_groups = named ? 2 : -1;
        if (!named) options.targets.rare_below = 0;
        EXPECT_TRUE(left_out_groups(targets_of(options), counted).empty());
        EXPECT_EQ(Fitted(options, points, format).outcome, Outcome::unattainable);
        const auto notes = unattainable_targets(targets_of(options), format, counted, 600);
        ASSERT_EQ(notes.size(), 1U);
        EXPECT_THAT(notes[0].text,
                    Names({"balance_at_least = 0.5: ", "600 points, 8 ", "'c' of 'race'", " 0.02702 ", "5 clusters"}));
    }
    options = plain();
    EXPECT_TRUE(left_out_groups(targets_of(options), counted).empty())
        << "without a target there is nothing to be left out of";
}

TEST(Targets, ParityIsDefault) {
    const StreamFormat one{2, {{"sex", {"x", "y"}}}, false}, none{2, {}, false};
    safairkm::Options options;
    EXPECT_EQ(default_parity(targets_of(options), one), 0.8);
    EXPECT_EQ(default_parity(targets_of(options), none), std::nullopt);
    EXPECT_EQ(first_group_option(targets_of(options)), "");
    options.targets.size_at_least = 3;
    EXPECT_EQ(default_parity(targets_of(options), one), std::nullopt);
    EXPECT_NO_THROW(safairkm::Model::check(options, none));
    options = {};
    options.targets.parity_at_least = 0.8;
    EXPECT_EQ(default_parity(targets_of(options), one), std::nullopt) << "it is asked for";
    EXPECT_EQ(first_group_option(targets_of(options)), "parity_at_least");
}

TEST(Targets, GroupTargetsNeedGroups) {
    const StreamFormat none{2, {}, false};
    for (const char* option : {"share_delta", "share_at_least", "share_at_most", "named_groups"}) {
        ModelOptions options = safairkm::Options{};
        set_option(options, option, option == std::string_view("named_groups") ? "1" : "0.5");
        test::expect_refused(Reason::bad_option, {option, "attribute"},
                             [&] { safairkm::Model::check(options.get<safairkm::Options>(), none); });
    }
}

TEST(Targets, AGroupIsNamedOnce) {
    const StreamFormat format{2, {{"sex", {"x", "y"}}}, false};
    safairkm::Options options;
    options.targets.named_groups = {1, 0, 1};
    test::expect_refused(Reason::bad_option, {"named_groups = 1,0,1: names 1 twice"},
                         [&] { safairkm::Model::check(options, format); });
    options.targets.named_groups = {1, 0};
    EXPECT_NO_THROW(safairkm::Model::check(options, format));
}

// -- what counts prove

TEST(Targets, BoundsThatContradictEachOtherAreRefused) {
    const StreamFormat format{2, {{"sex", {"x", "y"}}}, false};
    safairkm::Options options;
    options.targets.share_at_least = 0.2;
    options.targets.share_at_most = {0.9, 0.1};
    EXPECT_THROW(safairkm::Model::check(options, format), InvalidInput);
    options.targets.share_at_most = {0.9, 0.2};
    EXPECT_NO_THROW(safairkm::Model::check(options, format));
}

TEST(Targets, UnattainableTargetNamesBest) {
    const StreamFormat format{2, {{"sex", {"x", "y"}}}, false};
    const auto said = [&](const char* name, const char* value, const std::vector<std::int64_t>& counts, int k = 2) {
        ModelOptions options = default_options("safairkm");
        for (const auto& [option, text] : {std::pair<std::string, std::string>("clusters", std::to_string(k)),
                                           {"rare_below", "0"},
                                           {"parity_at_least", "0"},
                                           {name, value}})
            set_option(options, option, text);
        const auto notes = unattainable_targets(targets_of(options.get<safairkm::Options>()), format, {counts},
                                                std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
        return notes.empty() ? "" : notes[0].text;
    };
    EXPECT_THAT(said("balance_at_least", "0.5", {5, 1}),
                Names({"balance_at_least = 0.5: ", "6 points, 1 ", "'y' of 'sex'", " 0 ", "2 clusters"}));
    EXPECT_THAT(said("balance_at_least", "0.66", {4, 6}, 3),
                Names({"balance_at_least = 0.66: ", "10 points, 4 ", "'x' of 'sex'", " 0.5 ", "3 clusters"}));
    EXPECT_EQ(said("balance_at_least", "0.5", {4, 6}, 3), "");
    EXPECT_THAT(said("parity_at_least", "0.8", {5, 1}),
                Names({"parity_at_least = 0.8: ", "6 points, 1 ", "'y' of 'sex'", " 0 ", "2 clusters"}));
    EXPECT_EQ(said("parity_at_least", "1", {100, 3}), "");
    EXPECT_THAT(said("share_at_least", "0.3", {80, 20}),
                Names({"share_at_least = 0.3: ", "'y' of 'sex'", " 0.2 ", "100 points"}));
    EXPECT_THAT(said("share_at_most", "0.7", {80, 20}),
                Names({"share_at_most = 0.7: ", "'x' of 'sex'", " 0.8 ", "100 points"}));
    EXPECT_EQ(said("share_delta", "0.01", {80, 20}), "");
    EXPECT_THAT(said("share_delta", "0.5", {5, 1}),
                Names({"share_delta = 0.5: ", "1 of 6 points", "'y' of 'sex'", "2 clusters"}));
    EXPECT_THAT(said("share_at_least", "0.1", {5, 1}),
                Names({"share_at_least = 0.1: ", "1 of 6 points", "'y' of 'sex'", "2 clusters"}));
    EXPECT_THAT(said("size_at_least", "26", {80, 21}, 4),
                Names({"size_at_least = 26: ", "101 points", " 25 ", "4 clusters"}));
    EXPECT_EQ(said("size_at_least", "25", {80, 21}, 4), "");
    EXPECT_THAT(said("size_at_most", "25", {80, 21}, 4),
                Names({"size_at_most = 25: ", "101 points", " 26 ", "4 clusters"}));
    EXPECT_EQ(said("size_at_most", "26", {80, 21}, 4), "");
}

// Tries every assignment of a few points: if an obstacle is found, none of them keeps the demand.
TEST(Targets, ObstacleIsProof) {
    int obstacles = 0, kept = 0;
    for (int first = 1; first <= 4; ++first)
        for (int second = first; second <= 5; ++second)
            for (const double asked : {0.2, 0.4, 0.5, 0.6, 0.8, 1.0})
                for (int kind = 0; kind < 4; ++kind) {
                    const double parts[] = {static_cast<double>(first), static_cast<double>(second)};
                    Demands demands;
                    if (kind == 0) demands.of_groups.push_back({.ratio = asked});
                    if (kind == 1)
                        demands.of_groups.push_back({.ratio = asked, .weights = {1 / parts[0], 1 / parts[1]}});
                    if (kind == 2) demands.of_groups.push_back({.lower = {asked / 2, asked / 2}, .upper = {1, 1}});
                    if (kind == 3)
                        demands.of_sizes = {std::llround(5 * asked), first + second - std::llround(5 * asked)};
                    bool any = false;
                    // Two clusters: the first takes a points of one group and b of the other.
                    for (std::int64_t a = 0; a <= first; ++a)
                        for (std::int64_t b = 0; b <= second; ++b) {
                            const std::vector<std::int64_t> one{a, b}, other{first - a, second - b};
                            if (a + b == 0 || a + b == first + second) continue;
                            double by = 0;
                            for (const auto& row : {one, other}) {
                                for (const Demand& demand : demands.of_groups) by += shortfall(demand, row);
                                by += shortfall(demands.of_sizes, row[0] + row[1]);
                            }
                            any = any || by == 0;
                        }
                    const GroupTotals all{{first, second}};
                    const bool found = find_obstacle(demands, all, first + second, 2, exact_split_limit).has_value();
                    EXPECT_FALSE(found && any) << first << " " << second << " " << asked << " kind " << kind;
                    if (kind == 0 || kind == 3) {
                        EXPECT_EQ(found, !any)
                            << "exact: " << first << " " << second << " " << asked << " kind " << kind;
                    }
                    if (is_attainable(demands, all, first + second, 2)) ++kept;
                    obstacles += found;
                }
    EXPECT_GT(obstacles, 20);
    EXPECT_GT(kept, 20);
}

TEST(Targets, MissedTargetsAreNamed) {
    const StreamFormat format{2, {{"sex", {"x", "y"}}}, false};
    FairnessTally tally(2, std::vector<int>{2});
    const GroupId x = 0, y = 1;
    for (int i = 0; i < 6; ++i) tally.add(0, &x), tally.add(1, &x);
    for (int i = 0; i < 4; ++i) tally.add(i < 3 ? 0 : 1, &y);  // 6 : 3 and 6 : 1
    const auto missed = [&](const char* name, const char* value) {
        ModelOptions options = default_options("safairkm");
        for (const auto& [option, text] : {std::pair<std::string, std::string>("clusters", "2"),
                                           {"rare_below", "0"},
                                           {"parity_at_least", "0"},
                                           {name, value}})
            set_option(options, option, text);
        const auto notes = missed_targets(targets_of(options.get<safairkm::Options>()), format, tally);
        return notes.empty() ? "" : notes[0].text;
    };
    EXPECT_THAT(missed("balance_at_least", "0.4"), Names({"balance_at_least = 0.4: ", " 0.1667", "'sex'"}));
    EXPECT_EQ(missed("balance_at_least", "0.1"), "");
    EXPECT_THAT(missed("parity_at_least", "0.8"), Names({"parity_at_least = 0.8: ", " 0.5", "'sex'"}));
    EXPECT_THAT(missed("share_at_least", "0.2"),
                Names({"share_at_least = 0.2: ", "'y' of 'sex'", " 0.1429 ", "cluster 1", " 0.2"}));
    EXPECT_THAT(missed("share_at_most", "0.8"),
                Names({"share_at_most = 0.8: ", "'x' of 'sex'", " 0.8571 ", "cluster 1", " 0.8"}));
    EXPECT_THAT(missed("share_delta", "0.1"),
                Names({"share_delta = 0.1: ", "'x' of 'sex'", " 0.8571 ", "cluster 1", " 0.8333"}));
    EXPECT_THAT(missed("size_at_least", "8"), Names({"size_at_least = 8: ", "7 points"}));
    EXPECT_THAT(missed("size_at_most", "8"), Names({"size_at_most = 8: ", "9 points"}));
}

}  // namespace
}  // namespace fairstream
