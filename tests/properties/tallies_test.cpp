/// Tallies of clusterings and of scores under sequences of changes, against lists of the included points.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>  // needs the first

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <span>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/fairness/score_tally.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream::test {
namespace {

/// Adds the point, or removes one of the included points: the one at `which`, modulo their number. All figures are
/// compared after a change that ends a step.
template <class Point> struct Change {
    bool adds = true;
    Point point;
    std::size_t which = 0;
    bool ends = false;
    friend std::ostream& operator<<(std::ostream& out, const Change& change) {
        change.adds ? out << '+' << change.point : out << '-' << change.which;
        return out << (change.ends ? " |" : "");
    }
};

template <class Point> rc::Gen<std::vector<Change<Point>>> changes(const rc::Gen<Point>& point) {
    return rc::gen::container<std::vector<Change<Point>>>(rc::gen::build<Change<Point>>(
        rc::gen::set(&Change<Point>::adds, rc::gen::weightedElement<bool>({{3, true}, {2, false}})),
        rc::gen::set(&Change<Point>::point, point),
        rc::gen::set(&Change<Point>::which, rc::gen::inRange<std::size_t>(0, 20)),
        rc::gen::set(&Change<Point>::ends, rc::gen::arbitrary<bool>())));
}

// -- clusterings

constexpr int clusters = 3;
constexpr std::array<int, 2> group_counts{2, 3};
using Groups = std::array<GroupId, group_counts.size()>;

struct Labelled {
    ClusterId cluster = no_cluster;
    Groups groups{};
    friend std::ostream& operator<<(std::ostream& out, const Labelled& point) {
        return out << '(' << point.cluster << ": " << point.groups[0] << ' ' << point.groups[1] << ')';
    }
};

rc::Gen<Labelled> labelled() {
    const auto groups =
        rc::gen::map(rc::gen::pair(rc::gen::inRange(0, group_counts[0]), rc::gen::inRange(0, group_counts[1])),
                     [](const std::pair<int, int>& pair) {
                         return Groups{static_cast<GroupId>(pair.first), static_cast<GroupId>(pair.second)};
                     });
    return rc::gen::build<Labelled>(rc::gen::set(&Labelled::cluster, rc::gen::inRange<ClusterId>(no_cluster, clusters)),
                                    rc::gen::set(&Labelled::groups, groups));
}

/// The included points.
using Members = std::vector<Labelled>;

/// Points that a tally counts together.
struct Columns {
    std::vector<ClusterId> clusters;
    std::vector<GroupId> groups;
    void add(const Labelled& point) {
        clusters.push_back(point.cluster);
        groups.insert(groups.end(), point.groups.begin(), point.groups.end());
    }
};

template <class Condition> std::int64_t count_if(const Members& in, Condition condition) {
    return std::ranges::count_if(in, [&](const Labelled& p) { return p.cluster != no_cluster && condition(p); });
}

void require_counts(const FairnessTally& tally, const Members& in) {
    RC_ASSERT(tally.total() == count_if(in, [](const Labelled&) { return true; }));
    for (ClusterId l = 0; l < clusters; ++l) {
        RC_ASSERT(tally.size(l) == count_if(in, [&](const Labelled& p) { return p.cluster == l; }));
        for (std::size_t a = 0; a < group_counts.size(); ++a) {
            const auto groups = static_cast<GroupId>(group_counts[a]);
            for (GroupId j = 0; j < groups; ++j)
                RC_ASSERT(tally.count(l, static_cast<int>(a), j) ==
                          count_if(in, [&](const Labelled& p) { return p.cluster == l && p.groups[a] == j; }));
        }
    }
}

double quotient(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Over all pairs of groups, by definition: balance of counts, and parity of rates among groups with points.
void require_figures(const FairnessTally& tally, const Members& in) {
    for (std::size_t a = 0; a < group_counts.size(); ++a) {
        const auto groups = static_cast<GroupId>(group_counts[a]);
        double balance = 1, parity = 1, difference = 0;
        for (ClusterId l = 0; l < clusters; ++l)
            for (GroupId i = 0; i < groups; ++i)
                for (GroupId j = 0; j < groups; ++j) {
                    const auto inside = [&](GroupId g) {
                        return count_if(in, [&](const Labelled& p) { return p.cluster == l && p.groups[a] == g; });
                    };
                    const auto all = [&](GroupId g) {
                        return count_if(in, [&](const Labelled& p) { return p.groups[a] == g; });
                    };
                    if (tally.size(l) == 0) balance = parity = 0;
                    if (inside(j) > 0) balance = std::min(balance, quotient(inside(i), inside(j)));
                    if (all(i) == 0 || all(j) == 0) continue;
                    const double rate = quotient(inside(i), all(i)), other = quotient(inside(j), all(j));
                    if (other > 0) parity = std::min(parity, rate / other);
                    difference = std::max(difference, rate - other);
                }
        RC_ASSERT(minimum_balance(tally, static_cast<int>(a)) == balance);
        if (tally.total() == 0) continue;
        const AttributeFairness figures = attribute_fairness(tally, static_cast<int>(a));
        RC_ASSERT(figures.balance == balance);
        RC_ASSERT(figures.parity == parity);
        RC_ASSERT(figures.demographic_parity_difference == difference);
    }
}

RC_GTEST_PROP(TallyProperties, ClusterTallyMatchesPoints, ()) {
    // One tally counts each point separately, the other the points of a step together.
    FairnessTally singly(clusters, group_counts), together(clusters, group_counts);
    Members in;
    Columns added, removed;
    for (const auto& [adds, point, which, ends] : *changes(labelled())) {
        if (!adds && in.empty()) continue;
        const auto at = in.begin() + static_cast<std::ptrdiff_t>(in.empty() ? 0 : which % in.size());
        const Labelled changed = adds ? point : *at;
        (adds ? added : removed).add(changed);
        if (changed.cluster != no_cluster) {
            if (adds)
                singly.add(changed.cluster, changed.groups.data());
            else
                singly.remove(changed.cluster, changed.groups.data());
        }
        if (adds)
            in.push_back(changed);
        else
            in.erase(at);
        if (!ends) continue;
        together.add(added.clusters, added.groups.data());
        together.remove(removed.clusters, removed.groups.data());
        added = removed = {};
        require_counts(singly, in);
        RC_ASSERT((singly == together));
    }
    require_figures(singly, in);
}

// -- scores

constexpr std::size_t score_groups = 2;

struct Scored {
    Score score = 0;
    GroupId group = 0;
    bool positive = false;
    double weight = 1;
    bool operator==(const Scored&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Scored& point) {
        return out << '(' << point.score << (point.positive ? '+' : '-') << point.weight << " of " << point.group
                   << ')';
    }
};

/// Few scores, both zeros among them, and weights whose sums are exact.
rc::Gen<Scored> scored() {
    return rc::gen::build<Scored>(
        rc::gen::set(&Scored::score, rc::gen::element(0.0, -0.0, 1.0, 2.0, 3.0, -1.0, no_score)),
        rc::gen::set(&Scored::group, rc::gen::inRange<GroupId>(0, score_groups)),
        rc::gen::set(&Scored::positive, rc::gen::arbitrary<bool>()),
        rc::gen::set(&Scored::weight, rc::gen::element(1.0, 2.0, 0.5)));
}

// Returns the expected entries of a group, by falling score; the tally chooses the order of equal scores.
std::vector<ScoreTally::Entry> entries_of(const std::vector<Scored>& in, GroupId group) {
    std::vector<ScoreTally::Entry> entries;
    for (const Scored& point : in)
        if (point.group == group && point.score != no_score)
            entries.push_back({point.score, point.weight, point.positive ? 1.0F : 0.0F});
    std::ranges::stable_sort(entries, std::ranges::greater{}, &ScoreTally::Entry::score);
    return entries;
}

void require_entries(const ScoreTally& tally, const std::vector<Scored>& in) {
    std::size_t size = 0;
    for (GroupId group = 0; group < score_groups; ++group) {
        const auto found = tally.sorted(group);
        const std::vector<ScoreTally::Entry> expected = entries_of(in, group);
        size += expected.size();
        RC_ASSERT(std::ranges::is_sorted(found, std::ranges::greater{}, &ScoreTally::Entry::score));
        RC_ASSERT(std::ranges::is_permutation(found, expected));
        for (const ScoreTally::Entry& entry : found) RC_ASSERT(entry.score != 0 || !std::signbit(entry.score));
    }
    RC_ASSERT(tally.size() == size);
}

double share_above(const std::vector<ScoreTally::Entry>& entries, double threshold) {
    double above = 0, all = 0;
    for (const ScoreTally::Entry& entry : entries) {
        all += entry.weight;
        if (entry.score > threshold) above += entry.weight;
    }
    return above / all;
}

// Over all ranks: the largest gap of Pr(score > threshold) at any score, the gap at one of them, and the accuracy
// there.
void require_figures(const ScoreTally& tally, const std::vector<Scored>& in, double threshold) {
    const std::vector<ScoreTally::Entry> first = entries_of(in, 0), second = entries_of(in, 1);
    const bool both = !first.empty() && !second.empty();
    const auto gap = [&](double at) { return both ? std::abs(share_above(first, at) - share_above(second, at)) : 0; };
    double largest = 0, right = 0, all = 0;
    for (const auto& entries : {first, second})
        for (const ScoreTally::Entry& entry : entries) {
            for (const double below : {0.0, 0.5}) largest = std::max(largest, gap(entry.score - below));
            right += (entry.score > threshold) == entry.positive() ? entry.weight : 0;
            all += entry.weight;
        }
    const ScoreFairness figures = score_fairness(tally, {{{0, 1}}}, threshold);
    RC_ASSERT(figures.points == static_cast<std::int64_t>(first.size() + second.size()));
    RC_ASSERT(figures.overall_gap == largest);
    RC_ASSERT(figures.sp == largest);
    RC_ASSERT(figures.dp == gap(threshold));
    RC_ASSERT(figures.accuracy == (all > 0 ? right / all : 0));
}

RC_GTEST_PROP(TallyProperties, ScoreTallyMatchesPoints, ()) {
    const double threshold = *rc::gen::element(0.0, 1.0, -2.0, 2.5);
    ScoreTally tally(score_groups);
    std::vector<Scored> in;
    for (const auto& [adds, point, which, ends] : *changes(scored())) {
        if (adds) {
            in.push_back(point);
            tally.add(point.score, point.group, point.positive, point.weight);
        } else if (!in.empty()) {
            const auto at = in.begin() + static_cast<std::ptrdiff_t>(which % in.size());
            tally.remove(at->score, at->group, at->positive, at->weight);
            in.erase(at);
        }
        if (!ends) continue;
        tally.settle();
        require_entries(tally, in);
    }
    tally.settle();
    require_figures(tally, in, threshold);
    ScoreTally fresh(score_groups);
    for (const Scored& point : in) fresh.add(point.score, point.group, point.positive, point.weight);
    fresh.settle();
    RC_ASSERT((fresh == tally));
}

}  // namespace
}  // namespace fairstream::test
