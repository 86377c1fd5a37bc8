#pragma once
/// Demands on numbers of points by cluster and cell, and the shortfalls of these numbers.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Numbers of points by cluster and cell, clusters x cells row-major.
using CellCounts = std::vector<std::int64_t>;

[[nodiscard]] inline std::int64_t sum_of(std::span<const std::int64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// Searches are over pairs of cells; with more cells than this there is no search.
inline constexpr std::size_t most_cells_searched = 64;

/// The demands on numbers of points by cluster and cell. A cell holds the points with equal groups in all attributes.
struct CountProblem {
    std::size_t clusters = 0;
    std::vector<std::vector<GroupId>> cells;  ///< by cell: its group in each of `attributes`
    std::vector<std::uint32_t> attributes;    ///< as numbered by the demands
    std::vector<std::size_t> groups;          ///< numbers of known groups; points of other groups do not count
    Demands demands;
    std::vector<double> apart{};  ///< clusters x clusters, above 0: cost of moving a point; empty: all equal
    /// Least number of clusters with points. Further clusters may have none, and then meet all demands. 0: every
    /// cluster needs points, and a cluster without points falls short by one. No search empties a cluster if that
    /// leaves fewer clusters with points.
    std::size_t least_used = 0;

    [[nodiscard]] bool may_be_empty() const noexcept { return least_used > 0; }
    /// Returns whether none of the nonempty clusters of these sizes may become empty.
    [[nodiscard]] bool keeps_used(std::span<const std::int64_t> sizes) const noexcept;

    /// Returns the counts of a cluster, by cell.
    [[nodiscard]] std::span<std::int64_t> row_of(CellCounts& counts, std::size_t cluster) const {
        return std::span(counts).subspan(cluster * cells.size(), cells.size());
    }
    [[nodiscard]] std::span<const std::int64_t> row_of(const CellCounts& counts, std::size_t cluster) const {
        return std::span(counts).subspan(cluster * cells.size(), cells.size());
    }
    /// Returns the number of points of all clusters, by cell.
    [[nodiscard]] CellCounts totals_of(const CellCounts& counts) const;
    /// Returns the shortfall of one cluster with the counts `row`.
    [[nodiscard]] double shortfall(std::span<const std::int64_t> row) const;
    /// Returns the index in `attributes` of a demand's attribute.
    [[nodiscard]] std::size_t attribute_index(const Demand& demand) const;
    /// Counts points by known group.
    [[nodiscard]] std::vector<std::int64_t> counts_by_group(std::span<const std::int64_t> row, std::size_t place) const;
    /// Returns a cell's group in the demand's attribute; `no_group` if it is unknown.
    [[nodiscard]] int group_of(std::size_t cell, std::size_t place) const;
    /// Returns the weight of a cell's points in a demand on a ratio; 0 if their group does not count or is unknown.
    [[nodiscard]] double weight_of(std::size_t cell, const Demand& demand) const;
    /// Returns by how much the shortfall of a cluster with the counts `row` rises if it gets a point of cell `in` and
    /// gives one of cell `out`. The rise is at [in * (cells + 1) + out]; an index equal to the number of cells means no
    /// point. Infinite if the cluster has no such point to give, or both cells are equal.
    [[nodiscard]] std::vector<double> shortfall_rises(std::span<const std::int64_t> row) const;

    class RowChanges;
};

/// The shortfalls of one cluster with a point more or less.
class CountProblem::RowChanges {
public:
    /// Borrows `problem`.
    RowChanges(const CountProblem& problem, std::span<const std::int64_t> row);
    RowChanges(const RowChanges&) = delete;
    RowChanges& operator=(const RowChanges&) = delete;

    /// Returns the shortfall with one more point of cell `in` and one less of `out`; an index equal to the number of
    /// cells means no point.
    [[nodiscard]] double shortfall(std::size_t in, std::size_t out) const;

private:
    const CountProblem& problem_;
    std::int64_t size_;
    std::vector<std::size_t> places_;                  // by demand: index of its attribute
    std::vector<std::vector<std::int64_t>> by_group_;  // by demand: points of each group
    std::vector<ShortfallChanges> changes_;            // by demand: its shortfalls after changes; borrow `by_group_`
};

}  // namespace fairstream
