/// Labels of new points that keep the targets, for fixed centres.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/demands.hpp>

#include "support/streams.hpp"

namespace fairstream {
namespace {

using test::mixture;
using test::two_attributes;

safairkm::Options options_of(int clusters, const OneOrMore<int>& attribute) {
    safairkm::Options options{.clusters = clusters, .targets = {.attribute = attribute}};
    options.targets.rare_below = 0;
    options.effort = 0;
    options.starts = 1;
    return options;
}

class AssignFair : public ::testing::Test {
protected:
    void begin(const safairkm::Options& options, const StreamFormat& format = two_attributes()) {
        engine_.emplace(EngineOptions{.format = format, .window = {.capacity = 600}, .models = {{"m", options, {}}}});
        engine_->ingest(mixture(format, 600, 3).view());
    }
    [[nodiscard]] std::vector<ClusterId> labelled(const PointColumns& points,
                                                  const std::vector<GroupId>& groups) const {
        std::vector<ClusterId> labels(points.ids.size());
        engine_->assign_fair("m", points.features, groups, labels);
        return labels;
    }
    [[nodiscard]] double distance(const PointColumns& points, std::size_t i, ClusterId cluster) const {
        const std::vector<float> centres = engine_->report("m").centres;
        const std::size_t d = engine_->window().dimensions();
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const double x = points.features[i * d + j] - centres[static_cast<std::size_t>(cluster) * d + j];
            sum += x * x;
        }
        return sum;
    }
    [[nodiscard]] double cost(const PointColumns& points, const std::vector<ClusterId>& labels) const {
        double sum = 0;
        for (std::size_t i = 0; i < labels.size(); ++i) sum += distance(points, i, labels[i]);
        return sum;
    }

    std::optional<Engine> engine_;
};

/// Counts the labels by cluster and group.
FairnessTally tally_of(int clusters, const StreamFormat& format, const std::vector<ClusterId>& labels,
                       const std::vector<GroupId>& groups) {
    FairnessTally tally = empty_tally(clusters, format);
    tally.add(labels, groups.data());
    return tally;
}

TEST_F(AssignFair, KeepsTheTargetsAmongThePoints) {
    for (const double target : {0.5, 0.8, 0.95}) {
        safairkm::Options options = options_of(5, {0, 1});
        options.targets.parity_at_least = target;
        begin(options);
        const PointColumns fresh = mixture(two_attributes(), 500, 17);
        const FairnessTally tally = tally_of(5, two_attributes(), labelled(fresh, fresh.groups), fresh.groups);
        EXPECT_GE(attribute_fairness(tally, 0).parity, target - 1e-12);
        EXPECT_GE(attribute_fairness(tally, 1).parity, target - 1e-12);
        std::vector<ClusterId> nearest(500);
        engine_->assign("m", fresh.features, nearest);
        const FairnessTally without = tally_of(5, two_attributes(), nearest, fresh.groups);
        EXPECT_LT(attribute_fairness(without, 1).parity, target) << "a target that the nearest keep tests nothing";
    }
}

TEST_F(AssignFair, IsAboutTheAttributesThatTheModelBalances) {
    safairkm::Options options = options_of(4, 1);
    options.targets.balance_at_least = 0.6;
    begin(options);
    const PointColumns fresh = mixture(two_attributes(), 400, 18);
    std::vector<GroupId> ages;
    for (std::size_t i = 0; i < 400; ++i) ages.push_back(fresh.groups[2 * i + 1]);
    const StreamFormat of_age{4, {two_attributes().attributes[1]}};
    EXPECT_GE(minimum_balance(tally_of(4, of_age, labelled(fresh, ages), ages), 0), 0.6);
    std::vector<ClusterId> labels(400);
    EXPECT_THROW(engine_->assign_fair("m", fresh.features, fresh.groups, labels), InvalidInput);
}

// Tries all labels of few points: none that keeps the target is cheaper than the found ones by more than the search's
// slack.
TEST_F(AssignFair, FewLabelsThatKeepTheTargetAreCheaper) {
    const StreamFormat format{2, {{"sex", {"f", "m"}}}};
    safairkm::Options options = options_of(2, 0);
    options.targets.balance_at_least = 0.5;
    begin(options, format);
    constexpr std::size_t n = 9;
    int best = 0, solved = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const PointColumns fresh = mixture(format, n, 100 + seed);
        const FairnessTally all = tally_of(1, format, std::vector<ClusterId>(n), fresh.groups);
        if (std::min(all.count(0, 0, 0), all.count(0, 0, 1)) < 2) continue;  // not enough for two clusters
        const std::vector<ClusterId> found = labelled(fresh, fresh.groups);
        double least = std::numeric_limits<double>::infinity();
        for (unsigned bits = 0; bits < 1U << n; ++bits) {
            std::vector<ClusterId> labels(n);
            for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<ClusterId>(bits >> i & 1U);
            const FairnessTally tally = tally_of(2, format, labels, fresh.groups);
            if (tally.size(0) > 0 && tally.size(1) > 0 && minimum_balance(tally, 0) >= 0.5)
                least = std::min(least, cost(fresh, labels));
        }
        const FairnessTally tally = tally_of(2, format, found, fresh.groups);
        if (tally.size(0) == 0 || tally.size(1) == 0 || least == std::numeric_limits<double>::infinity()) continue;
        ++solved;
        EXPECT_GE(minimum_balance(tally, 0), 0.5) << seed;
        EXPECT_GE(cost(fresh, found), least * (1 - 1e-9)) << seed;
        best += cost(fresh, found) <= least * (1 + 1e-9);
    }
    EXPECT_GT(solved, 100);
    EXPECT_GE(best, solved * 9 / 10) << best << " of " << solved;
}

// Tries all labels of few points that cannot keep both targets: the larger shortfall is as small as possible.
TEST_F(AssignFair, UnattainableTargetIsApproached) {
    const StreamFormat format{2, {{"sex", {"f", "m"}}, {"age", {"young", "old"}}}};
    constexpr double target = 0.9;
    safairkm::Options options = options_of(2, {0, 1});
    options.targets.balance_at_least = target;
    begin(options, format);
    constexpr std::size_t n = 9;
    const auto level = [&](const std::vector<ClusterId>& labels, const std::vector<GroupId>& groups) {
        const FairnessTally tally = tally_of(2, format, labels, groups);
        if (tally.size(0) == 0 || tally.size(1) == 0) return 0.0;
        return std::min(minimum_balance(tally, 0), minimum_balance(tally, 1)) / target;
    };
    int asked = 0, best = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const PointColumns fresh = mixture(format, n, 100 + seed);
        const FairnessTally all = tally_of(1, format, std::vector<ClusterId>(n), fresh.groups);
        if (std::min({all.count(0, 0, 0), all.count(0, 0, 1), all.count(0, 1, 0), all.count(0, 1, 1)}) < 2) continue;
        double most = 0;
        for (unsigned bits = 0; bits < 1U << n; ++bits) {
            std::vector<ClusterId> labels(n);
            for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<ClusterId>(bits >> i & 1U);
            most = std::max(most, level(labels, fresh.groups));
        }
        if (most >= 1) continue;
        ++asked;
        best += level(labelled(fresh, fresh.groups), fresh.groups) >= most - 1e-12;
    }
    EXPECT_GT(asked, 100);
    EXPECT_GE(best, asked * 9 / 10) << best << " of " << asked;
}

// Tries all labels of few points of two groups: a ratio that some of them keep is kept.
TEST_F(AssignFair, OneRatioIsSearchedFully) {
    const StreamFormat format{2, {{"sex", {"f", "m"}}}};
    for (const double target : {0.6, 0.7, 0.8}) {
        safairkm::Options options = options_of(2, 0);
        options.targets.parity_at_least = target;
        begin(options, format);
        constexpr std::size_t n = 11;
        int kept = 0;
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const PointColumns fresh = mixture(format, n, 300 + seed);
            const auto parity = [&](const std::vector<ClusterId>& labels) {
                return attribute_fairness(tally_of(2, format, labels, fresh.groups).without_empty_clusters(), 0).parity;
            };
            double most = 0;
            for (unsigned bits = 1; bits + 1 < 1U << n; ++bits) {
                std::vector<ClusterId> labels(n);
                for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<ClusterId>(bits >> i & 1U);
                most = std::max(most, parity(labels));
            }
            if (most < target) continue;
            ++kept;
            EXPECT_GE(parity(labelled(fresh, fresh.groups)), target) << seed;
        }
        EXPECT_GT(kept, 20) << target;
    }
}

/// The points of a cluster by sex and age, two each: [2 * sex + age].
using Cells = std::array<std::int64_t, 4>;

/// Returns whether a cluster has points and keeps both balances.
bool keeps(const Cells& points, double of_sex, double of_age) {
    const auto balance = [](std::int64_t a, std::int64_t b) {
        return static_cast<double>(std::min(a, b)) / static_cast<double>(std::max<std::int64_t>({a, b, 1}));
    };
    return std::accumulate(points.begin(), points.end(), std::int64_t{0}) > 0 &&
           balance(points[0] + points[1], points[2] + points[3]) >= of_sex &&
           balance(points[0] + points[2], points[1] + points[3]) >= of_age;
}

/// Returns whether some counts in three clusters keep both balances, by trying all counts.
bool can_keep(const Cells& totals, double of_sex, double of_age) {
    std::vector<Cells> rows;
    Cells row{};
    for (row[0] = 0; row[0] <= totals[0]; ++row[0])
        for (row[1] = 0; row[1] <= totals[1]; ++row[1])
            for (row[2] = 0; row[2] <= totals[2]; ++row[2])
                for (row[3] = 0; row[3] <= totals[3]; ++row[3])
                    if (keeps(row, of_sex, of_age)) rows.push_back(row);
    for (const Cells& first : rows)
        for (const Cells& second : rows) {
            Cells third = totals;
            for (std::size_t c = 0; c < 4; ++c) third[c] -= first[c] + second[c];
            if (std::ranges::min(third) >= 0 && keeps(third, of_sex, of_age)) return true;
        }
    return false;
}

// Tries all counts of few points: two balances that some of them keep are kept.
TEST_F(AssignFair, TwoRatiosOfFewPointsAreKept) {
    const StreamFormat format{2, {{"sex", {"f", "m"}}, {"age", {"young", "old"}}}};
    for (const auto& [of_sex, of_age] : {std::pair(0.7, 0.2), std::pair(0.8, 0.35), std::pair(0.6, 0.5)}) {
        safairkm::Options options = options_of(3, {0, 1});
        options.targets.balance_at_least = {of_sex, of_age};
        begin(options, format);
        int kept = 0;
        for (std::uint64_t seed = 0; seed < 80; ++seed) {
            const std::size_t n = 14 + seed % 7;
            const PointColumns fresh = mixture(format, n, 500 + seed);
            Cells totals{};
            for (std::size_t i = 0; i < n; ++i) ++totals[2 * fresh.groups[2 * i] + fresh.groups[2 * i + 1]];
            if (!can_keep(totals, of_sex, of_age)) continue;
            ++kept;
            const FairnessTally tally =
                tally_of(3, format, labelled(fresh, fresh.groups), fresh.groups).without_empty_clusters();
            EXPECT_GE(minimum_balance(tally, 0), of_sex) << seed;
            EXPECT_GE(minimum_balance(tally, 1), of_age) << seed;
        }
        EXPECT_GT(kept, 20) << of_sex;
    }
}

// The balance found does not fall by more than a thousandth when more is asked for, whether possible or not.
TEST_F(AssignFair, AskedForMoreNoLessIsFound) {
    const StreamFormat format{3, {{"sex", {"f", "m"}}}};
    for (const std::size_t n : {std::size_t{40}, std::size_t{300}}) {
        const PointColumns fresh = mixture(format, n, 31);
        double most = 0;
        for (const double target : {0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
            safairkm::Options options = options_of(5, 0);
            options.targets.balance_at_least = target;
            begin(options, format);
            const double found = minimum_balance(tally_of(5, format, labelled(fresh, fresh.groups), fresh.groups), 0);
            EXPECT_GE(found, std::min(target, most) * 0.999) << target << " of " << n;
            most = std::max(most, found);
        }
    }
}

TEST_F(AssignFair, TheOrderOfThePointsDoesNotMatter) {
    safairkm::Options options = options_of(4, {0, 1});
    options.targets.parity_at_least = 0.9;
    begin(options);
    const PointColumns fresh = mixture(two_attributes(), 300, 21);
    const std::vector<ClusterId> labels = labelled(fresh, fresh.groups);
    PointColumns backwards;
    for (std::size_t i = 300; i-- > 0;) backwards.append(fresh.view().slice(i, 1));
    std::vector<ClusterId> turned = labelled(backwards, backwards.groups);
    std::ranges::reverse(turned);
    EXPECT_EQ(turned, labels);
}

// Which groups count does not depend on the number of new points.
TEST_F(AssignFair, TheGroupsThatCountInTheWindowCount) {
    safairkm::Options options = options_of(4, 1);
    options.targets.balance_at_least = 0.5;
    options.targets.rare_below = 20;  // 80 of 600 points
    StreamFormat format = two_attributes();
    engine_.emplace(EngineOptions{.format = format, .window = {.capacity = 600}, .models = {{"m", options, {}}}});
    PointColumns points = mixture(format, 600, 3);
    const auto make_rare = [](PointColumns& of) {
        for (std::size_t i = 0; i < of.ids.size(); ++i)
            if (i % 20 != 0 && of.groups[2 * i + 1] == 2) of.groups[2 * i + 1] = static_cast<GroupId>(i % 2);
    };
    make_rare(points);
    engine_->ingest(points.view());
    PointColumns fresh = mixture(format, 100, 27);
    make_rare(fresh);
    std::vector<GroupId> ages;
    for (std::size_t i = 0; i < 100; ++i) ages.push_back(fresh.groups[2 * i + 1]);
    ASSERT_GT(std::ranges::count(ages, 2), 0);
    const FairnessTally tally = tally_of(4, {4, {format.attributes[1]}}, labelled(fresh, ages), ages);
    for (ClusterId l = 0; l < 4; ++l) {
        const auto [least, most] = std::minmax({tally.count(l, 0, 0), tally.count(l, 0, 1)});
        EXPECT_GE(2 * least, most) << l;
    }
}

// The last of three ages has few points more than there are clusters. It has one in each, and does not affect the
// targets on the others.
TEST_F(AssignFair, AGroupWithFewPointsCostsNoOther) {
    safairkm::Options options = options_of(5, {0, 1});
    options.targets.parity_at_least = 0.8;
    options.targets.rare_below = 5;
    begin(options);
    const PointColumns fresh = mixture(two_attributes(), 300, 28);
    for (const std::size_t few : {5, 6, 8, 10}) {
        PointColumns some;
        std::size_t old = 0;
        for (std::size_t i = 0; i < 300; ++i)
            if (fresh.groups[2 * i + 1] != 2 || old++ < few) some.append(fresh.view().slice(i, 1));
        const std::vector<ClusterId> labels = labelled(some, some.groups);
        const FairnessTally tally = tally_of(5, two_attributes(), labels, some.groups);
        EXPECT_GE(attribute_fairness(tally, 0).parity, 0.8);
        for (ClusterId l = 0; l < 5; ++l) {
            const auto rate = [&](GroupId age) {
                double all = 0;
                for (ClusterId other = 0; other < 5; ++other) all += static_cast<double>(tally.count(other, 1, age));
                return static_cast<double>(tally.count(l, 1, age)) / all;
            };
            const auto [least, most] = std::minmax({rate(0), rate(1)});
            EXPECT_GE(least, 0.8 * most * (1 - 1e-12)) << l << " of " << few;
            EXPECT_GT(rate(2), 0) << l << " of " << few;
        }
    }
}

// Labels points one by one: each goes to the cluster that it takes least below the targets; among several, to the
// nearest. Counts and demands are computed again for each point and cluster.
std::vector<ClusterId> one_after_another(const safairkm::Options& options, FairnessTally tally,
                                         const PointColumns& points, const auto& distance) {
    std::vector<ClusterId> labels;
    for (std::size_t i = 0; i < points.ids.size(); ++i) {
        const Demands demands = demands_for(targets_of(options), group_masses(tally));
        const auto short_by = [&](const FairnessTally& of, ClusterId l) {
            double sum = shortfall(demands.of_sizes, of.size(l));
            for (const Demand& demand : demands.of_groups)
                sum += shortfall(demand, of.counts(l, static_cast<int>(demand.attribute)));
            return sum;
        };
        std::pair<double, double> least{std::numeric_limits<double>::infinity(), 0};
        labels.push_back(no_cluster);
        for (ClusterId l = 0; l < tally.clusters(); ++l) {
            FairnessTally with = tally;
            with.add(l, &points.groups[2 * i]);
            const double added = short_by(with, l) - short_by(tally, l);
            const std::pair<double, double> price{std::max(0.0, added), distance(i, l)};
            if (price < least) least = price, labels.back() = l;
        }
        tally.add(labels.back(), &points.groups[2 * i]);
    }
    return labels;
}

TEST_F(AssignFair, FewPointsAreLabelledOneByOne) {
    std::vector<safairkm::Options> all(5, options_of(5, {0, 1}));
    all[0].targets.balance_at_least = 0.6;
    all[1].targets.parity_at_least = 0.9;
    all[2].targets.share_delta = 0.1;
    all[3].targets.balance_at_least = 0.5, all[3].targets.size_at_most = 125;
    all[4].targets.share_at_least = {0.4, 0.4, 0.2, 0.2, 0.2};
    for (const safairkm::Options& options : all) {
        begin(options);
        const FairnessTally before = engine_->report("m").tally();
        std::size_t elsewhere = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const PointColumns fresh = mixture(two_attributes(), 1 + seed % 9, 700 + seed);
            const std::vector<ClusterId> labels = labelled(fresh, fresh.groups);
            EXPECT_EQ(labels, one_after_another(options, before, fresh,
                                                [&](std::size_t i, ClusterId l) { return distance(fresh, i, l); }))
                << &options - all.data() << ' ' << seed;
            std::vector<ClusterId> nearest(labels.size());
            engine_->assign("m", fresh.features, nearest);
            for (std::size_t i = 0; i < labels.size(); ++i) elsewhere += labels[i] != nearest[i];
        }
        EXPECT_GT(elsewhere, 0U) << &options - all.data();
    }
}

// Points of one group only: the clusters stay at the target for as long as one has room for the next point.
TEST_F(AssignFair, SingleGroupDoesNotOverfill) {
    safairkm::Options options = options_of(5, 0);
    options.targets.balance_at_least = 0.6;
    begin(options);
    const FairnessTally before = engine_->report("m").tally();
    ASSERT_GE(minimum_balance(before, 0), 0.6);
    std::int64_t room = 0;
    for (ClusterId l = 0; l < 5; ++l)
        room += static_cast<std::int64_t>(static_cast<double>(before.count(l, 0, 0)) / 0.6) - before.count(l, 0, 1);
    ASSERT_GT(room, 20);
    const PointColumns fresh = mixture(two_attributes(), static_cast<std::size_t>(room), 29);
    FairnessTally after = before;
    std::size_t i = 0;
    for (const ClusterId label : labelled(fresh, std::vector<GroupId>(fresh.ids.size(), 1))) {
        const std::array<GroupId, 2> groups{1, fresh.groups[2 * i++ + 1]};
        after.add(label, groups.data());
    }
    EXPECT_GE(minimum_balance(after, 0), 0.6 * (1 - 1e-12));
}

TEST_F(AssignFair, HasNoClusterWhileTheModelWarms) {
    engine_.emplace(EngineOptions{.format = two_attributes(), .window = {}, .models = {{"m", options_of(4, 0), {}}}});
    const PointColumns fresh = mixture(two_attributes(), 20, 24);
    EXPECT_EQ(labelled(fresh, std::vector<GroupId>(20, 0)), std::vector<ClusterId>(20, no_cluster));
}

TEST_F(AssignFair, UnknownGroupsCountInNoTarget) {
    StreamFormat format = two_attributes();
    format.attributes[0].groups.emplace_back("unknown");
    format.attributes[0].has_unknown = true;
    safairkm::Options options = options_of(4, 0);
    options.targets.parity_at_least = 0.8;
    begin(options, format);
    const PointColumns fresh = mixture(format, 400, 25);
    std::vector<GroupId> sexes;
    for (std::size_t i = 0; i < 400; ++i) sexes.push_back(fresh.groups[2 * i]);
    const StreamFormat of_sex{4, {format.attributes[0]}};
    const std::vector<ClusterId> labels = labelled(fresh, sexes);
    EXPECT_GE(attribute_fairness(tally_of(4, of_sex, labels, sexes), 0).parity, 0.8);
    std::vector<ClusterId> nearest(400);
    engine_->assign("m", fresh.features, nearest);
    std::size_t kept = 0, unknown = 0;
    for (std::size_t i = 0; i < 400; ++i) unknown += sexes[i] == 2, kept += sexes[i] == 2 && labels[i] == nearest[i];
    EXPECT_EQ(kept, unknown) << "nothing keeps these from the nearest centre";
    EXPECT_GT(unknown, 50U);
}

// A point far from all others has a cluster of its own, unless the target draws others to it.
TEST_F(AssignFair, FarUnknownPointKeepsTarget) {
    StreamFormat format{2, {{"sex", {"f", "m"}}}};
    PointColumns points = mixture(format, 600, 3);
    format.attributes[0].groups.emplace_back("unknown");
    format.attributes[0].has_unknown = true;
    points.features[1] = 5000;
    for (const GroupId group : {0, 2}) {
        points.groups[0] = group;
        safairkm::Options options = options_of(4, 0);
        options.targets.parity_at_least = 0.8;
        engine_.emplace(EngineOptions{.format = format, .window = {.capacity = 600}, .models = {{"m", options, {}}}});
        engine_->ingest(points.view());
        engine_->ingest(Refinement{"m", 0});
        EXPECT_GE(attribute_fairness(engine_->report("m").tally(), 0).parity, 0.8) << group;
    }
}

TEST_F(AssignFair, SharesAreThoseOfTheKnownGroups) {
    StreamFormat format = two_attributes();
    for (Attribute& attribute : format.attributes) {
        attribute.groups.emplace_back("unknown");
        attribute.has_unknown = true;
    }
    for (const int n : {60, 400}) {
        safairkm::Options options = options_of(4, {0, 1});
        options.targets.share_delta = 0.2;
        begin(options, format);
        const PointColumns fresh = mixture(format, static_cast<std::size_t>(n), 25);
        const FairnessTally tally = tally_of(4, format, labelled(fresh, fresh.groups), fresh.groups);
        for (int a = 0; a < 2; ++a) {
            const auto groups = static_cast<GroupId>(format.attributes[static_cast<std::size_t>(a)].known_groups());
            const auto share = [&](ClusterId first, ClusterId end, GroupId group) {
                double own = 0, all = 0;
                for (ClusterId l = first; l < end; ++l)
                    for (GroupId j = 0; j < groups; ++j) {
                        all += static_cast<double>(tally.count(l, a, j));
                        own += j == group ? static_cast<double>(tally.count(l, a, j)) : 0;
                    }
                return own / all;
            };
            int shared = 0;
            for (GroupId j = 0; j < groups; ++j)
                for (ClusterId l = 0; l < 4; ++l) {
                    if (std::isnan(share(l, l + 1, j))) continue;  // no known points: no bound applies
                    ++shared;
                    EXPECT_GE(share(l, l + 1, j), 0.8 * share(0, 4, j) * (1 - 1e-12)) << n << ' ' << l;
                    EXPECT_LE(share(l, l + 1, j), share(0, 4, j) / 0.8 * (1 + 1e-12)) << n << ' ' << l;
                }
            EXPECT_GE(shared, 3 * groups);
        }
    }
}

}  // namespace
}  // namespace fairstream
