#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fairstream/fair_kmeans/detail/cluster_changes.hpp>
#include <fairstream/fair_kmeans/detail/exchange.hpp>
#include <fairstream/fair_kmeans/detail/masses.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// Smaller changes, relative to the distances they are computed from, are rounding errors and could be repeated back and
// forth for ever.
constexpr double significant = 1e-6;

// Distances counted for a candidate of an exchange.
constexpr double work_of_exchange = 8;

struct MovingPoint {
    Clustering& c;
    Slot slot;
    ClusterId from;
    GroupId cell;
    double from_distance;  // |x - c_from|^2
    double weight;

    // Returns the exact change of m f1 if x, of weight w, moves to l (Hartigan), and the price of the changed label: w
    // m_l/(m_l+w) |x - c_l|^2 - w m_a/(m_a-w) |x - c_a|^2, with a its present cluster.
    [[nodiscard]] double change(ClusterId to, double to_distance) const {
        const double ml = c.mass(to);
        return weight * (ml / (ml + weight) * to_distance - leaving_factor(c.mass(from), weight) * from_distance) +
               c.price_of_change(slot);
    }
};

bool may_move(const MovingPoint& m, ClusterId to, Rule rule) {
    return rule == Rule::cost ||
           (m.c.keeps_demands(m.from, m.cell, none, m.weight) && m.c.keeps_demands(to, none, m.cell, 1, m.weight));
}

// Makes the cheapest allowed move that lowers f1. Distances are screened in float; the best is verified in double.
bool move_one(const MovingPoint& m, const float* away, Rule rule) {
    if (m.c.size(m.from) <= 1) return false;
    ClusterId best = no_cluster;
    double least = 0;
    for (ClusterId l = 0; l < static_cast<ClusterId>(m.c.k); ++l) {
        if (l == m.from) continue;
        const double change = m.change(l, away[l]);
        if (change < least && may_move(m, l, rule)) {
            least = change;
            best = l;
        }
    }
    if (best == no_cluster) return false;
    const double to_distance = m.c.distance(m.slot, best);
    if (m.change(best, to_distance) > -significant * m.weight * (to_distance + m.from_distance)) return false;
    m.c.move(m.slot, best);
    return true;
}

// An exchange of x with a candidate of another cluster, and the change of m f1; `no_cluster`: no exchange lowers f1.
struct Exchange {
    Slot with = 0;
    ClusterId to = no_cluster;
    double change = 0;
};

void consider_exchanges(const MovingPoint& m, ClusterId l, std::size_t cell, Exchange& best) {
    const double to_distance = m.c.distance(m.slot, l);
    const double shrink = 1 / static_cast<double>(m.c.size(m.from)) + 1 / static_cast<double>(m.c.size(l));
    const std::span<const Slot> others = m.c.sample(l, cell, m.c.candidate_count());
    m.c.work.spend(work_of_exchange * static_cast<double>(others.size()) * m.c.work_of_distance());
    for (const Slot other : others) {
        const double other_from_distance = m.c.distance(other, m.from);
        const double other_to_distance = m.c.distance(other, l);
        const double separable = to_distance - m.from_distance + other_from_distance - other_to_distance;
        const double apart = m.c.distance_of_points(m.slot, other);
        const double change = separable - apart * shrink + m.c.price_of_change(m.slot) + m.c.price_of_change(other);
        if (change < best.change &&
            change < -significant * (to_distance + m.from_distance + other_from_distance + other_to_distance))
            best = {other, l, change};
    }
}

// Considers exchanges of points of different weights, each of which may violate a demand or not.
void consider_weighted(const MovingPoint& m, ClusterId l, std::size_t cell, Exchange& best) {
    const auto other_cell = static_cast<int>(cell);
    const double to_distance = m.c.distance(m.slot, l);
    const std::span<const Slot> others = m.c.sample(l, cell, m.c.candidate_count());
    m.c.work.spend(work_of_exchange * static_cast<double>(others.size()) * m.c.work_of_distance());
    for (const Slot other : others) {
        const double weight = m.c.weight(other), change = exchange_change(m.c, m.slot, other, m.from, l) +
                                                          m.c.price_of_change(m.slot) + m.c.price_of_change(other);
        if (!(change < best.change)) continue;
        const double scale = m.weight * (to_distance + m.from_distance) +
                             weight * (m.c.distance(other, m.from) + m.c.distance(other, l));
        if (change < -significant * scale && m.c.keeps_demands(m.from, m.cell, other_cell, m.weight, weight) &&
            m.c.keeps_demands(l, other_cell, m.cell, weight, m.weight))
            best = {other, l, change};
    }
}

// Decides which points a cluster may exchange for the moving point if all weights are 1. It answers as
// `Clustering::keeps_demands`, for one cluster and many cells.
class ExchangeRule {
public:
    ExchangeRule(const MovingPoint& m, ClusterId l) : m_(m), l_(l), gets_(l != m.from) {
        if (m.c.cells.count() < ClusterChanges::worthwhile) return;
        now_ = m.c.shortfall(l);
        changes_.emplace(m.c, l, gets_ ? none : int{m.cell}, gets_ ? int{m.cell} : none);
    }
    // Returns whether the cluster meets its demands, or has no larger shortfall, if the other point is of this cell.
    [[nodiscard]] bool allows(int cell) const {
        const int minus = gets_ ? cell : none, plus = gets_ ? none : cell;
        if (changes_) return changes_->keeps(minus, plus) || (now_ > 0 && changes_->shortfall(minus, plus) <= now_);
        return gets_ ? m_.c.keeps_demands(l_, cell, m_.cell) : m_.c.keeps_demands(l_, m_.cell, cell);
    }

private:
    const MovingPoint& m_;
    ClusterId l_;
    bool gets_;       // whether the cluster gets the moving point; otherwise the cluster gives it away
    double now_ = 0;  // present shortfall, used if there are changes
    std::optional<ClusterChanges> changes_;
};

void consider_all(const MovingPoint& m, ClusterId l, const ExchangeRule& from_rule, Exchange& best) {
    const ExchangeRule to_rule(m, l);
    for (std::size_t cell = 0; cell < m.c.cells.count(); ++cell)
        if (const auto other = static_cast<int>(cell); from_rule.allows(other) && to_rule.allows(other))
            consider_exchanges(m, l, cell, best);
}

bool exchange_one(const MovingPoint& m, const float* away) {
    Exchange best;
    std::optional<ExchangeRule> from_rule;
    for (ClusterId l = 0; l < static_cast<ClusterId>(m.c.k); ++l) {
        // One of the two points must be nearer to the other cluster; this one is not.
        if (l == m.from || !(away[l] < m.from_distance)) continue;
        if (m.c.weighted) {
            for (std::size_t cell = 0; cell < m.c.cells.count(); ++cell) consider_weighted(m, l, cell, best);
            continue;
        }
        if (!from_rule) from_rule.emplace(m, m.from);
        consider_all(m, l, *from_rule, best);
    }
    if (best.to == no_cluster) return false;
    const ClusterId from = m.from;
    m.c.move(best.with, from);
    m.c.move(m.slot, best.to);
    return true;
}

}  // namespace

int improve(Clustering& c, Slot slot, Rule rule) {
    const float* away = c.distances(slot);
    const ClusterId from = c.label(slot);
    const MovingPoint moving_point{c, slot, from, c.cell(slot), c.distance(slot, from), c.weight(slot)};
    if (move_one(moving_point, away, rule)) return 1;
    if (rule == Rule::keep_balance && exchange_one(moving_point, away)) return 2;
    return 0;
}

namespace {

// Runs the paper's mini-batch: points are assigned to the centres as of its start, and each point moves its centre.
std::int64_t paper_updates(Clustering& c, std::span<const Slot> drawn) {
    std::int64_t moved = 0;
    c.workspace.frozen = c.workspace.packed;
    for (const Slot slot : drawn) {
        ClusterId nearest = 0;
        c.kernels.assign(c.window.features(slot), 1, c.d, c.workspace.frozen.data(), c.k, &nearest);
        if (nearest == c.label(slot)) {
            c.step_centre(nearest, c.window.features(slot), c.weight(slot));
        } else if (c.size(c.label(slot)) > 1) {
            c.move(slot, nearest);
            ++moved;
        }
    }
    return moved;
}

}  // namespace

std::int64_t revisit(Clustering& c, std::int64_t updates) {
    if (c.window.size() == 0) return 0;
    const Rule rule = c.targeted ? Rule::keep_balance : Rule::cost;
    std::int64_t moved = 0;
    // The authors' mini-batches visit all points before any point again.
    const bool in_turn = c.options.centre_update == CentreUpdate::paper;
    const std::uint64_t first = c.state.steps * static_cast<std::uint64_t>(updates);
    // Rows of drawn points are far apart in memory: draws a block, then visits it.
    constexpr std::int64_t block = 64;
    std::array<Slot, block> buffer;
    for (std::int64_t done = 0; done < updates && (done == 0 || !c.work.stopped()); done += block) {
        check_interrupted();
        const std::span<Slot> drawn =
            std::span(buffer).first(static_cast<std::size_t>(std::min(block, updates - done)));
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            Slot& slot = drawn[i];
            slot = in_turn ? static_cast<Slot>((first + static_cast<std::uint64_t>(done) + i) % c.window.size())
                           : c.random.below(c.window.size());
            __builtin_prefetch(c.window.features(slot));
            __builtin_prefetch(&c.state.labels[slot]);
            c.fetch_weight(slot);
        }
        if (c.options.centre_update == CentreUpdate::paper)
            moved += paper_updates(c, drawn);
        else
            for (const Slot slot : drawn) moved += improve(c, slot, rule);
        c.work.settle(c.work_of_visits(drawn.size()));
    }
    return moved;
}

}  // namespace fairstream::safairkm
