#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fairstream/fair_kmeans/detail/exchange.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// Balance of a cluster, and the number of pairs of groups that have it: with three groups or more a swap may improve
// one of several pairs.
struct TiedBalance {
    double balance;
    std::int64_t pairs;
};

TiedBalance tied_balance_after(std::span<const std::int64_t> counts, int minus, int plus) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0, at_least = 0, at_most = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        const std::int64_t m = counts[j] - (static_cast<int>(j) == minus) + (static_cast<int>(j) == plus);
        if (m < least) least = m, at_least = 0;
        if (m > most) most = m, at_most = 0;
        at_least += m == least;
        at_most += m == most;
    }
    return {most == 0 ? 0 : static_cast<double>(least) / static_cast<double>(most), at_least * at_most};
}

// Returns whether attribute a improves if l gives a point of group `out` to h and gets one of group `in` from it
// (either may be `none`). The pair of balances, the smaller first, must rise lexicographically, or tie with fewer pairs
// of groups at the balance. Any weaker rule cycles with three groups or more.
bool improves_balance(const Clustering& c, std::size_t a, ClusterId l, ClusterId h, int in, int out) {
    const auto ordered = [](TiedBalance one, TiedBalance other) {
        return one.balance <= other.balance ? std::pair(one, other) : std::pair(other, one);
    };
    const auto [low, high] =
        ordered(tied_balance_after(c.counts(l, a), none, none), tied_balance_after(c.counts(h, a), none, none));
    const auto [new_low, new_high] =
        ordered(tied_balance_after(c.counts(l, a), out, in), tied_balance_after(c.counts(h, a), in, out));
    if (new_low.balance != low.balance) return new_low.balance > low.balance;
    if (new_high.balance != high.balance) return new_high.balance > high.balance;
    return new_low.pairs + new_high.pairs < low.pairs + high.pairs;
}

struct Pair {
    Slot out;        // x, in C_l and the abundant group
    Slot in;         // x', in C_h and the scarce group
    ClusterId with;  // h
    double change = 0;
};

// The search for one swap. With one attribute a cell is a group. With several, a swap for one attribute is between
// cells of its scarce and its abundant group, and must keep the balance of the others.
struct SwapSearch {
    Clustering& c;
    std::span<const double> enough;  // wanted balance, by attribute
    std::size_t a;                   // attribute
    ClusterId l;
    GroupId scarce, abundant;
    std::size_t in, out;  // cells of the scarce and the abundant group
    bool must_help = true;

    [[nodiscard]] bool acceptable(ClusterId h) const {
        if (h == l || c.members(h, in).empty()) return false;
        return !must_help || (improves_balance(c, a, l, h, scarce, abundant) &&
                              keeps_other_balances(h, static_cast<int>(in), static_cast<int>(out)));
    }
    // Returns whether the other attributes keep their balance if l gives a point of cell `given` to h for one of cell
    // `taken`; either may be `none`.
    [[nodiscard]] bool keeps_other_balances(ClusterId h, int taken, int given) const {
        if (c.cells.attributes() == 1) return true;
        std::vector<double>& bounds = c.workspace.bounds;
        bounds.assign(enough.begin(), enough.end());
        bounds[a] = 0;  // the swap is for this attribute
        return c.keeps(l, given, taken, bounds) && c.keeps(h, taken, given, bounds);
    }
};

// Returns, for (4), the acceptable cluster with the largest ratio of scarce to abundant members.
std::optional<ClusterId> richest(const SwapSearch& s) {
    std::optional<ClusterId> best;
    for (ClusterId h = 0; h < static_cast<ClusterId>(s.c.k); ++h) {
        if (!s.acceptable(h)) continue;
        // m_h1 / m_h2 > m_b1 / m_b2 without a division; an abundant count of zero is an infinite ratio.
        if (!best || s.c.count(h, s.a, s.scarce) * s.c.count(*best, s.a, s.abundant) >
                         s.c.count(*best, s.a, s.scarce) * s.c.count(h, s.a, s.abundant))
            best = h;
    }
    return best;
}

// Returns, for (5), the acceptable cluster whose centre is closest to c_l.
std::optional<ClusterId> closest(const SwapSearch& s) {
    std::optional<ClusterId> best;
    double least = std::numeric_limits<double>::infinity();
    for (ClusterId h = 0; h < static_cast<ClusterId>(s.c.k); ++h) {
        if (!s.acceptable(h)) continue;
        const double away = s.c.kernels.distance(s.c.centre(s.l), s.c.centre(h), s.c.d);
        if (away < least) {
            least = away;
            best = h;
        }
    }
    return best;
}

std::optional<ClusterId> paper_target(const SwapSearch& s) {
    return s.c.options.swap_with == SwapWith::global ? richest(s) : closest(s);
}

// Returns the candidate nearest to its destination centre, as the paper chooses.
Slot nearest_to(Clustering& c, std::span<const Slot> candidates, ClusterId to) {
    Slot best = candidates.front();
    double least = std::numeric_limits<double>::infinity();
    for (const Slot slot : candidates) {
        const double away = c.distance(slot, to);
        if (away < least) {
            least = away;
            best = slot;
        }
    }
    return best;
}

std::optional<Pair> nearest_pair(const SwapSearch& s) {
    const std::optional<ClusterId> h = paper_target(s);
    if (!h) return std::nullopt;
    const Slot out = nearest_to(s.c, s.c.sample(s.l, s.out, s.c.candidate_count()), *h);
    return Pair{out, nearest_to(s.c, s.c.sample(*h, s.in, s.c.candidate_count()), s.l), *h};
}

// Returns the pair, over all target clusters (or the richest one), whose exchange changes f1 least. Candidates are
// screened by the separable parts of the change; target clusters are then compared by the whole change. Target clusters
// come in the order of the cost of their outgoing point. Once this cost alone exceeds the best pair's whole change, the
// other clusters are skipped: their incoming points would have to gain by leaving, and `improve` finds such points.
std::optional<Pair> cheapest_pair(const SwapSearch& s) {
    std::vector<ClusterId>& targets = s.c.workspace.targets;
    targets.clear();
    if (s.c.options.swap_with == SwapWith::global) {
        if (const std::optional<ClusterId> h = richest(s)) targets.push_back(*h);
    } else {
        for (ClusterId h = 0; h < static_cast<ClusterId>(s.c.k); ++h)
            if (s.acceptable(h)) targets.push_back(h);
    }
    if (targets.empty()) return std::nullopt;
    find_outgoing(s.c, s.l, s.c.sample(s.l, s.out, s.c.candidate_count()));
    const auto outgoing_cost = [&](ClusterId h) { return s.c.workspace.best_score[static_cast<std::size_t>(h)]; };
    std::ranges::stable_sort(targets, {}, outgoing_cost);
    const auto incoming = [&](ClusterId h) { return s.c.sample(h, s.in, s.c.candidate_count()); };
    std::optional<Pair> best;
    double least = std::numeric_limits<double>::infinity();
    std::span<const Slot> drawn = incoming(targets.front());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const ClusterId h = targets[i];
        if (outgoing_cost(h) >= least) break;
        const std::span<const Slot> candidates = drawn;
        if (i + 1 < targets.size()) drawn = incoming(targets[i + 1]);
        const Slot out = s.c.workspace.best_slot[static_cast<std::size_t>(h)];
        const Slot in = best_incoming(s.c, s.l, h, candidates);
        const double change = exchange_change(s.c, out, in, s.l, h);
        if (change < least) {
            least = change;
            best = Pair{out, in, h, change};
        }
    }
    return best;
}

// A move of one point from a cluster to another.
struct SingleMove {
    Slot slot = 0;
    ClusterId to = no_cluster;
    double change = std::numeric_limits<double>::infinity();  // change of m f1
};

void consider_single_moves(const SwapSearch& s, ClusterId from, ClusterId to, std::size_t cell, SingleMove& best) {
    if (s.c.size(from) < 2) return;
    for (const Slot slot : s.c.sample(from, cell, s.c.candidate_count())) {
        const double change = move_change(s.c, slot, from, to);
        if (change < best.change) best = {slot, to, change};
    }
}

// Moves a single point if no exchange helps: an abundant one out of C_l, or a scarce one into it. Sizes then change,
// which swaps never do; with few points or three groups the target may be unreachable otherwise.
bool move_once(SwapSearch& s) {
    SingleMove best;
    for (ClusterId h = 0; h < static_cast<ClusterId>(s.c.k); ++h) {
        if (h == s.l) continue;
        const bool out_helps = improves_balance(s.c, s.a, s.l, h, none, s.abundant);
        const bool in_helps = improves_balance(s.c, s.a, s.l, h, s.scarce, none);
        for (std::size_t cell = 0; cell < s.c.cells.count(); ++cell) {
            const GroupId group = s.c.cells.group(cell, s.a);
            const auto moved_cell = static_cast<int>(cell);
            if (out_helps && group == s.abundant && s.keeps_other_balances(h, none, moved_cell))
                consider_single_moves(s, s.l, h, cell, best);
            if (in_helps && group == s.scarce && s.keeps_other_balances(h, moved_cell, none))
                consider_single_moves(s, h, s.l, cell, best);
        }
    }
    if (best.to == no_cluster) return false;
    s.c.move(best.slot, best.to);
    return true;
}

// Returns the best exchange between cells of the two groups; `alike`: of points with equal groups in all other
// attributes, whose counts then do not change.
std::optional<Pair> best_exchange(SwapSearch& s, bool alike) {
    std::optional<Pair> best;
    for (s.in = 0; s.in < s.c.cells.count(); ++s.in) {
        if (s.c.cells.group(s.in, s.a) != s.scarce) continue;
        for (s.out = 0; s.out < s.c.cells.count(); ++s.out) {
            if (s.c.cells.group(s.out, s.a) != s.abundant || s.c.members(s.l, s.out).empty()) continue;
            bool same = true;
            for (std::size_t b = 0; b < s.c.cells.attributes(); ++b)
                same = same && (b == s.a || s.c.cells.group(s.in, b) == s.c.cells.group(s.out, b));
            if (same != alike) continue;
            const std::optional<Pair> pair = s.c.options.swap == Swap::nearest ? nearest_pair(s) : cheapest_pair(s);
            if (pair && (!best || pair->change < best->change)) best = pair;
        }
    }
    return best;
}

bool exchange_once(SwapSearch& s) {
    std::optional<Pair> pair = best_exchange(s, true);
    if (!pair && s.c.cells.attributes() > 1) pair = best_exchange(s, false);
    if (!pair) return false;
    s.c.move(pair->in, s.l);
    s.c.move(pair->out, pair->with);
    return true;
}

// Prepares a search with the pair of groups that determines the balance of the least balanced cluster; nothing if its
// groups are equally large. For one attribute only, so that groups are cells.
std::optional<SwapSearch> paper_search(Clustering& c) {
    const ClusterId l = c.least_balanced(0);
    const std::span<const std::int64_t> counts = c.counts(l, 0);
    const auto [least, most] = std::ranges::minmax_element(counts);
    if (*least == *most) return std::nullopt;
    const auto scarce = static_cast<GroupId>(least - counts.begin());
    const auto abundant = static_cast<GroupId>(most - counts.begin());
    return SwapSearch{c, {}, 0, l, scarce, abundant, scarce, abundant, false};
}

void paper_move(Clustering& c, ClusterId from, GroupId group, ClusterId to) {
    const std::span<const Slot> candidates = c.sample_unmoved(from, group, c.candidate_count());
    if (candidates.empty() || c.size(from) < 2) return;
    const Slot slot = nearest_to(c, candidates, to);
    c.move(slot, to);
    c.mark_moved(slot, from);
    c.mark_moved(slot, to);
}

// Makes a swap as the authors' code does: one point in, one point out, with cluster, groups and target chosen anew
// between both, whether or not the balance rises. A fixed number of swaps bounds it.
bool paper_swap(Clustering& c) {
    const std::optional<SwapSearch> in = paper_search(c);
    const std::optional<ClusterId> giver = in ? paper_target(*in) : std::nullopt;
    if (!giver) return false;
    paper_move(c, *giver, in->scarce, in->l);
    const std::optional<SwapSearch> out = paper_search(c);
    const std::optional<ClusterId> taker = out ? paper_target(*out) : std::nullopt;
    if (taker) paper_move(c, out->l, out->abundant, *taker);
    return true;
}

}  // namespace

bool swap_once(Clustering& c, std::size_t a, std::span<const double> enough) {
    const ClusterId l = c.least_balanced(a);
    const std::span<const std::int64_t> counts = c.counts(l, a);
    if (c.size(l) == 0 || c.balance(l, a) >= enough[a]) return false;
    const auto [least, most] = std::ranges::minmax(counts);
    for (const auto update : {exchange_once, move_once}) {
        if (update == move_once && c.options.swap == Swap::nearest) break;
        for (std::size_t scarce = 0; scarce < counts.size(); ++scarce)
            for (std::size_t abundant = 0; abundant < counts.size(); ++abundant) {
                if (counts[scarce] != least || counts[abundant] != most || least == most) continue;
                SwapSearch search{c, enough, a, l, static_cast<GroupId>(scarce), static_cast<GroupId>(abundant), 0, 0};
                if (update(search)) return true;
            }
    }
    return false;
}

namespace {

// Swaps of whole points do not raise a balance of weights step by step. Instead, moves and exchanges bring clusters
// nearer to `enough`, or to the balance of all points.
std::int64_t raise_weighted(Clustering& c, std::span<const double> enough, std::int64_t limit) {
    const GroupMasses masses = group_masses(c.state.tally, c.state.weight_unit());
    Demands raised;
    for (std::size_t a = 0; a < c.cells.attributes(); ++a) {
        const double most = weighted_balance({}, masses.of(c.cells.attribute(a)));
        raised.of_groups.push_back({.attribute = c.cells.attribute(a), .ratio = std::min(enough[a], most)});
    }
    std::swap(c.demands, raised);
    const std::int64_t most_updates = 256 + static_cast<std::int64_t>(c.window.size());
    const std::int64_t made = repair_some(c, std::min(limit, most_updates));
    std::swap(c.demands, raised);
    return made;
}

}  // namespace

std::int64_t swap_until(Clustering& c, std::span<const double> enough, std::int64_t limit) {
    if (c.weighted) return raise_weighted(c, enough, limit);
    const bool as_the_authors = c.options.swap == Swap::nearest && !c.targeted;
    const std::size_t attributes = c.cells.attributes();
    std::int64_t swaps = 0;
    std::size_t successive_failures = 0;  // number of successive attributes for which nothing helped
    for (std::size_t a = 0; swaps < limit && successive_failures < attributes; a = (a + 1) % attributes) {
        check_interrupted();
        if (swaps > 0 && (c.targeted ? c.work.ends_repairs() : c.work.stopped())) break;
        const bool swapped = as_the_authors ? paper_swap(c) : swap_once(c, a, enough);
        c.work.settle(static_cast<double>(c.k) * c.work_of_visits(1) +
                      static_cast<double>(c.k * c.candidate_count() * c.d));
        swaps += swapped;
        successive_failures = swapped ? 0 : successive_failures + 1;
    }
    return swaps;
}

}  // namespace fairstream::safairkm
