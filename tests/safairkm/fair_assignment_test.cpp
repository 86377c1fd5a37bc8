/// Fair assignments to fixed centres: the promises of their multipliers, against all assignments.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <fairstream/fair_assignment/detail/fair_assignment.hpp>

#include "from_scratch.hpp"
#include "support/rounding.hpp"
#include "support/streams.hpp"

namespace fairstream::safairkm {
namespace {

using Attributes = std::vector<std::uint32_t>;
using DemandList = std::vector<Demand>;
using Labels = std::vector<ClusterId>;

// Points with an assignment to k centres, which are points themselves.
struct Problem {
    Problem(const StreamFormat& format, const PointColumns& points, std::size_t clusters, Attributes balanced)
        : window(window_of(format, points)), k(clusters), attributes(std::move(balanced)), n(window.size()) {
        for (std::size_t l = 0; l < k; ++l)
            centres.insert(centres.end(), window.features(static_cast<Slot>(l * (n / k))),
                           window.features(static_cast<Slot>(l * (n / k))) + window.dimensions());
        assignment.emplace(window, k, attributes);
        assignment->measure(centres);
    }
    Problem(std::size_t points, std::size_t clusters, Attributes balanced, std::uint64_t seed,
            const StreamFormat& format = test::two_attributes())
        : Problem(format, test::mixture(format, points, seed), clusters, std::move(balanced)) {}

    // Returns the demand of this share of the best possible balance in every attribute.
    [[nodiscard]] DemandList demand(double share) const {
        DemandList demands;
        for (const std::uint32_t a : attributes) demands.push_back({a, share * best_balance(window, a)});
        return demands;
    }
    Labels settled(const DemandList& demands, int sweeps) {
        for (int sweep = 0; sweep < sweeps; ++sweep) assignment->optimise_prices(demands);
        return labels();
    }
    // By slot.
    Labels labels() {
        const std::span<const ClusterId> assigned = assignment->assign();
        Labels all(n, no_cluster);
        for (std::size_t i = 0; i < n; ++i) all[assignment->order()[i]] = assigned[i];
        return all;
    }
    [[nodiscard]] double away(Slot slot, std::size_t l) const {
        return squared_distance<float>(window, slot, centres, l);
    }
    [[nodiscard]] double cost(const Labels& labels) const {
        double total = 0;
        for (Slot slot = 0; slot < n; ++slot) total += away(slot, static_cast<std::size_t>(labels[slot]));
        return total;
    }
    [[nodiscard]] double farthest() const {
        double most = 0;
        for (Slot slot = 0; slot < n; ++slot)
            for (std::size_t l = 0; l < k; ++l) most = std::max(most, away(slot, l));
        return most;
    }
    // By how much rounding may misplace a point: distances are sums of d squares in float, one more rounding adds the
    // price, and no price here exceeds the largest distance. Twice, for the chosen cluster and the other one.
    [[nodiscard]] double tolerance() const {
        return 2 * test::gamma(window.dimensions() + 5, test::float_unit) * farthest();
    }
    // As many constraints can be tight at once: J - 1 for each cluster and attribute. A vertex of the linear programme
    // splits no more points than that; the multipliers place all others.
    [[nodiscard]] double split_points() const {
        std::size_t total = 0;
        for (const std::uint32_t a : attributes) total += window.format().attributes[a].groups.size() - 1;
        return static_cast<double>(k * total);
    }

    Window window;
    std::size_t k;
    Attributes attributes;
    std::size_t n;
    std::vector<float> centres;
    std::optional<FairAssignment> assignment;
};

// m_lj - b m_lj' for every cluster and ordered pair of groups of every attribute.
std::vector<double> excesses(const Problem& p, const Labels& labels, const DemandList& demands) {
    std::vector<double> all;
    for (const Demand& demand : demands) {
        const std::size_t groups = p.window.format().attributes[demand.attribute].groups.size();
        const std::vector<std::int64_t> counts = group_counts(p.window, labels, p.k, demand.attribute);
        for (std::size_t l = 0; l < p.k; ++l)
            for (std::size_t j = 0; j < groups; ++j)
                for (std::size_t other = 0; other < groups; ++other)
                    if (j != other)
                        all.push_back(static_cast<double>(counts[l * groups + j]) -
                                      demand.ratio * static_cast<double>(counts[l * groups + other]));
    }
    return all;
}

bool at_least(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, std::greater_equal<>());
}

void for_each_assignment(std::size_t n, std::size_t k, const std::function<void(const Labels&)>& visit) {
    Labels labels(n);
    for (;;) {
        visit(labels);
        std::size_t at = 0;
        while (at < n && ++labels[at] == static_cast<ClusterId>(k)) labels[at++] = 0;
        if (at == n) return;
    }
}

StreamFormat two_by_two() {
    return {2, {{"sex", {"f", "m"}}, {"home", {"town", "country"}}}, false};
}

const std::vector<Attributes> balanced_ones{{0}, {1}, {0, 1}};

TEST(FairAssignment, SettledMultipliersBalanceClusters) {
    for (const Attributes& attributes : balanced_ones)
        for (const double share : {0.75, 0.95})
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                Problem p(2000, 5, attributes, seed);
                const DemandList demands = p.demand(share);
                const Labels before = p.labels(), after = p.settled(demands, 150);
                ASSERT_LT(std::ranges::min(excesses(p, before, demands)), -2 * p.split_points()) << "nothing to do";
                EXPECT_GE(std::ranges::min(excesses(p, after, demands)), -p.split_points())
                    << attributes.size() << " attributes, share " << share << ", seed " << seed;
            }
}

// Everett, "Generalized Lagrange multiplier method", 1963: with prices from nonnegative multipliers, no assignment that
// is at least as fair in everything is cheaper. This holds for any multipliers, and so after any number of sweeps.
TEST(FairAssignment, NoFairerAssignmentIsCheaper) {
    struct Size {
        std::size_t n, k;
    };
    for (const auto [n, k] : {Size{10, 2}, Size{7, 3}, Size{5, 4}})
        for (const Attributes& attributes : balanced_ones)
            for (std::uint64_t seed = 1; seed <= 6; ++seed) {
                Problem p(n, k, attributes, seed);
                const DemandList demands = p.demand(seed % 2 == 0 ? 0.5 : 1);
                for (const int sweeps : {1, 1, 20}) {
                    const Labels found = p.settled(demands, sweeps);
                    const double cost = p.cost(found);
                    const std::vector<double> fairness = excesses(p, found, demands);
                    std::size_t as_fair = 0;
                    for_each_assignment(n, k, [&](const Labels& other) {
                        if (!at_least(excesses(p, other, demands), fairness)) return;
                        ++as_fair;
                        ASSERT_GE(p.cost(other), cost - static_cast<double>(n) * p.tolerance());
                    });
                    ASSERT_GT(as_fair, 0U) << "itself at least";
                }
            }
}

// Least cost over all integer assignments to two clusters in which every constraint holds with `slack` points to spare.
// Within a cell only the number of points in cluster 0 matters: those with the smallest difference of the two
// distances.
class CheapestOfTwo {
public:
    CheapestOfTwo(const Problem& p, const DemandList& demands, double slack) : p_(p), demands_(demands), slack_(slack) {
        std::map<std::vector<GroupId>, std::vector<Slot>> cells;
        for (Slot slot = 0; slot < p.n; ++slot) {
            std::vector<GroupId> key;
            for (const std::uint32_t a : p.attributes) key.push_back(p.window.group(slot, a));
            cells[key].push_back(slot);
        }
        for (auto& [key, slots] : cells) {
            std::ranges::sort(slots, {}, [&](Slot slot) { return p.away(slot, 0) - p.away(slot, 1); });
            cells_.push_back(slots);
        }
    }
    double find() {
        Labels labels(p_.n, 1);
        visit(0, labels, p_.cost(labels));
        return least_;
    }

private:
    void visit(std::size_t cell, Labels& labels, double cost) {
        if (cell == cells_.size()) {
            if (cost < least_ && std::ranges::min(excesses(p_, labels, demands_)) >= slack_) least_ = cost;
            return;
        }
        visit(cell + 1, labels, cost);
        for (const Slot slot : cells_[cell]) {
            labels[slot] = 0;
            cost += p_.away(slot, 0) - p_.away(slot, 1);
            visit(cell + 1, labels, cost);
        }
        for (const Slot slot : cells_[cell]) labels[slot] = 1;
    }
    const Problem& p_;
    const DemandList& demands_;
    double slack_;
    std::vector<std::vector<Slot>> cells_;
    double least_ = std::numeric_limits<double>::infinity();
};

TEST(FairAssignment, CostLiesBetweenNearbyBalances) {
    struct Case {
        std::size_t n;
        StreamFormat format;
        Attributes attributes;
    };
    const std::vector<Case> cases{
        {200, test::two_attributes(), {0}}, {120, test::two_attributes(), {1}}, {72, two_by_two(), {0, 1}}};
    for (const auto& [n, format, attributes] : cases)
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            Problem p(n, 2, attributes, seed, format);
            const DemandList demands = p.demand(0.6);
            const Labels found = p.settled(demands, 100);
            const double rounding = static_cast<double>(n) * p.tolerance(), few = p.split_points();
            ASSERT_GE(std::ranges::min(excesses(p, found, demands)), -few);
            EXPECT_GE(p.cost(found), CheapestOfTwo(p, demands, -few).find() - rounding);
            const double dearer = CheapestOfTwo(p, demands, few).find();
            ASSERT_LT(dearer, std::numeric_limits<double>::infinity()) << n << " points, seed " << seed;
            EXPECT_LE(p.cost(found), dearer + rounding);
        }
}

// Prices under which every point has its best cluster exist for a cell exactly if no cyclic exchange within it lowers
// the cost: no negative cycle among k clusters.
TEST(FairAssignment, NoCyclicExchangeHelps) {
    for (const Attributes& attributes : balanced_ones) {
        Problem p(1500, 6, attributes, 4);
        const Labels found = p.settled(p.demand(0.9), 30);
        std::map<std::vector<GroupId>, std::vector<double>> cells;
        for (Slot slot = 0; slot < p.n; ++slot) {
            std::vector<GroupId> key;
            for (const std::uint32_t a : attributes) key.push_back(p.window.group(slot, a));
            std::vector<double>& change =
                cells.try_emplace(key, p.k * p.k, std::numeric_limits<double>::infinity()).first->second;
            const auto from = static_cast<std::size_t>(found[slot]);
            for (std::size_t to = 0; to < p.k; ++to)
                change[from * p.k + to] = std::min(change[from * p.k + to], p.away(slot, to) - p.away(slot, from));
        }
        for (auto& [key, change] : cells) {
            for (std::size_t via = 0; via < p.k; ++via)  // Floyd and Warshall
                for (std::size_t from = 0; from < p.k; ++from)
                    for (std::size_t to = 0; to < p.k; ++to)
                        change[from * p.k + to] =
                            std::min(change[from * p.k + to], change[from * p.k + via] + change[via * p.k + to]);
            for (std::size_t l = 0; l < p.k; ++l)
                EXPECT_GE(change[l * p.k + l], -static_cast<double>(p.k) * p.tolerance());
        }
    }
}

void expect_nearest(Problem& p, const Labels& labels) {
    const double tolerance = p.tolerance();
    for (Slot slot = 0; slot < p.n; ++slot)
        for (std::size_t l = 0; l < p.k; ++l)
            ASSERT_LE(p.away(slot, static_cast<std::size_t>(labels[slot])), p.away(slot, l) + tolerance);
}

TEST(FairAssignment, UnconstrainedPointsAreNearest) {
    for (const Attributes& attributes : balanced_ones) {
        Problem p(1100, 5, attributes, 2);
        const Labels first = p.labels();
        expect_nearest(p, first);
        EXPECT_EQ(p.settled(p.demand(0), 1), first);
        EXPECT_NE(p.settled(p.demand(0.8), 10), first);
        EXPECT_EQ(p.settled(p.demand(0), 1), first) << "multipliers of an earlier demand are gone at once";
    }
}

TEST(FairAssignment, BalanceIsBoughtWithCost) {
    Problem p(1200, 4, {1}, 6);
    double cost = 0;
    for (const double share : {0.0, 0.5, 0.7, 0.9, 1.0}) {
        const double now = p.cost(p.settled(p.demand(share), 100));
        EXPECT_GT(now, cost) << share;
        cost = now;
    }
}

TEST(FairAssignment, OtherCentresAreMeasuredAfresh) {
    Problem moved(600, 3, {0}, 3), fresh(600, 3, {0}, 3);
    for (Problem* p : {&moved, &fresh}) {
        if (p == &moved) p->settled(p->demand(0), 3);
        std::ranges::reverse(p->centres);
        p->assignment->measure(p->centres);
    }
    EXPECT_EQ(moved.labels(), fresh.labels());
    expect_nearest(moved, moved.labels());
}

TEST(FairAssignment, OrderListsPointsByCell) {
    for (const Attributes& attributes : balanced_ones) {
        Problem p(300, 2, attributes, 1);
        const std::span<const Slot> order = p.assignment->order();
        EXPECT_EQ(std::set<Slot>(order.begin(), order.end()).size(), p.n);
        ASSERT_EQ(order.size(), p.n);
        std::set<std::vector<GroupId>> seen;
        std::vector<GroupId> last;
        for (const Slot slot : order) {
            std::vector<GroupId> key;
            for (const std::uint32_t a : attributes) key.push_back(p.window.group(slot, a));
            if (key != last) {
                EXPECT_TRUE(seen.insert(key).second) << "a cell comes a second time";
            }
            last = key;
        }
    }
}

TEST(FairAssignment, OneClusterHasAllPointsWhateverIsAsked) {
    Problem p(200, 1, {0, 1}, 1);
    for (const double share : {0.0, 0.5, 1.0, 1.2})  // a share above 1 cannot be met
        EXPECT_EQ(p.settled(p.demand(share), 40), Labels(p.n, 0)) << share;
    EXPECT_EQ(p.settled(p.demand(0), 1), Labels(p.n, 0));
}

// Identical points move together, in cells: the target may be unattainable, and yet every point gets a cluster.
TEST(FairAssignment, IdenticalPointsGetClusters) {
    PointColumns points = test::mixture(test::two_attributes(), 60, 1);
    for (std::size_t i = 0; i < points.features.size(); ++i) points.features[i] = static_cast<float>(i % 4);
    for (const Attributes& attributes : balanced_ones) {
        Problem p(test::two_attributes(), points, 3, attributes);
        EXPECT_EQ(p.labels(), Labels(p.n, 0)) << "ties go to the lower index";
        for (const ClusterId label : p.settled(p.demand(1), 50)) ASSERT_TRUE(label >= 0 && label < 3);
        EXPECT_EQ(p.settled(p.demand(0), 1), Labels(p.n, 0));
    }
}

TEST(FairAssignment, DisjointGroupsAreBalanced) {
    PointColumns points = test::mixture(test::two_attributes(), 900, 5);
    for (std::size_t i = 0; i < 900; ++i)
        if (points.groups[2 * i] == 0 && points.groups[2 * i + 1] == 2) points.groups[2 * i + 1] = 1;  // no f is old
    Problem p(test::two_attributes(), points, 4, {0, 1});
    const DemandList demands = p.demand(0.8);
    ASSERT_LT(std::ranges::min(excesses(p, p.labels(), demands)), -2 * p.split_points());
    EXPECT_GE(std::ranges::min(excesses(p, p.settled(demands, 150), demands)), -p.split_points());
}

TEST(FairAssignment, EmptyGroupMakesDemandImpossible) {
    PointColumns points = test::mixture(test::two_attributes(), 300, 5);
    for (std::size_t i = 0; i < 300; ++i) points.groups[2 * i + 1] = points.groups[2 * i + 1] / 2;  // no point is old
    Problem p(test::two_attributes(), points, 3, {1});
    for (const ClusterId label : p.settled({{1, 0.5}}, 50)) ASSERT_TRUE(label >= 0 && label < 3);
    expect_nearest(p, p.settled({{1, 0}}, 1));
}

}  // namespace
}  // namespace fairstream::safairkm
