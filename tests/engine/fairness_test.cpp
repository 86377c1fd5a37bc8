/// Fairness figures against their definitions, counted from lists of labels, and properties of every clustering.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

constexpr double infinite_error = std::numeric_limits<double>::infinity();
// A figure consists of at most k J < 100 quotients, sums and products of at most ten operations each, including the
// logarithms of the C library.
constexpr double tolerance = gamma(1000, double_unit);

// Points of one attribute: a cluster and a group each.
struct Labelling {
    int clusters, groups;
    std::vector<ClusterId> cluster;
    std::vector<GroupId> group;

    [[nodiscard]] std::size_t size() const { return cluster.size(); }
    [[nodiscard]] double in(int l) const { return static_cast<double>(std::ranges::count(cluster, l)); }
    [[nodiscard]] double of(int j) const {
        return static_cast<double>(std::ranges::count(group, static_cast<GroupId>(j)));
    }
    [[nodiscard]] double in_of(int l, int j) const {
        double count = 0;
        for (std::size_t i = 0; i < size(); ++i) count += cluster[i] == l && group[i] == j;
        return count;
    }
    [[nodiscard]] FairnessTally tally() const {
        FairnessTally all(clusters, std::vector<int>{groups});
        for (std::size_t i = 0; i < size(); ++i) all.add(cluster[i], &group[i]);
        return all;
    }
    [[nodiscard]] AttributeFairness fairness() const { return attribute_fairness(tally(), 0); }
};

Labelling random_labelling(Random& random) {
    Labelling x{static_cast<int>(1 + random.below(4)), static_cast<int>(1 + random.below(4)), {}, {}};
    const std::size_t n = random.below(25);
    // Some clusters and groups stay empty more often than by chance.
    const std::uint32_t some_clusters = 1 + random.below(static_cast<std::uint32_t>(x.clusters));
    const std::uint32_t some_groups = 1 + random.below(static_cast<std::uint32_t>(x.groups));
    for (std::size_t i = 0; i < n; ++i) {
        x.cluster.push_back(static_cast<ClusterId>(random.below(some_clusters)));
        x.group.push_back(static_cast<GroupId>(random.below(some_groups)));
    }
    return x;
}

// Every figure by its documented definition, from the lists.
namespace naive {

double balance(const Labelling& x, int l) {
    if (x.in(l) == 0) return 0;
    double least = 1;
    for (int j = 0; j < x.groups; ++j)
        for (int other = 0; other < x.groups; ++other)
            if (x.in_of(l, other) > 0) least = std::min(least, x.in_of(l, j) / x.in_of(l, other));
    return least;
}
template <class F> double over_clusters(const Labelling& x, double from, F&& f) {
    for (int l = 0; l < x.clusters; ++l) from = f(from, l);
    return from;
}
double minimum_balance(const Labelling& x) {
    return over_clusters(x, 1, [&](double least, int l) { return std::min(least, balance(x, l)); });
}
double average_balance(const Labelling& x) {
    return over_clusters(x, 0, [&](double sum, int l) { return sum + balance(x, l); }) / x.clusters;
}
// The most points of another group beside the members of the smallest group, over all ways to split those among
// clusters: a cluster with m of them takes floor(m / b), b = part / whole.
std::int64_t most_room(std::int64_t members, std::int64_t clusters, std::int64_t part, std::int64_t whole) {
    if (clusters == 1) return members * whole / part;
    std::int64_t most = 0;
    for (std::int64_t m = 1; m + clusters - 1 <= members; ++m)
        most = std::max(most, m * whole / part + most_room(members - m, clusters - 1, part, whole));
    return most;
}
double best_balance(const Labelling& x) {
    std::vector<std::int64_t> totals;
    for (int j = 0; j < x.groups; ++j) totals.push_back(static_cast<std::int64_t>(x.of(j)));
    const auto [least, most] = std::ranges::minmax(totals);
    double best = 0;
    if (least < x.clusters) return best;
    for (std::int64_t part = 1; part <= least; ++part)
        for (std::int64_t whole = part; whole <= most; ++whole)
            if (static_cast<double>(part) / static_cast<double>(whole) > best &&
                most_room(least, x.clusters, part, whole) >= most)
                best = static_cast<double>(part) / static_cast<double>(whole);
    return best;
}
double parity(const Labelling& x) {
    double lowest = 1;
    for (int l = 0; l < x.clusters; ++l) {
        if (x.in(l) == 0) return 0;
        for (int j = 0; j < x.groups; ++j)
            for (int other = 0; other < x.groups; ++other)
                if (x.of(j) > 0 && x.in_of(l, other) > 0)
                    lowest = std::min(lowest, (x.in_of(l, j) / x.of(j)) / (x.in_of(l, other) / x.of(other)));
    }
    return lowest;
}
double cluster_balance(const Labelling& x) {
    double least = 1;
    for (int l = 0; l < x.clusters; ++l)
        for (int j = 0; j < x.groups; ++j) {
            if (x.in(l) == 0) return 0;
            if (x.of(j) == 0) continue;
            const double r = (x.in_of(l, j) / x.in(l)) / (x.of(j) / static_cast<double>(x.size()));
            least = std::min({least, r, 1 / r});
        }
    return least;
}
double demographic_parity_difference(const Labelling& x) {
    double worst = 0;
    for (int l = 0; l < x.clusters; ++l)
        for (int j = 0; j < x.groups; ++j)
            for (int other = 0; other < x.groups; ++other)
                if (x.of(j) > 0 && x.of(other) > 0)
                    worst = std::max(worst, x.in_of(l, j) / x.of(j) - x.in_of(l, other) / x.of(other));
    return worst;
}
double worst_gap(const Labelling& x) {
    double worst = 0;
    for (int l = 0; l < x.clusters; ++l)
        for (int j = 0; j < x.groups; ++j)
            if (x.in(l) > 0)
                worst = std::max(worst, std::abs(x.in_of(l, j) / x.in(l)-x.of(j) / static_cast<double>(x.size())));
    return worst;
}
double kl_fairness_error(const Labelling& x) {
    double sum = 0;
    for (int l = 0; l < x.clusters; ++l)
        for (int j = 0; j < x.groups; ++j) {
            const double u = x.of(j) / static_cast<double>(x.size());
            if (x.in(l) > 0 && u > 0)
                sum += x.in_of(l, j) == 0 ? infinite_error : u * std::log(u / (x.in_of(l, j) / x.in(l)));
        }
    return sum;
}
double entropy(const Labelling& x) {
    double sum = 0, nonempty = 0;
    for (int l = 0; l < x.clusters; ++l) {
        nonempty += x.in(l) > 0;
        for (int j = 0; j < x.groups; ++j)
            if (const double p = x.in_of(l, j) / x.in(l); p > 0) sum -= p * std::log(p);
    }
    return sum / nonempty;
}

}  // namespace naive

void expect_near(double have, double want) {
    if (std::isinf(want))
        EXPECT_EQ(have, want);
    else
        EXPECT_NEAR(have, want, tolerance * std::max(1.0, std::abs(want)));
}

void expect_naive(const Labelling& x) {
    const AttributeFairness f = x.fairness();
    ASSERT_EQ(f.cluster_balances.size(), static_cast<std::size_t>(x.clusters));
    ASSERT_EQ(f.stream_shares.size(), static_cast<std::size_t>(x.groups));
    ASSERT_EQ(f.cluster_shares.size(), static_cast<std::size_t>(x.clusters * x.groups));
    expect_near(f.balance, naive::minimum_balance(x));
    expect_near(f.average_balance, naive::average_balance(x));
    expect_near(f.best_balance, naive::best_balance(x));
    expect_near(f.parity, naive::parity(x));
    expect_near(f.cluster_balance, naive::cluster_balance(x));
    expect_near(f.demographic_parity_difference, naive::demographic_parity_difference(x));
    expect_near(f.worst_gap, naive::worst_gap(x));
    expect_near(f.kl_fairness_error, naive::kl_fairness_error(x));
    expect_near(f.cluster_entropy, naive::entropy(x));
    EXPECT_EQ(f.balance, minimum_balance(x.tally(), 0));
    for (int l = 0; l < x.clusters; ++l) {
        expect_near(f.cluster_balances[static_cast<std::size_t>(l)], naive::balance(x, l));
        EXPECT_EQ(f.cluster_balances[static_cast<std::size_t>(l)], balance(x.tally(), 0, l));
        for (int j = 0; j < x.groups; ++j)
            expect_near(f.cluster_shares[static_cast<std::size_t>(l) * static_cast<std::size_t>(x.groups) +
                                         static_cast<std::size_t>(j)],
                        x.in(l) == 0 ? 0 : x.in_of(l, j) / x.in(l));
    }
    for (int j = 0; j < x.groups; ++j)
        expect_near(f.stream_shares[static_cast<std::size_t>(j)], x.of(j) / static_cast<double>(x.size()));
}

TEST(Fairness, EqualsTheDefinitionsCountedFromTheLabels) {
    Random random(1);
    for (int round = 0; round < 3000; ++round) {
        const Labelling x = random_labelling(random);
        if (x.size() == 0) continue;
        expect_naive(x);
        ASSERT_FALSE(HasFailure()) << "in round " << round;
    }
}

// Each property holds in exact arithmetic and survives rounding, since a correctly rounded quotient is monotone.
TEST(Fairness, KeepsItsBounds) {
    Random random(2);
    for (int round = 0; round < 3000; ++round) {
        const Labelling x = random_labelling(random);
        const AttributeFairness f = x.fairness();
        // m_lj >= b m_lj' in every cluster l adds up to N_j >= b N_j': no clustering exceeds the stream's own balance.
        EXPECT_LE(f.balance, f.best_balance);
        EXPECT_LE(f.parity, f.best_parity);
        EXPECT_LE(f.balance, f.average_balance * (1 + tolerance));
        for (const double figure : {f.balance, f.average_balance, f.best_balance, f.cluster_balance,
                                    f.demographic_parity_difference, f.worst_gap, f.parity, f.best_parity}) {
            EXPECT_GE(figure, 0);
            EXPECT_LE(figure, 1);
        }
        EXPECT_GE(f.kl_fairness_error, -tolerance) << "Gibbs";
        EXPECT_GE(f.cluster_entropy, 0);
        EXPECT_LE(f.cluster_entropy, std::log(x.groups) + tolerance) << "at most that of equal shares";
        ASSERT_FALSE(HasFailure()) << "in round " << round;
    }
}

// Equal shares in every nonempty cluster: nothing is unfair, whatever the sizes.
TEST(Fairness, IsPerfectWhenEveryClusterMirrorsTheStream) {
    for (int k = 1; k <= 60; ++k) {
        FairnessTally tally(k, std::vector<int>{3});
        for (int l = 0; l < k; ++l)
            for (int copy = 0; copy <= l; ++copy)
                for (const GroupId group : {0, 1, 1, 2, 2, 2}) tally.add(l, &group);
        const AttributeFairness f = attribute_fairness(tally, 0);
        EXPECT_EQ(f.balance, 1.0 / 3);
        EXPECT_EQ(f.best_balance, 1.0 / 3);
        EXPECT_EQ(f.cluster_balance, 1);
        EXPECT_EQ(f.worst_gap, 0);
        EXPECT_NEAR(f.parity, 1, tolerance);
        EXPECT_GE(f.best_parity, f.parity);
        EXPECT_EQ(f.kl_fairness_error, 0);
        EXPECT_NEAR(f.cluster_entropy, std::log(6) / 6 + std::log(3) / 3 + std::log(2) / 2, tolerance);
    }
}

// The mean of k balances, each at most 1, is at most 1, whatever k.
TEST(Fairness, PerfectBalancesAverageToOne) {
    for (int k = 1; k <= 2000; ++k) {
        FairnessTally tally(k, std::vector<int>{2});
        for (int l = 0; l < k; ++l)
            for (const GroupId group : {0, 1}) tally.add(l, &group);
        ASSERT_EQ(attribute_fairness(tally, 0).average_balance, 1) << k << " clusters";
    }
}

// -- what integer counts allow

// The highest balance and the highest parity over all assignments of a few points to clusters.
struct Best {
    double balance = 0, parity = 0;
};
Best best_of_all_assignments(Labelling x, std::size_t from = 0) {
    if (from == x.size()) return {naive::minimum_balance(x), naive::parity(x)};
    Best best;
    for (int l = 0; l < x.clusters; ++l) {
        x.cluster[from] = static_cast<ClusterId>(l);
        const Best found = best_of_all_assignments(x, from + 1);
        best.balance = std::max(best.balance, found.balance);
        best.parity = std::max(best.parity, found.parity);
    }
    return best;
}

TEST(Fairness, BestFiguresMatchEnumeration) {
    for (int clusters = 1; clusters <= 3; ++clusters)
        for (int first = 0; first <= 4; ++first)
            for (int second = first; first + second <= 7; ++second)
                for (int third = 0; third <= second && first + second + third <= 7; ++third) {
                    Labelling x{clusters, third == 0 ? 2 : 3, {}, {}};
                    x.group.insert(x.group.end(), static_cast<std::size_t>(first), GroupId{0});
                    x.group.insert(x.group.end(), static_cast<std::size_t>(second), GroupId{1});
                    x.group.insert(x.group.end(), static_cast<std::size_t>(third), GroupId{2});
                    if (x.size() == 0) continue;
                    x.cluster.assign(x.size(), 0);
                    const Best best = best_of_all_assignments(x);
                    const AttributeFairness f = x.fairness();
                    EXPECT_NEAR(f.best_balance, best.balance, tolerance);
                    EXPECT_NEAR(f.best_parity, best.parity, tolerance);
                    ASSERT_FALSE(HasFailure()) << clusters << ": " << first << " " << second << " " << third;
                }
}

TEST(Fairness, SinglePointGroupHasNoBalance) {
    const Labelling x{2, 2, {0, 0, 0, 1, 1, 1}, {0, 1, 1, 1, 1, 1}};
    EXPECT_EQ(x.fairness().best_balance, 0);
    EXPECT_EQ(x.fairness().best_parity, 0);
}

// -- by hand

TEST(Fairness, TwoGroupsByHand) {
    // Cluster 0 holds groups 0 0 1, cluster 1 holds 0 1 1 1: the stream is 3 to 4.
    const AttributeFairness f = Labelling{2, 2, {0, 0, 0, 1, 1, 1, 1}, {0, 0, 1, 0, 1, 1, 1}}.fairness();
    EXPECT_DOUBLE_EQ(f.balance, 1.0 / 3);
    EXPECT_DOUBLE_EQ(f.average_balance, (1.0 / 2 + 1.0 / 3) / 2);
    EXPECT_DOUBLE_EQ(f.best_balance, 2.0 / 3) << "1 : 1 and 2 : 3";
    EXPECT_DOUBLE_EQ(f.parity, (1.0 / 4) / (2.0 / 3)) << "of cluster 0: 2 of 3 and 1 of 4";
    EXPECT_DOUBLE_EQ(f.best_parity, 3.0 / 4) << "1 : 1 and 2 : 3: 1/3 to 1/4, 2/3 to 3/4";
    EXPECT_DOUBLE_EQ(f.cluster_balance, (1.0 / 3) / (4.0 / 7));  // also (1/4) / (3/7); 9/14 and 16/21 are larger
    EXPECT_DOUBLE_EQ(f.demographic_parity_difference, 2.0 / 3 - 1.0 / 4);
    EXPECT_DOUBLE_EQ(f.worst_gap, 2.0 / 3 - 3.0 / 7);
    EXPECT_DOUBLE_EQ(f.kl_fairness_error, 3.0 / 7 * std::log(9.0 / 14) + 4.0 / 7 * std::log(12.0 / 7) +
                                              3.0 / 7 * std::log(12.0 / 7) + 4.0 / 7 * std::log(16.0 / 21));
    EXPECT_DOUBLE_EQ(f.cluster_entropy,
                     (std::log(3) - 2.0 / 3 * std::log(2) + std::log(4) - 3.0 / 4 * std::log(3)) / 2);
    EXPECT_EQ(f.cluster_balances, (std::vector<double>{1.0 / 2, 1.0 / 3}));
    EXPECT_EQ(f.stream_shares, (std::vector<double>{3.0 / 7, 4.0 / 7}));
    EXPECT_EQ(f.cluster_shares, (std::vector<double>{2.0 / 3, 1.0 / 3, 1.0 / 4, 3.0 / 4}));
}

TEST(Fairness, ThreeGroupsByHand) {
    // Cluster 0 holds 0 1 2, cluster 1 holds 0 0 1 1 2.
    const AttributeFairness f = Labelling{2, 3, {0, 0, 0, 1, 1, 1, 1, 1}, {0, 1, 2, 0, 0, 1, 1, 2}}.fairness();
    EXPECT_DOUBLE_EQ(f.balance, 1.0 / 2);
    EXPECT_DOUBLE_EQ(f.average_balance, 3.0 / 4);
    EXPECT_DOUBLE_EQ(f.best_balance, 1.0 / 2) << "1 : 1 : 1 and 2 : 2 : 1";
    EXPECT_DOUBLE_EQ(f.parity, 2.0 / 3);
    EXPECT_DOUBLE_EQ(f.cluster_balance, (1.0 / 4) / (1.0 / 3));  // group 2 is 1/3 of cluster 0 and 1/4 of the stream
    EXPECT_DOUBLE_EQ(f.demographic_parity_difference, 2.0 / 3 - 1.0 / 2);
    EXPECT_DOUBLE_EQ(f.worst_gap, 1.0 / 3 - 1.0 / 4);
}

// The example of holisticai's own documentation: a is 4 of 10 points, its shares are 1/5, 2/3 and 1/2.
TEST(Fairness, HolisticaisExample) {
    const Labelling x{3, 2, {0, 1, 1, 2, 0, 0, 0, 0, 1, 2}, {0, 0, 0, 0, 1, 1, 1, 1, 1, 1}};
    EXPECT_DOUBLE_EQ(x.fairness().cluster_balance, 0.5);
    EXPECT_DOUBLE_EQ(x.fairness().balance, 0.25);  // its min_cluster_ratio of the smaller group
}

// holisticai counts a share above the stream's like one below: by the ratio of the smaller to the larger.
TEST(Fairness, ClusterBalanceFallsWithExcess) {
    // The stream is 2 to 8; cluster 0 is 1 to 1, so that group 0 has 2.5 times its share and group 1 has 0.625 times
    // its own.
    const Labelling x{2, 2, {0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 0, 1, 1, 1, 1, 1, 1, 1}};
    EXPECT_DOUBLE_EQ(x.fairness().cluster_balance, 0.4);
}

TEST(Fairness, EmptyClusterHasBalanceZero) {
    const AttributeFairness f = Labelling{3, 2, {0, 0, 2, 2}, {0, 1, 0, 1}}.fairness();
    EXPECT_EQ(f.balance, 0);
    EXPECT_EQ(f.cluster_balance, 0);
    EXPECT_DOUBLE_EQ(f.average_balance, 2.0 / 3);
    EXPECT_EQ(f.worst_gap, 0);
    EXPECT_EQ(f.kl_fairness_error, 0) << "only nonempty clusters count";
    EXPECT_DOUBLE_EQ(f.cluster_entropy, std::log(2));
    EXPECT_EQ(f.cluster_shares, (std::vector<double>{0.5, 0.5, 0, 0, 0.5, 0.5}));
}

TEST(Fairness, SingleGroupIsBalanced) {
    const Labelling x{2, 1, {0, 0, 1}, {0, 0, 0}};
    EXPECT_EQ(x.fairness().balance, 1);
    EXPECT_EQ(x.fairness().best_balance, 1);
    EXPECT_EQ(x.fairness().cluster_balance, 1);
    EXPECT_EQ(x.fairness().kl_fairness_error, 0);
    EXPECT_EQ(x.fairness().cluster_entropy, 0);
}

TEST(Fairness, AbsentGroupOnlyZerosBalance) {
    const AttributeFairness f = Labelling{2, 3, {0, 0, 1, 1}, {0, 2, 0, 2}}.fairness();
    EXPECT_EQ(f.balance, 0);
    EXPECT_EQ(f.best_balance, 0);
    EXPECT_EQ(f.parity, 1);
    EXPECT_EQ(f.cluster_balance, 1);
    EXPECT_EQ(f.demographic_parity_difference, 0);
    EXPECT_EQ(f.worst_gap, 0);
    EXPECT_EQ(f.kl_fairness_error, 0);
}

TEST(Fairness, MissingGroupMakesDivergenceInfinite) {
    const AttributeFairness f = Labelling{2, 2, {0, 0, 1}, {0, 1, 1}}.fairness();
    EXPECT_EQ(f.kl_fairness_error, infinite_error);
    EXPECT_EQ(f.balance, 0);
    EXPECT_EQ(f.cluster_balance, 0);
}

TEST(Fairness, OneClusterIsTheStream) {
    const AttributeFairness f = Labelling{1, 2, {0, 0, 0}, {0, 1, 1}}.fairness();
    EXPECT_EQ(f.balance, f.best_balance);
    EXPECT_EQ(f.balance, 0.5);
    EXPECT_EQ(f.cluster_shares, f.stream_shares);
    EXPECT_EQ(f.demographic_parity_difference, 0);
}

TEST(Fairness, EmptyClusteringHasNoGaps) {
    const Labelling x{3, 2, {}, {}};
    const AttributeFairness f = x.fairness();
    for (const double figure :
         {f.balance, f.average_balance, f.best_balance, f.cluster_balance, f.demographic_parity_difference, f.worst_gap,
          f.kl_fairness_error, f.cluster_entropy, f.parity, f.best_parity})
        EXPECT_EQ(figure, 0);
    EXPECT_EQ(f.cluster_balances, std::vector<double>(3));
    EXPECT_EQ(f.cluster_shares, std::vector<double>(6));
    EXPECT_EQ(f.stream_shares, std::vector<double>(2));
    EXPECT_EQ(minimum_balance(FairnessTally(), 0), 0);
}

}  // namespace
}  // namespace fairstream::test
