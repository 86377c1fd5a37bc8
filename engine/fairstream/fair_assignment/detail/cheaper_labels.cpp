#include <fairstream/fair_assignment/detail/cheaper_labels.hpp>

#include <algorithm>
#include <limits>

namespace fairstream {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The point of one cell with the cheapest move from one cluster to another; the cost is infinite if there is none.
struct Move {
    float cost = std::numeric_limits<float>::infinity();
    std::uint32_t point = 0;
};

// A point of cell `out` moves from cluster l to h, and one of cell `in` from h to l; an index equal to the number of
// cells means no point.
struct Change {
    double cost = 0;
    std::size_t out = 0, in = 0;
};

class Descent {
public:
    // Steps that are counted for one change in a cluster's shortfall.
    static constexpr std::int64_t steps_per_rise = 16;

    // Subtracts the number of its steps from `steps`.
    Descent(const CountProblem& problem, const CellDistances& points, std::span<ClusterId> labels, std::int64_t& steps)
        : p_(problem),
          k_(problem.clusters),
          cells_(problem.cells.size()),
          n_(labels.size()),
          points_(points),
          labels_(labels),
          steps_(steps),
          counts_(k_ * cells_),
          moves_(k_ * k_ * cells_),
          rises_(k_),
          sizes_(k_),
          shortfalls_(k_),
          best_(k_ * k_) {
        double cost = 0;
        for (std::size_t c = 0, i = 0; c < cells_; ++c)
            for (; i < points_.ends[c]; ++i) {
                ++counts_[label(i) * cells_ + c];
                cost += distance(i, label(i));
            }
        mean_ = cost / static_cast<double>(n_);
        for (std::size_t l = 0; l < k_; ++l) measure_cluster(l);
    }

    // Makes the change that saves the most until none saves anything. Each point of shortfall costs `price`; at an
    // infinite price no cluster's shortfall rises.
    bool run(double price) {
        price_ = price;
        for (std::size_t l = 0; l < k_; ++l)
            for (std::size_t h = l + 1; h < k_; ++h) find_change(l, h);
        bool changed = false;
        while (steps_ > 0) {
            const auto best = std::ranges::min_element(best_, {}, &Change::cost);
            if (best->cost >= 0) break;
            const auto at = static_cast<std::size_t>(best - best_.begin());
            apply(at / k_, at % k_, *best);
            changed = true;
        }
        return changed;
    }

    // Continues from labels that meet the demands and that no change improves: makes the cheapest change, again and
    // again, and forbids its reverse during the next changes (Glover, "Tabu search", 1989). The price of a point of
    // shortfall rises while demands are missed and falls while they are met: missing and meeting them alternate. Leaves
    // the cheapest labels found that meet the demands; returns whether they are cheaper than the first.
    bool tabu_search(int changes) {
        constexpr double factor = 1.25;
        // The price changes after this many successive changes that all meet, or all miss, the demands.
        constexpr int patience = 4;
        std::vector<int> tabu_until(moves_.size());  // by cluster, cluster it moves to, and cell
        std::vector<ClusterId> cheapest(labels_.begin(), labels_.end());
        double cost = 0, least = 0;
        price_ = mean_;
        int in_a_row = 0;
        bool kept = true;
        for (int turn = 1; turn <= changes && steps_ > 0; ++turn) {
            std::size_t from = 0, to = 0;
            Change next{infinity, cells_, cells_};
            for (std::size_t l = 0; l < k_; ++l)
                for (std::size_t h = l + 1; h < k_; ++h) {
                    const auto is_free = [&](std::size_t out, std::size_t in) {
                        return (out == cells_ || tabu_until[(l * k_ + h) * cells_ + out] < turn) &&
                               (in == cells_ || tabu_until[(h * k_ + l) * cells_ + in] < turn);
                    };
                    const double before = next.cost;
                    find_cheapest(l, h, is_free, next);
                    if (next.cost < before) from = l, to = h;
                }
            if (next.cost == infinity) break;
            cost += change(from, to, next);
            const int until = turn + 3 + turn % 7;  // bans vary in length, so that changes do not cycle
            if (next.out < cells_) tabu_until[(to * k_ + from) * cells_ + next.out] = until;
            if (next.in < cells_) tabu_until[(from * k_ + to) * cells_ + next.in] = until;
            in_a_row = keeps_demands() == kept ? in_a_row + 1 : 0;
            kept = keeps_demands();
            if (in_a_row >= patience) price_ *= kept ? 1 / factor : factor, in_a_row = 0;
            if (kept && cost < least - rounding * mean_) {
                least = cost;
                cheapest.assign(labels_.begin(), labels_.end());
            }
        }
        std::ranges::copy(cheapest, labels_.begin());
        return least < 0;
    }

    [[nodiscard]] bool keeps_demands() const {
        return std::ranges::all_of(shortfalls_, [](double points) { return points == 0; });
    }
    [[nodiscard]] double mean_distance() const { return mean_; }

private:
    [[nodiscard]] std::size_t label(std::size_t i) const { return static_cast<std::size_t>(labels_[i]); }
    [[nodiscard]] float distance(std::size_t i, std::size_t l) const { return points_.distances[l * n_ + i]; }
    [[nodiscard]] std::span<const std::int64_t> row(std::size_t l) const {
        return std::span(counts_).subspan(l * cells_, cells_);
    }
    [[nodiscard]] std::span<Move> moves(std::size_t l, std::size_t h) {
        return std::span(moves_).subspan((l * k_ + h) * cells_, cells_);
    }

    // Finds the cheapest moves of each cell's points from cluster l to every other, and the cluster's shortfall after
    // each change.
    void measure_cluster(std::size_t l) {
        std::fill_n(moves_.begin() + static_cast<std::ptrdiff_t>(l * k_ * cells_), k_ * cells_, Move{});
        std::size_t members = 0;
        for (std::size_t c = 0, i = 0; c < cells_; ++c)
            for (; i < points_.ends[c]; ++i) {
                if (label(i) != l) continue;
                ++members;
                for (std::size_t h = 0; h < k_; ++h)
                    if (const float cost = distance(i, h) - distance(i, l); cost < moves(l, h)[c].cost)
                        moves(l, h)[c] = {cost, static_cast<std::uint32_t>(i)};
            }
        sizes_[l] = static_cast<std::int64_t>(members);
        shortfalls_[l] = p_.shortfall(row(l));
        rises_[l] = p_.shortfall_rises(row(l));
        steps_ -=
            static_cast<std::int64_t>(n_ + members * k_) + steps_per_rise * static_cast<std::int64_t>(rises_[l].size());
    }

    // Finds the change between clusters l < h that saves the most.
    void find_change(std::size_t l, std::size_t h) {
        Change& best = best_[l * k_ + h] = {-rounding * mean_, cells_, cells_};
        find_cheapest(
            l, h, [](std::size_t, std::size_t) { return true; }, best);
        if (best.out == best.in) best.cost = 0;
    }

    // Finds an allowed change between clusters l < h that costs less than `best`, and sets `best` to the cheapest.
    template <class Allowed> void find_cheapest(std::size_t l, std::size_t h, const Allowed& allowed, Change& best) {
        const std::span<const Move> moves_out = moves(l, h), moves_in = moves(h, l);
        const std::vector<double>&of_l = rises_[l], &of_h = rises_[h];
        const bool keeps_used = (sizes_[l] == 1 || sizes_[h] == 1) && p_.keeps_used(sizes_);
        for (std::size_t out = 0; out <= cells_; ++out)
            for (std::size_t in = 0; in <= cells_; ++in) {
                if (out == in || !allowed(out, in)) continue;
                if (keeps_used && ((in == cells_ && sizes_[l] == 1) || (out == cells_ && sizes_[h] == 1))) continue;
                const double moved =
                    (out < cells_ ? double{moves_out[out].cost} : 0) + (in < cells_ ? double{moves_in[in].cost} : 0);
                const double l_by = of_l[in * (cells_ + 1) + out], h_by = of_h[out * (cells_ + 1) + in];
                const double cost = price_ < infinity        ? moved + price_ * (l_by + h_by)
                                    : l_by <= 0 && h_by <= 0 ? moved
                                                             : infinity;
                if (cost < best.cost) best = {cost, out, in};
            }
        steps_ -= static_cast<std::int64_t>((cells_ + 1) * (cells_ + 1));
    }

    // Makes a change; returns the increase of the points' distances to their centres.
    double change(std::size_t l, std::size_t h, const Change change) {
        double farther = 0;
        const auto make = [&](std::size_t cell, std::size_t from, std::size_t to) {
            if (cell == cells_) return;
            const Move made = moves(from, to)[cell];
            farther += made.cost;
            move(made.point, cell, from, to);
        };
        make(change.out, l, h);
        make(change.in, h, l);
        measure_cluster(l);
        measure_cluster(h);
        return farther;
    }

    void apply(std::size_t l, std::size_t h, const Change made) {
        change(l, h, made);
        for (const std::size_t changed : {l, h})
            for (std::size_t other = 0; other < k_; ++other)
                if (other != changed) find_change(std::min(changed, other), std::max(changed, other));
    }

    void move(std::size_t i, std::size_t cell, std::size_t from, std::size_t to) {
        labels_[i] = static_cast<ClusterId>(to);
        --counts_[from * cells_ + cell];
        ++counts_[to * cells_ + cell];
    }

    static constexpr double rounding = 1e-6;  // relative to a mean distance: distances are float32

    const CountProblem& p_;
    std::size_t k_, cells_, n_;
    const CellDistances& points_;
    std::span<ClusterId> labels_;
    std::int64_t& steps_;
    std::vector<std::int64_t> counts_;        // k x cells
    std::vector<Move> moves_;                 // k x k x cells
    std::vector<std::vector<double>> rises_;  // by cluster: rises of its shortfall
    std::vector<std::int64_t> sizes_;         // by cluster
    std::vector<double> shortfalls_;          // by cluster
    std::vector<Change> best_;                // k x k, for l < h; cost 0: none
    double mean_ = 0;                         // initial mean distance of the points to their centres
    double price_ = infinity;
};

[[nodiscard]] bool is_searched(const CountProblem& problem, std::span<const ClusterId> labels) {
    return !labels.empty() && problem.clusters > 1 && problem.cells.size() <= most_cells_searched;
}

}  // namespace

bool make_cheaper(const CountProblem& problem, const CellDistances& points, std::span<ClusterId> labels,
                  std::int64_t& steps) {
    return is_searched(problem, labels) && Descent(problem, points, labels, steps).run(infinity);
}

bool tabu_search(const CountProblem& problem, const CellDistances& points, std::span<ClusterId> labels,
                 std::int64_t& steps) {
    if (!is_searched(problem, labels)) return false;
    constexpr std::int64_t most_changes = 1000, least_changes = 50, most_steps = usual_search / 64;
    const auto k = static_cast<std::int64_t>(problem.clusters), n = static_cast<std::int64_t>(labels.size());
    const auto choices = static_cast<std::int64_t>(problem.cells.size()) + 1, ways = choices * choices;
    const std::int64_t steps_of_change = k * k / 2 * ways + 2 * (2 * n + Descent::steps_per_rise * ways);
    const std::int64_t changes = std::min(most_changes, std::min(most_steps, steps) / steps_of_change);
    return changes >= least_changes && Descent(problem, points, labels, steps).tabu_search(static_cast<int>(changes));
}

bool make_feasible(const CountProblem& problem, const CellDistances& points, double first, std::span<ClusterId> labels,
                   std::int64_t& steps) {
    if (!is_searched(problem, labels)) return false;
    Descent descent(problem, points, labels, steps);
    constexpr double factor = 2, last = 1e6;  // `last` is in units of the mean distance
    for (double price = first; price <= last && steps > 0; price *= factor) {
        descent.run(price * descent.mean_distance());
        if (descent.keeps_demands()) return true;
    }
    return false;
}

}  // namespace fairstream
