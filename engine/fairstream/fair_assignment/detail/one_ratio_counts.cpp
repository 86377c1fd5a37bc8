#include <fairstream/fair_assignment/detail/one_ratio_counts.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <fairstream/fair_assignment/detail/near_split.hpp>
#include <fairstream/fairness/attainable.hpp>

namespace fairstream {
namespace {

constexpr std::size_t no_cell = static_cast<std::size_t>(-1);

// Returns the one demand when it is a ratio of the groups of one attribute and there is no other; null otherwise.
const Demand* ratio_alone(const CountProblem& p) {
    if (p.demands.of_groups.size() != 1 || p.attributes.size() != 1 || p.demands.of_sizes.at_least > 1 ||
        p.demands.of_sizes.at_most < std::numeric_limits<std::int64_t>::max())
        return nullptr;
    const Demand& demand = p.demands.of_groups[0];
    return demand.of_shares() || demand.ratio <= 0 ? nullptr : &demand;
}

bool weighs_alike(const CountProblem& p, const Demand& demand) {
    double weight = 0;
    for (std::size_t c = 0; c < p.cells.size(); ++c) {
        const double own = p.weight_of(c, demand);
        if (own != 0 && weight != 0 && own != weight) return false;
        if (own != 0) weight = own;
    }
    return true;
}

// Splits two groups that count, each a cell of its own, so that fewest points move. Nothing where no split keeps the
// demand, or to look for it would take long. Dynamic programme over clusters: the fewest moves of the clusters so far
// that have s points of one group and t of the other.
std::optional<CellCounts> split_of_two(const CountProblem& p, const Demand& demand, const CellCounts& counts) {
    const std::size_t cells = p.cells.size();
    const CellCounts totals = p.totals_of(counts);
    std::vector<std::size_t> counted;
    for (std::size_t c = 0; c < cells; ++c)
        if (p.weight_of(c, demand) > 0) counted.push_back(c);
    if (counted.size() != 2) return std::nullopt;
    const auto most_a = static_cast<std::size_t>(totals[counted[0]]),
               most_b = static_cast<std::size_t>(totals[counted[1]]);
    const std::size_t states = (most_a + 1) * (most_b + 1);
    constexpr std::size_t work_limit = 100'000'000;
    if (states > work_limit / 64) return std::nullopt;
    struct Pair {
        std::size_t a = 0, b = 0;
    };
    std::vector<Pair> allowed;
    CellCounts row(cells);
    for (Pair pair{1, 0}; pair.a <= most_a; ++pair.a)
        for (pair.b = 1; pair.b <= most_b; ++pair.b) {
            row[counted[0]] = static_cast<std::int64_t>(pair.a);
            row[counted[1]] = static_cast<std::int64_t>(pair.b);
            if (p.shortfall(row) != 0) continue;
            allowed.push_back(pair);
            if (allowed.size() > work_limit / (states * p.clusters)) return std::nullopt;
        }
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> moves(states, never);
    moves[0] = 0;
    std::vector<std::vector<Pair>> chosen;
    for (std::size_t l = 0; l < p.clusters; ++l) {
        std::vector<std::int64_t> next(states, never);
        std::vector<Pair>& last = chosen.emplace_back(states);
        for (const Pair& pair : allowed) {
            const std::int64_t own = std::abs(static_cast<std::int64_t>(pair.a) - counts[l * cells + counted[0]]) +
                                     std::abs(static_cast<std::int64_t>(pair.b) - counts[l * cells + counted[1]]);
            for (std::size_t a = pair.a; a <= most_a; ++a)
                for (std::size_t b = pair.b; b <= most_b; ++b) {
                    const std::int64_t before = moves[(a - pair.a) * (most_b + 1) + b - pair.b];
                    const std::size_t at = a * (most_b + 1) + b;
                    if (before == never || before + own >= next[at]) continue;
                    next[at] = before + own;
                    last[at] = pair;
                }
        }
        moves = std::move(next);
    }
    if (moves.back() == never) return std::nullopt;
    CellCounts result = counts;
    std::size_t at = states - 1;
    for (std::size_t l = p.clusters; l-- > 0;) {
        const Pair pair = chosen[l][at];
        result[l * cells + counted[0]] = static_cast<std::int64_t>(pair.a);
        result[l * cells + counted[1]] = static_cast<std::int64_t>(pair.b);
        at -= pair.a * (most_b + 1) + pair.b;
    }
    return result;
}

// The groups that count, the smallest of them and the points of the largest.
struct SmallestAndLargest {
    std::size_t smallest = no_cell;
    std::int64_t most = 0;
};

SmallestAndLargest smallest_and_largest(const CountProblem& p, const Demand& demand, const CellCounts& counts) {
    const CellCounts totals = p.totals_of(counts);
    SmallestAndLargest found;
    for (std::size_t c = 0; c < totals.size(); ++c) {
        if (p.weight_of(c, demand) == 0) continue;
        if (found.smallest == no_cell || totals[c] < totals[found.smallest]) found.smallest = c;
        found.most = std::max(found.most, totals[c]);
    }
    return found;
}

// Balance b allows a cluster any counts between ceil(b M) and M: with the points of the smallest group split into parts
// beside which the largest finds room, every other group finds its place. Nothing where it does not.
std::optional<CellCounts> placed_beside(const CellCounts& parts, const CountProblem& p, const Demand& demand,
                                        const CellCounts& counts, std::int64_t most) {
    const std::size_t cells = p.cells.size();
    const CellCounts totals = p.totals_of(counts);
    CellCounts high;
    for (const std::int64_t part : parts) high.push_back(std::min(most, room_beside(part, demand.ratio)));
    if (sum_of(high) < most) return std::nullopt;
    CellCounts result = counts;
    for (std::size_t c = 0; c < cells; ++c) {
        if (p.weight_of(c, demand) == 0) continue;
        std::int64_t rest = totals[c];
        for (std::size_t l = 0; l < p.clusters; ++l) {
            std::int64_t& count = result[l * cells + c];
            count = std::clamp(count, parts[l], high[l]);
            rest -= count;
        }
        for (std::size_t l = 0; l < p.clusters && rest != 0; ++l) {
            std::int64_t& count = result[l * cells + c];
            const std::int64_t now = std::clamp(count + rest, parts[l], high[l]);
            rest -= now - count;
            count = now;
        }
    }
    return result;
}

// Splits the smallest group so that there is most room, however far from what clusters have now: larger parts go to
// clusters that have more of it.
std::optional<CellCounts> split_by_room(const CountProblem& p, const Demand& demand, const CellCounts& counts) {
    const auto [smallest, most] = smallest_and_largest(p, demand, counts);
    if (smallest == no_cell) return std::nullopt;
    const CellCounts by_size =
        roomiest_split(p.totals_of(counts)[smallest], static_cast<std::int64_t>(p.clusters), demand.ratio);
    if (by_size.empty()) return std::nullopt;
    std::vector<std::size_t> order(p.clusters);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t l) { return p.row_of(counts, l)[smallest]; });
    CellCounts parts(p.clusters);
    for (std::size_t i = 0; i < order.size(); ++i) parts[order[i]] = by_size[i];
    return placed_beside(parts, p, demand, counts, most);
}

}  // namespace

std::optional<CellCounts> one_ratio_counts(const CountProblem& problem, const CellCounts& counts) {
    const Demand* const demand = ratio_alone(problem);
    if (demand == nullptr) return std::nullopt;
    if (auto found = split_of_two(problem, *demand, counts)) return found;
    return weighs_alike(problem, *demand) ? split_by_room(problem, *demand, counts) : std::nullopt;
}

std::optional<CellCounts> near_one_ratio_counts(const CountProblem& problem, const CellCounts& counts) {
    const Demand* const demand = ratio_alone(problem);
    if (demand == nullptr || !weighs_alike(problem, *demand)) return std::nullopt;
    const auto [smallest, most] = smallest_and_largest(problem, *demand, counts);
    if (smallest == no_cell) return std::nullopt;
    const auto parts = near_split(problem, *demand, counts, smallest, most);
    return parts ? placed_beside(*parts, problem, *demand, counts, most) : std::nullopt;
}

}  // namespace fairstream
