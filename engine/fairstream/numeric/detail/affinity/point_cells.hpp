#pragma once
/// Nearest neighbours of many points at once, without comparing all pairs.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fairstream/numeric/cache_line_vector.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_lists.hpp>
#include <fairstream/numeric/detail/affinity/packed_points.hpp>

namespace fairstream {

/// The present points in cells of about 64 around points drawn among them. A search skips cells that are too far by the
/// triangle inequality. Exact: lists are bit for bit those of `select_nearest` on all distances. The search is faster
/// the better points cluster and the fewer features they have. Const functions are safe from several threads.
class PointCells {
public:
    explicit PointCells(const PackedPoints& points);
    /// Finds the `count` nearest points of point i, without itself, ascending; fewer if there are not so many.
    void nearest(std::size_t i, std::size_t count, std::vector<Neighbour>& out) const;

private:
    struct Cell {
        std::size_t first = 0, size = 0;  // range in `slots_`
        std::size_t offset = 0;           // offset in `packed_`, which is padded cell by cell
        float radius = 0;
    };

    void fill(std::span<const Slot> there, std::span<const ClusterId> cell_of);
    void open(const Cell& cell, const CacheLineVector<float>& row, std::size_t i, std::size_t count,
              CacheLineVector<float>& distances, std::vector<Neighbour>& out) const;

    const PackedPoints& points_;
    std::size_t d_;
    CacheLineVector<float> centres_;  // packed
    std::vector<Cell> cells_;
    std::vector<Slot> slots_;        // by cell, ascending within one
    CacheLineVector<float> packed_;  // features of these points
};

}  // namespace fairstream
