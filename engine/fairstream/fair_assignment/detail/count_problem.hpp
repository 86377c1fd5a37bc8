#pragma once
/// Demands on numbers of points by cluster and cell, and by how much such numbers fall short of them.

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

/// Cells above which nothing is searched for: pairs of cells are.
inline constexpr std::size_t most_cells_searched = 64;

/// The demands on numbers of points by cluster and cell. A cell holds points that are alike in all attributes.
struct CountProblem {
    std::size_t clusters = 0;
    std::vector<std::vector<GroupId>> cells;  ///< of each cell its group in each of `attributes`
    std::vector<std::uint32_t> attributes;    ///< as the demands number them
    std::vector<std::size_t> groups;          ///< number of known groups of each of `attributes`; all that demands see
    Demands demands;
    std::vector<double> apart{};  ///< clusters x clusters, above 0: what it costs to move a point; empty: the same
    /// Clusters that keep a point while others may have none, and then keep all demands; 0: each is short of one point
    /// where it has none. No search empties a cluster where so many have points.
    std::size_t least_used = 0;

    [[nodiscard]] bool may_be_empty() const noexcept { return least_used > 0; }
    /// Says whether no further cluster of these sizes may be left without a point.
    [[nodiscard]] bool keeps_used(std::span<const std::int64_t> sizes) const noexcept;

    /// Returns the counts of a cluster, by cell.
    [[nodiscard]] std::span<std::int64_t> row_of(CellCounts& counts, std::size_t cluster) const {
        return std::span(counts).subspan(cluster * cells.size(), cells.size());
    }
    [[nodiscard]] std::span<const std::int64_t> row_of(const CellCounts& counts, std::size_t cluster) const {
        return std::span(counts).subspan(cluster * cells.size(), cells.size());
    }
    /// Returns the points of all clusters, by cell.
    [[nodiscard]] CellCounts totals_of(const CellCounts& counts) const;
    /// Returns the shortfall of one cluster with the counts `row`.
    [[nodiscard]] double shortfall(std::span<const std::int64_t> row) const;
    /// Returns the place in `attributes` of the one that a demand is on.
    [[nodiscard]] std::size_t place_of(const Demand& demand) const;
    /// Counts points by known group.
    [[nodiscard]] std::vector<std::int64_t> counts_by_group(std::span<const std::int64_t> row, std::size_t place) const;
    /// Returns the group of a cell that a demand is about, which `no_group` stands for where it is unknown.
    [[nodiscard]] int group_of(std::size_t cell, std::size_t place) const;
    /// Returns the weight of a cell's points in a demand on a ratio: 0 where their group does not count or is unknown.
    [[nodiscard]] double weight_of(std::size_t cell, const Demand& demand) const;
    /// Returns by how much the shortfall of a cluster with the counts `row` rises with a point of cell `in` more and
    /// one of `out` less, at [in * (cells + 1) + out], the number of cells standing for none; infinity where it has no
    /// such point to give, or both are the same.
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

    /// Returns the shortfall with a point of cell `in` more and one of `out` less; the number of cells stands for none.
    [[nodiscard]] double shortfall(std::size_t in, std::size_t out) const;

private:
    const CountProblem& problem_;
    std::int64_t size_;
    // By demand: the place of its attribute, the points by group, and the changes, which borrow those.
    std::vector<std::size_t> places_;
    std::vector<std::vector<std::int64_t>> by_group_;
    std::vector<ShortfallChanges> changes_;
};

}  // namespace fairstream
