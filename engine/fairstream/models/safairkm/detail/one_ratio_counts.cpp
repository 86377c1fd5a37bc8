#include <fairstream/models/safairkm/detail/one_ratio_counts.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <fairstream/fairness/attainable.hpp>

namespace fairstream::safairkm {
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

// Balance b allows a cluster any counts between ceil(b M) and M: with the points of the smallest group split so that
// there is most room, every other group finds its place. Larger parts go to clusters that have more of it now.
std::optional<CellCounts> split_by_room(const CountProblem& p, const Demand& demand, const CellCounts& counts) {
    const std::size_t cells = p.cells.size();
    const CellCounts totals = p.totals_of(counts);
    std::size_t smallest = no_cell;
    std::int64_t most = 0;
    for (std::size_t c = 0; c < cells; ++c) {
        if (p.weight_of(c, demand) == 0) continue;
        if (smallest == no_cell || totals[c] < totals[smallest]) smallest = c;
        most = std::max(most, totals[c]);
    }
    if (smallest == no_cell) return std::nullopt;
    const CellCounts parts = roomiest_split(totals[smallest], static_cast<std::int64_t>(p.clusters), demand.ratio);
    if (parts.empty()) return std::nullopt;
    std::vector<std::size_t> by_size(p.clusters);
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::ranges::stable_sort(by_size, std::greater<>(), [&](std::size_t l) { return counts[l * cells + smallest]; });
    CellCounts low(p.clusters), high(p.clusters);
    std::int64_t room = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        low[by_size[i]] = parts[i];
        high[by_size[i]] = static_cast<std::int64_t>(static_cast<double>(parts[i]) / demand.ratio * (1 + 1e-12));
        room += high[by_size[i]];
    }
    if (room < most) return std::nullopt;
    CellCounts result = counts;
    for (std::size_t c = 0; c < cells; ++c) {
        if (p.weight_of(c, demand) == 0) continue;
        std::int64_t rest = totals[c];
        for (std::size_t l = 0; l < p.clusters; ++l) {
            std::int64_t& count = result[l * cells + c];
            count = std::clamp(count, low[l], high[l]);
            rest -= count;
        }
        for (std::size_t l = 0; l < p.clusters && rest != 0; ++l) {
            std::int64_t& count = result[l * cells + c];
            const std::int64_t now = std::clamp(count + rest, low[l], high[l]);
            rest -= now - count;
            count = now;
        }
    }
    return result;
}

}  // namespace

std::optional<CellCounts> one_ratio_counts(const CountProblem& problem, const CellCounts& counts) {
    const Demand* const demand = ratio_alone(problem);
    if (demand == nullptr) return std::nullopt;
    if (auto found = split_of_two(problem, *demand, counts)) return found;
    return weighs_alike(problem, *demand) ? split_by_room(problem, *demand, counts) : std::nullopt;
}

}  // namespace fairstream::safairkm
