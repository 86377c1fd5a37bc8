#include <fairstream/models/safairkm/detail/feasible_counts.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include <fairstream/fairness/attainable.hpp>

namespace fairstream::safairkm {
namespace {

using Counts = std::vector<std::int64_t>;
constexpr std::size_t no_cell = static_cast<std::size_t>(-1);

std::span<std::int64_t> row_of(const CountProblem& p, Counts& counts, std::size_t l) {
    return std::span(counts).subspan(l * p.cells.size(), p.cells.size());
}

std::int64_t size_of(std::span<const std::int64_t> row) {
    return std::accumulate(row.begin(), row.end(), std::int64_t{0});
}

// A step that moves a point of cell `in` from cluster h to l, and one of cell `out` from l to h; either cell may be
// none.
struct Step {
    std::size_t l = 0, h = 0, in = no_cell, out = no_cell;
    double gain = 0;                                        // by which the shortfalls of both fall
    double rate = std::numeric_limits<double>::infinity();  // cost of each point of gain
};

// Moves single points, and exchanges pairs, by what lowers the shortfalls at the least cost, until none is short or
// nothing helps.
class Repair {
public:
    // Takes from `weighings` what it weighs, and ends where none are left.
    Repair(const CountProblem& problem, Counts& counts, std::int64_t& weighings)
        : p_(problem), counts_(counts), weighings_(weighings), short_by_(p_.clusters), changes_(p_.clusters) {
        for (std::size_t l = 0; l < p_.clusters; ++l) short_by_[l] = p_.shortfall(row_of(p_, counts_, l));
    }

    bool run() {
        if (p_.cells.size() > most_cells_searched) return false;
        // Limited as in `mend`: most steps take a good part of a point off the shortfall, but a search may never end.
        constexpr double for_each_point = 64;
        const double short_by = std::accumulate(short_by_.begin(), short_by_.end(), 0.0);
        const auto limit = 256 + static_cast<std::int64_t>(for_each_point * std::min(short_by, 1e15));
        for (std::int64_t steps = 0; steps < limit && weighings_ > 0; ++steps) {
            std::vector<std::size_t> shorts;
            for (std::size_t l = 0; l < p_.clusters; ++l)
                if (short_by_[l] > 0) shorts.push_back(l);
            if (shorts.empty()) return true;
            std::ranges::stable_sort(shorts, std::greater<>(), [&](std::size_t l) { return short_by_[l]; });
            Step best;
            for (std::size_t i = 0; i < shorts.size() && best.gain == 0; ++i) look_from(shorts[i], best);
            if (best.gain == 0) return false;
            apply(best);
        }
        return false;
    }

private:
    static constexpr double significant = 1e-9;

    void look_from(std::size_t l, Step& best) {
        const std::size_t ways = p_.cells.size() + 1;  // the last cell is none
        weighings_ -= static_cast<std::int64_t>(p_.clusters * ways * ways);
        const std::vector<double>& own = changes_of(l);
        for (std::size_t h = 0; h < p_.clusters; ++h) {
            if (h == l) continue;
            const std::vector<double>& theirs = changes_of(h);
            for (std::size_t in = 0; in < ways; ++in)
                for (std::size_t out = 0; out < ways; ++out)
                    if (const double gain = -own[in * ways + out] - theirs[out * ways + in],
                        rate = cost(l, h, (in + 1 < ways) + (out + 1 < ways)) / gain;
                        gain > significant && rate < best.rate)
                        best = {l, h, in + 1 == ways ? no_cell : in, out + 1 == ways ? no_cell : out, gain, rate};
        }
    }

    double cost(std::size_t l, std::size_t h, int points) const {
        return p_.apart.empty() ? points : points * p_.apart[l * p_.clusters + h];
    }

    // Returns the rises of the shortfall of l, computed on demand: a step changes two clusters only.
    const std::vector<double>& changes_of(std::size_t l) {
        std::vector<double>& changes = changes_[l];
        if (!changes.empty()) return changes;
        constexpr std::size_t as_many = 16;  // weighings that take as long as a change does
        changes = p_.shortfall_rises(row_of(p_, counts_, l));
        weighings_ -= static_cast<std::int64_t>(as_many * changes.size());
        return changes;
    }
    void shift(const Step& step, std::int64_t by) {
        const std::span<std::int64_t> l = row_of(p_, counts_, step.l), h = row_of(p_, counts_, step.h);
        if (step.in != no_cell) l[step.in] += by, h[step.in] -= by;
        if (step.out != no_cell) l[step.out] -= by, h[step.out] += by;
    }
    void apply(const Step& step) {
        shift(step, +1);
        for (const std::size_t l : {step.l, step.h}) {
            short_by_[l] = p_.shortfall(row_of(p_, counts_, l));
            changes_[l].clear();
        }
    }

    const CountProblem& p_;
    Counts& counts_;
    std::int64_t& weighings_;
    std::vector<double> short_by_;
    std::vector<std::vector<double>> changes_;  // by cluster: (cells + 1)^2, or empty
};

Counts totals_of(const CountProblem& p, const Counts& counts) {
    Counts totals(p.cells.size());
    for (std::size_t i = 0; i < counts.size(); ++i) totals[i % totals.size()] += counts[i];
    return totals;
}

// The counts on their way to a split in which every cluster has the composition of all points: `mixed` of the way there
// at its own size, `even` of the way from its own size to the mean size. Rounded so that the totals stay.
Counts blend(const CountProblem& p, Counts counts, double mixed, double even) {
    const std::size_t cells = p.cells.size();
    const Counts totals = totals_of(p, counts);
    const auto points = static_cast<double>(size_of(totals));
    std::vector<double> reached(cells), sizes;
    for (std::size_t l = 0; l < p.clusters; ++l) sizes.push_back(static_cast<double>(size_of(row_of(p, counts, l))));
    Counts placed(cells), result(counts.size());
    for (std::size_t l = 0; l < p.clusters; ++l)
        for (std::size_t c = 0; c < cells; ++c) {
            const auto own = static_cast<double>(counts[l * cells + c]);
            const double size = std::lerp(sizes[l], points / static_cast<double>(p.clusters), even);
            const double scaled = sizes[l] > 0 ? own * size / sizes[l] : 0;
            reached[c] += std::lerp(scaled, size * static_cast<double>(totals[c]) / points, mixed);
            const auto end = std::min(totals[c], static_cast<std::int64_t>(std::llround(reached[c])));
            result[l * cells + c] = std::max<std::int64_t>(0, end - placed[c]);
            placed[c] += result[l * cells + c];
        }
    // Scaled by size, the rows of a cell need not add up: the last clusters give or take the rest.
    for (std::size_t c = 0; c < cells; ++c) {
        std::int64_t rest = totals[c] - placed[c];
        for (std::size_t l = p.clusters; rest != 0 && l-- > 0;) {
            std::int64_t& count = result[l * cells + c];
            const std::int64_t change = std::max(rest, -count);
            count += change;
            rest -= change;
        }
    }
    return result;
}

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
std::optional<Counts> split_of_two(const CountProblem& p, const Demand& demand, const Counts& counts) {
    const std::size_t cells = p.cells.size();
    const Counts totals = totals_of(p, counts);
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
    Counts row(cells);
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
    Counts result = counts;
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
std::optional<Counts> split_by_room(const CountProblem& p, const Demand& demand, const Counts& counts) {
    const std::size_t cells = p.cells.size();
    const Counts totals = totals_of(p, counts);
    std::size_t smallest = no_cell;
    std::int64_t most = 0;
    for (std::size_t c = 0; c < cells; ++c) {
        if (p.weight_of(c, demand) == 0) continue;
        if (smallest == no_cell || totals[c] < totals[smallest]) smallest = c;
        most = std::max(most, totals[c]);
    }
    if (smallest == no_cell) return std::nullopt;
    const Counts parts = roomiest_split(totals[smallest], static_cast<std::int64_t>(p.clusters), demand.ratio);
    if (parts.empty()) return std::nullopt;
    std::vector<std::size_t> by_size(p.clusters);
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::ranges::stable_sort(by_size, std::greater<>(), [&](std::size_t l) { return counts[l * cells + smallest]; });
    Counts low(p.clusters), high(p.clusters);
    std::int64_t room = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        low[by_size[i]] = parts[i];
        high[by_size[i]] = static_cast<std::int64_t>(static_cast<double>(parts[i]) / demand.ratio * (1 + 1e-12));
        room += high[by_size[i]];
    }
    if (room < most) return std::nullopt;
    Counts result = counts;
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

double CountProblem::shortfall(std::span<const std::int64_t> row) const {
    const std::int64_t size = size_of(row);
    double total = fairstream::shortfall(demands.of_sizes, size) + (size == 0 ? 1 : 0);
    for (const Demand& demand : demands.of_groups) {
        total += fairstream::shortfall(demand, counts_by_group(row, place_of(demand)));
    }
    return total;
}

std::size_t CountProblem::place_of(const Demand& demand) const {
    return static_cast<std::size_t>(std::ranges::find(attributes, demand.attribute) - attributes.begin());
}

std::vector<std::int64_t> CountProblem::counts_by_group(std::span<const std::int64_t> row, std::size_t place) const {
    std::vector<std::int64_t> by_group(groups[place], 0);
    for (std::size_t c = 0; c < cells.size(); ++c)
        if (cells[c][place] < by_group.size()) by_group[cells[c][place]] += row[c];
    return by_group;
}

int CountProblem::group_of(std::size_t cell, std::size_t place) const {
    const GroupId group = cells[cell][place];
    return group < groups[place] ? static_cast<int>(group) : no_group;
}

double CountProblem::weight_of(std::size_t cell, const Demand& demand) const {
    const int group = group_of(cell, place_of(demand));
    return group == no_group ? 0 : demand.weight(static_cast<std::size_t>(group));
}

std::vector<double> CountProblem::shortfall_rises(std::span<const std::int64_t> row) const {
    const double now = shortfall(row);
    const RowChanges after(*this, row);
    std::vector<double> rises;
    rises.reserve((cells.size() + 1) * (cells.size() + 1));
    for (std::size_t in = 0; in <= cells.size(); ++in)
        for (std::size_t out = 0; out <= cells.size(); ++out) {
            const bool is_none = in == out || (out < cells.size() && row[out] == 0);
            rises.push_back(is_none ? std::numeric_limits<double>::infinity() : after.shortfall(in, out) - now);
        }
    return rises;
}

CountProblem::RowChanges::RowChanges(const CountProblem& problem, std::span<const std::int64_t> row)
    : problem_(problem), size_(size_of(row)) {
    by_group_.reserve(problem.demands.of_groups.size());
    for (const Demand& demand : problem.demands.of_groups) {
        places_.push_back(problem.place_of(demand));
        by_group_.push_back(problem.counts_by_group(row, places_.back()));
        changes_.emplace_back(demand, by_group_.back());
    }
}

double CountProblem::RowChanges::shortfall(std::size_t in, std::size_t out) const {
    const std::size_t cells = problem_.cells.size();
    const std::int64_t size = size_ + (in < cells ? 1 : 0) - (out < cells ? 1 : 0);
    double total = fairstream::shortfall(problem_.demands.of_sizes, size) + (size == 0 ? 1 : 0);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const auto group_of = [&](std::size_t cell) {
            return cell < cells ? problem_.group_of(cell, places_[i]) : no_group;
        };
        total += changes_[i].after(group_of(out), group_of(in));
    }
    return total;
}

std::optional<std::vector<std::int64_t>> feasible_counts(const CountProblem& problem,
                                                         const std::vector<std::int64_t>& counts) {
    std::int64_t weighings = std::numeric_limits<std::int64_t>::max();
    return feasible_counts(problem, counts, weighings);
}

std::optional<std::vector<std::int64_t>> feasible_counts(const CountProblem& problem,
                                                         const std::vector<std::int64_t>& counts,
                                                         std::int64_t& weighings) {
    // Starts of the repair: the counts as they are first, then farther and farther towards an even split.
    constexpr std::tuple<double, double> ways[] = {{0, 0},      {.125, 0},  {.25, 0},    {.5, 0},   {.75, 0},  {1, 0},
                                                   {.25, .125}, {.5, .125}, {.75, .125}, {1, .125}, {.5, .25}, {1, .25},
                                                   {.5, .5},    {1, .5},    {1, .75},    {1, 1}};
    for (const auto& [mixed, even] : ways) {
        Counts found = mixed == 0 && even == 0 ? counts : blend(problem, counts, mixed, even);
        if (Repair(problem, found, weighings).run()) return found;
    }
    const Demand* const demand = ratio_alone(problem);
    if (demand == nullptr) return std::nullopt;
    if (auto found = split_of_two(problem, *demand, counts)) return found;
    return weighs_alike(problem, *demand) ? split_by_room(problem, *demand, counts) : std::nullopt;
}

}  // namespace fairstream::safairkm
