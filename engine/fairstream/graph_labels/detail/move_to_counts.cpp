#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <fairstream/fair_assignment/detail/feasible_counts.hpp>
#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

// Bound of a search for counts by steps, some ten milliseconds of one core.
constexpr std::int64_t most_weighings = 2'000'000;
// Costs in multiply-adds: of a weighing, of the rest of a search, and of considering a point and a cluster.
constexpr double work_of_weighing = 50, work_of_search = 2e8, work_of_move = 8;
// In each round, of the points left to move, one in this many is moved: a point costs less after its neighbours moved.
constexpr std::int64_t part_per_round = 8;
// Moves cost at least this, in units of the cut, so that fewer moves are better.
constexpr double least_cost_of_move = 1e-6;

}  // namespace

struct CutMoves::CostedMove {
    double cost;  // rise of the cut
    std::size_t point, to;
};

// Returns the mean rise of the cut if a point moves from one cluster to another, k x k.
std::vector<double> CutMoves::mean_costs_of_moves() const {
    std::vector<double> sums(k_ * k_, 0.0), costs(k_ * k_, least_cost_of_move);
    for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t to = 0; to < k_; ++to)
            if (const auto from = static_cast<std::size_t>(labels_[i]); to != from)
                sums[from * k_ + to] -= move_gain(i, to);
    for (std::size_t l = 0; l < k_; ++l)
        for (std::size_t h = 0; h < k_; ++h) {
            const double both = sums[l * k_ + h] + sums[h * k_ + l];
            costs[l * k_ + h] = std::max(least_cost_of_move, both / static_cast<double>(sizes_[l] + sizes_[h]));
        }
    return costs;
}

// Returns the cheapest move of every point that a cluster must give, to a cluster that must take a point of its cell.
// `excess` has the points by cluster and cell that must leave; below 0: points that must come.
std::vector<CutMoves::CostedMove> CutMoves::moves_of_excess(std::span<const std::int64_t> excess) const {
    const std::size_t cells = cell_groups_.size();
    std::vector<CostedMove> moves;
    for (std::size_t at = 0; at < excess.size(); ++at) {
        if (excess[at] <= 0) continue;
        for (const Slot i : members_[at]) {
            if (!may_leave(i)) continue;
            CostedMove best{std::numeric_limits<double>::infinity(), i, k_};
            for (std::size_t to = 0; to < k_; ++to)
                if (excess[to * cells + at % cells] < 0)
                    if (const double cost = -move_gain(i, to); cost < best.cost) best.cost = cost, best.to = to;
            if (best.to != k_) moves.push_back(best);
        }
    }
    std::ranges::sort(moves, {}, [](const CostedMove& move) { return std::pair(move.cost, move.point); });
    return moves;
}

void CutMoves::move_to_counts(std::span<const std::int64_t> wanted) {
    const std::size_t cells = cell_groups_.size();
    std::vector<std::int64_t> excess(wanted.size());
    std::int64_t left = 0;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        excess[at] = std::ssize(members_[at]) - wanted[at];
        left += std::max<std::int64_t>(0, excess[at]);
    }
    for (bool moved = true; moved && left > 0;) {
        check_interrupted();
        moved = false;
        count(static_cast<double>(n_ * k_) * work_of_move);
        std::int64_t of_round = (left + part_per_round - 1) / part_per_round;
        for (const CostedMove& next : moves_of_excess(excess)) {
            const std::size_t cell = cells_[next.point], from = static_cast<std::size_t>(labels_[next.point]);
            if (of_round == 0) break;
            if (excess[from * cells + cell] <= 0 || excess[next.to * cells + cell] >= 0 || !may_leave(next.point))
                continue;
            move(next.point, next.to);
            --excess[from * cells + cell], ++excess[next.to * cells + cell];
            --of_round, --left;
            moved = true;
        }
    }
}

bool CutMoves::move_to_feasible_counts() {
    if (is_weighted() || shortfall() == 0) return shortfall() == 0;
    CountProblem problem{k_, cell_groups_,     std::vector<std::uint32_t>(counts_.size()),
                         {}, problem_.demands, mean_costs_of_moves()};
    std::iota(problem.attributes.begin(), problem.attributes.end(), 0U);
    for (std::size_t a = 0; a < counts_.size(); ++a) problem.groups.push_back(problem_.known(a));
    CellCounts counts;
    for (const std::vector<Slot>& members : members_) counts.push_back(std::ssize(members));
    CountLimits limits{.weighings = most_weighings, .thorough = false};
    const std::vector<CellCounts> found = feasible_counts(problem, counts, limits);
    count(static_cast<double>(most_weighings - limits.weighings) * work_of_weighing + work_of_search);
    if (!found.empty()) move_to_counts(found[0]);
    return shortfall() == 0;
}

}  // namespace fairstream
