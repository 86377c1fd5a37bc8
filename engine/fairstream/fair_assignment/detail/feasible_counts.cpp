#include <fairstream/fair_assignment/detail/feasible_counts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <fairstream/fair_assignment/detail/count_repair.hpp>
#include <fairstream/fair_assignment/detail/proportional_counts.hpp>
#include <fairstream/fair_assignment/detail/ratio_counts.hpp>

namespace fairstream {
namespace {

// Bounds of the tabu search that follows the descents: about 50 ms of one core.
constexpr std::int64_t tabu_limit = 10'000'000, tabu_steps = 1000;
constexpr std::size_t most_tabu_starts = 4;  // ends of descents to continue from

// Moves counts towards a split in which every cluster has the composition of all points. `mixed` is the share of the
// way to that composition, `even` the share of the way from a cluster's own size to the mean size. Rounding keeps the
// totals.
CellCounts blend(const CountProblem& p, CellCounts counts, double mixed, double even) {
    const std::size_t cells = p.cells.size();
    const CellCounts totals = p.totals_of(counts);
    const auto points = static_cast<double>(sum_of(totals));
    std::vector<double> reached(cells), sizes;
    for (std::size_t l = 0; l < p.clusters; ++l) sizes.push_back(static_cast<double>(sum_of(p.row_of(counts, l))));
    CellCounts placed(cells), result(counts.size());
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
    // Counts scaled by cluster size need not add up to the total of the cell; the last clusters give or take the
    // difference.
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

// Returns the problem of a single demand; its cells are the groups of the demand's attribute.
CountProblem single_demand_problem(const CountProblem& p, const Demand& demand) {
    const std::size_t place = p.attribute_index(demand);
    CountProblem one{p.clusters, {},          {demand.attribute}, {p.groups[place]}, {{demand}, p.demands.of_sizes},
                     p.apart,    p.least_used};
    for (const std::vector<GroupId>& cell : p.cells)
        if (std::ranges::count(one.cells, std::vector{cell[place]}) == 0) one.cells.push_back({cell[place]});
    return one;
}

// Returns the counts by group of the attribute at `place`; these groups are the cells of `one`.
CellCounts counts_by_demand_group(const CountProblem& one, const CountProblem& p, std::size_t place,
                                  const CellCounts& counts) {
    CellCounts by_group(p.clusters * one.cells.size());
    for (std::size_t l = 0; l < p.clusters; ++l)
        for (std::size_t g = 0; g < one.cells.size(); ++g)
            for (std::size_t c = 0; c < p.cells.size(); ++c)
                if (p.cells[c][place] == one.cells[g][0]) one.row_of(by_group, l)[g] += p.row_of(counts, l)[c];
    return by_group;
}

// Moves as few points as possible between clusters so that their counts by group of the attribute at `place`, which are
// the cells of `one`, are `wanted`.
CellCounts with_group_counts(const CellCounts& wanted, const CountProblem& one, const CountProblem& p,
                             std::size_t place, CellCounts counts) {
    CellCounts left = counts_by_demand_group(one, p, place, counts);  // above 0: points to give; below 0: to take
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= wanted[i];
    for (std::size_t g = 0; g < one.cells.size(); ++g)
        for (std::size_t from = 0, to = 0; from < p.clusters; ++from) {
            std::int64_t& gives = one.row_of(left, from)[g];
            for (std::size_t c = 0; c < p.cells.size() && gives > 0; ++c) {
                if (p.cells[c][place] != one.cells[g][0]) continue;
                std::int64_t& has = p.row_of(counts, from)[c];
                while (has > 0 && gives > 0) {
                    while (one.row_of(left, to)[g] >= 0) ++to;
                    std::int64_t& takes = one.row_of(left, to)[g];
                    const std::int64_t moved = std::min({has, gives, -takes});
                    has -= moved, gives -= moved, takes += moved;
                    p.row_of(counts, to)[c] += moved;
                }
            }
        }
    return counts;
}

// Search for counts that meet all demands, from several starts.
class CountSearch {
public:
    // Subtracts from `weighings` the number of changes that it weighs.
    CountSearch(const CountProblem& problem, std::int64_t& weighings) : p_(problem), weighings_(weighings) {}

    // Changes counts towards the demands as far as descents do; returns whether they meet all demands.
    bool descend(CellCounts counts) {
        CountRepair repair(p_, counts, weighings_);
        found_ = repair.descend();
        ends_.push_back({repair.total_shortfall(), std::move(counts)});
        return found_;
    }
    // Continues from the ends of descents that came nearest to the demands.
    bool tabu_search() {
        const std::int64_t kept = std::max<std::int64_t>(0, weighings_ - tabu_limit);
        std::int64_t left = weighings_ - kept;
        std::ranges::stable_sort(ends_, {}, &End::total_shortfall);
        ends_.resize(std::min(ends_.size(), most_tabu_starts));
        for (std::size_t i = 0; i < ends_.size() && !found_; ++i) {
            found_ = CountRepair(p_, ends_[i].counts, left).tabu_search(tabu_steps);
            if (found_) std::swap(ends_[i], ends_.back());
        }
        weighings_ = kept + left;
        return found_;
    }
    // Returns the counts that meet all demands.
    [[nodiscard]] CellCounts take() { return std::move(ends_.back().counts); }

private:
    struct End {
        double total_shortfall = 0;
        CellCounts counts;
    };

    const CountProblem& p_;
    std::int64_t& weighings_;
    std::vector<End> ends_;  // ends of descents
    bool found_ = false;     // whether the last of `ends_` meets all demands
};

}  // namespace

std::vector<CellCounts> feasible_counts(const CountProblem& problem, const CellCounts& counts, CountLimits& limits,
                                        std::size_t most) {
    // Steps towards an even split.
    constexpr std::tuple<double, double> ways[] = {{.125, 0},   {.25, 0},   {.5, 0},     {.75, 0},  {1, 0},
                                                   {.25, .125}, {.5, .125}, {.75, .125}, {1, .125}, {.5, .25},
                                                   {1, .25},    {.5, .5},   {1, .5},     {1, .75},  {1, 1}};
    CountSearch search(problem, limits.weighings);
    if (search.descend(counts)) return {search.take()};
    std::vector<CellCounts> found;
    if (const auto near = proportional_counts(problem, counts); near && search.descend(*near))
        found.push_back(search.take());
    if (found.size() == most) return found;
    for (const auto& [mixed, even] : ways)
        if (search.descend(blend(problem, counts, mixed, even))) {
            found.push_back(search.take());
            break;
        }
    if (!found.empty()) return found;
    // Last resort for more groups than `proportional_counts` takes: a large cluster beside small ones.
    if (auto near = ratio_counts(problem, counts)) return {std::move(*near)};
    if (!limits.thorough || problem.cells.size() > most_cells_searched) return {};
    // If few counts meet one of several demands, the search for counts that meet all demands starts from these.
    if (problem.attributes.size() > 1)
        for (const Demand& demand : problem.demands.of_groups) {
            const CountProblem one = single_demand_problem(problem, demand);
            const std::size_t place = problem.attribute_index(demand);
            for (const CellCounts& wanted :
                 feasible_counts(one, counts_by_demand_group(one, problem, place, counts), limits))
                if (search.descend(with_group_counts(wanted, one, problem, place, counts))) return {search.take()};
        }
    if (search.tabu_search()) found.push_back(search.take());
    return found;
}

}  // namespace fairstream
