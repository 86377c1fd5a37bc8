#include <fairstream/command/report/group_columns.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

#include <fairstream/command/console/terminal.hpp>

namespace fairstream::command {

GroupColumns::GroupColumns(std::span<const double> totals) : groups_(totals.size()), shown_(totals.size()) {
    constexpr std::size_t most_groups = 12, largest = 8;
    std::iota(shown_.begin(), shown_.end(), std::size_t{0});
    if (groups_ <= most_groups) return;
    std::ranges::stable_sort(shown_, std::greater(), [&](std::size_t group) { return totals[group]; });
    shown_.resize(largest);
    std::ranges::sort(shown_);
}

std::string GroupColumns::heading_of_others() const {
    return shown_.size() == groups_ ? "" : counted(groups_ - shown_.size(), "other");
}

}  // namespace fairstream::command
