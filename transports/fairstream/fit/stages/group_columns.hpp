#pragma once
/// Columns for groups in tables.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fairstream::fit {

/// The groups with a column of their own in a table: all groups, or the largest if there are very many. A last column
/// then has all other groups together.
class GroupColumns {
public:
    /// `totals`: the number of points of each group, or their weight.
    explicit GroupColumns(std::span<const double> totals);

    /// Adds the columns' headings, with `unit` after each; `names` are by group.
    void add_headings(const std::vector<std::string>& names, const std::string& unit,
                      std::vector<std::string>& row) const;
    /// Add the columns' cells: the points of each group, or their weights.
    void add_cells(std::span<const std::int64_t> counts, std::vector<std::string>& row) const;
    void add_cells(std::span<const double> weights, std::vector<std::string>& row) const;
    /// Adds the share of each group in per cent of the sum of `weights`; "-" if that sum is 0.
    void add_shares(std::span<const double> weights, std::vector<std::string>& row) const;

private:
    std::size_t groups_;
    std::vector<std::size_t> shown_;  // rising
};

}  // namespace fairstream::fit
