#include <fairstream/fit/stages/group_columns.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {

GroupColumns::GroupColumns(std::span<const double> totals) : groups_(totals.size()), shown_(totals.size()) {
    constexpr std::size_t most_groups = 12, largest = 8;
    std::iota(shown_.begin(), shown_.end(), std::size_t{0});
    if (groups_ <= most_groups) return;
    std::ranges::stable_sort(shown_, std::greater(), [&](std::size_t group) { return totals[group]; });
    shown_.resize(largest);
    std::ranges::sort(shown_);
}

void GroupColumns::add_headings(const std::vector<std::string>& names, const std::string& unit,
                                std::vector<std::string>& row) const {
    for (const std::size_t group : shown_) row.push_back(names[group] + unit);
    if (shown_.size() < groups_) row.push_back(counted(groups_ - shown_.size(), "other") + unit);
}

namespace {

template <class T, class Cell>
void add(std::span<const T> values, const std::vector<std::size_t>& shown, Cell&& cell, std::vector<std::string>& row) {
    T others = std::accumulate(values.begin(), values.end(), T{});
    for (const std::size_t group : shown) {
        row.push_back(cell(values[group]));
        others -= values[group];
    }
    if (shown.size() < values.size()) row.push_back(cell(others));
}

}  // namespace

void GroupColumns::add_cells(std::span<const std::int64_t> counts, std::vector<std::string>& row) const {
    add(
        counts, shown_, [](std::int64_t count) { return counted(count); }, row);
}

void GroupColumns::add_cells(std::span<const double> weights, std::vector<std::string>& row) const {
    add(
        weights, shown_, [](double weight) { return fixed(weight); }, row);
}

void GroupColumns::add_shares(std::span<const double> weights, std::vector<std::string>& row) const {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto share = [&](double weight) { return all > 0 ? fixed(100 * std::abs(weight) / all, 1) + " %" : "-"; };
    add(weights, shown_, share, row);
}

}  // namespace fairstream::fit
