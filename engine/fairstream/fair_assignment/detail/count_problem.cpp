#include <fairstream/fair_assignment/detail/count_problem.hpp>

#include <algorithm>
#include <limits>

namespace fairstream {

CellCounts CountProblem::totals_of(const CellCounts& counts) const {
    CellCounts totals(cells.size());
    for (std::size_t i = 0; i < counts.size(); ++i) totals[i % totals.size()] += counts[i];
    return totals;
}

bool CountProblem::keeps_used(std::span<const std::int64_t> sizes) const noexcept {
    const auto unused = static_cast<std::size_t>(std::ranges::count(sizes, 0));
    return may_be_empty() && sizes.size() - unused <= least_used;
}

double CountProblem::shortfall(std::span<const std::int64_t> row) const {
    const std::int64_t size = sum_of(row);
    if (size == 0 && may_be_empty()) return 0;
    double total = fairstream::shortfall(demands.of_sizes, size) + (size == 0 ? 1 : 0);
    for (const Demand& demand : demands.of_groups) {
        total += fairstream::shortfall(demand, counts_by_group(row, attribute_index(demand)));
    }
    return total;
}

std::size_t CountProblem::attribute_index(const Demand& demand) const {
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
    const int group = group_of(cell, attribute_index(demand));
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
    : problem_(problem), size_(sum_of(row)) {
    by_group_.reserve(problem.demands.of_groups.size());
    for (const Demand& demand : problem.demands.of_groups) {
        places_.push_back(problem.attribute_index(demand));
        by_group_.push_back(problem.counts_by_group(row, places_.back()));
        changes_.emplace_back(demand, by_group_.back());
    }
}

double CountProblem::RowChanges::shortfall(std::size_t in, std::size_t out) const {
    const std::size_t cells = problem_.cells.size();
    const std::int64_t size = size_ + (in < cells ? 1 : 0) - (out < cells ? 1 : 0);
    if (size == 0 && problem_.may_be_empty()) return 0;
    double total = fairstream::shortfall(problem_.demands.of_sizes, size) + (size == 0 ? 1 : 0);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const auto group_of = [&](std::size_t cell) {
            return cell < cells ? problem_.group_of(cell, places_[i]) : no_group;
        };
        total += changes_[i].after(group_of(out), group_of(in));
    }
    return total;
}

}  // namespace fairstream
