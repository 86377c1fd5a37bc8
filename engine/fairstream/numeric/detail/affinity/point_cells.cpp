#include <fairstream/numeric/detail/affinity/point_cells.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
// Relative margin of bounds: distances have a relative error of about d 2^-24, with up to 65,536 features.
constexpr float care = 0.01F;

// Cells are small, because the useless work of a search is at the corners of the cells that it opens.
constexpr std::size_t cell_points = 64, most_cells = 4096;
// Cells opened first, in the order of their distance; after them, most other cells are too far.
constexpr std::size_t near_cells = 8;

std::size_t cells_for(std::size_t n) {
    return std::clamp<std::size_t>(n / cell_points, 1, most_cells);
}

}  // namespace

PointCells::PointCells(const PackedPoints& points) : points_(points), d_(points.dimensions()) {
    std::vector<Slot> there;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!points.is_absent(i)) there.push_back(static_cast<Slot>(i));
    const std::size_t n = there.size(), count = cells_for(n);
    // Seeds are spread over the slots. New points take slots in the order of arrival, so seeds are a sample of all
    // ages.
    std::vector<float> seeds(count * d_);
    for (std::size_t c = 0; c < count; ++c) points.copy_row(there[c * n / count], &seeds[c * d_]);
    centres_.resize(packed_size(count, d_));
    pack_centres(seeds.data(), count, d_, centres_.data());
    std::vector<ClusterId> cell_of(n);
    cells_.resize(count);
    for_row_blocks(n, [&](std::size_t first, std::size_t last) {
        std::vector<float> rows((last - first) * d_);
        for (std::size_t i = first; i < last; ++i) points.copy_row(there[i], &rows[(i - first) * d_]);
        kernels().assign(rows.data(), last - first, d_, centres_.data(), count, &cell_of[first]);
    });
    fill(there, cell_of);
}

void PointCells::fill(std::span<const Slot> there, std::span<const ClusterId> cell_of) {
    for (const ClusterId cell : cell_of) ++cells_[static_cast<std::size_t>(cell)].size;
    std::size_t first = 0, offset = 0;
    for (Cell& cell : cells_) {
        cell.first = first, cell.offset = offset;
        first += cell.size, offset += packed_size(cell.size, d_);
    }
    slots_.resize(there.size());
    packed_.resize(offset);
    std::vector<std::size_t> next(cells_.size());
    for (std::size_t c = 0; c < next.size(); ++c) next[c] = cells_[c].first;
    for (std::size_t i = 0; i < there.size(); ++i) slots_[next[static_cast<std::size_t>(cell_of[i])]++] = there[i];
    for_row_blocks(cells_.size(), [&](std::size_t begin, std::size_t end) {
        std::vector<float> rows, away((cells_.size() + centre_lanes) / centre_lanes * centre_lanes);
        for (std::size_t c = begin; c < end; ++c) {
            Cell& cell = cells_[c];
            rows.resize(cell.size * d_);
            for (std::size_t i = 0; i < cell.size; ++i) {
                points_.copy_row(slots_[cell.first + i], &rows[i * d_]);
                kernels().distances(&rows[i * d_], d_, centres_.data(), cells_.size(), away.data());
                cell.radius = std::max(cell.radius, std::sqrt(away[c]));
            }
            pack_centres(rows.data(), cell.size, d_, packed_.data() + cell.offset);
        }
    });
}

void PointCells::nearest(std::size_t i, std::size_t count, std::vector<Neighbour>& out) const {
    const std::size_t padded = (cells_.size() + centre_lanes - 1) / centre_lanes * centre_lanes;
    CacheLineVector<float> row(d_), away(padded), distances;
    points_.copy_row(i, row.data());
    kernels().distances(row.data(), d_, centres_.data(), cells_.size(), away.data());
    std::vector<std::pair<float, std::uint32_t>> order(cells_.size());
    for (std::size_t c = 0; c < cells_.size(); ++c) order[c] = {away[c], static_cast<std::uint32_t>(c)};
    const std::size_t near = std::min(near_cells, order.size());
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(near));
    out.clear();
    for (const auto& [squared, c] : order) {
        // Lower bound of the distance to the points of a cell: the distance to its centre minus its radius.
        const float least = std::max(0.0F, std::sqrt(squared) * (1 - care) - cells_[c].radius * (1 + care));
        if (out.size() == count && least * least * (1 - care) > out.back().distance) continue;
        open(cells_[c], row, i, count, distances, out);
    }
}

void PointCells::open(const Cell& cell, const CacheLineVector<float>& row, std::size_t i, std::size_t count,
                      CacheLineVector<float>& distances, std::vector<Neighbour>& out) const {
    if (cell.size == 0) return;
    distances.resize((cell.size + centre_lanes - 1) / centre_lanes * centre_lanes);
    kernels().distances(row.data(), d_, packed_.data() + cell.offset, cell.size, distances.data());
    const std::span<const Slot> slots(&slots_[cell.first], cell.size);
    const auto own = std::ranges::lower_bound(slots, i);
    if (own != slots.end() && *own == i) distances[static_cast<std::size_t>(own - slots.begin())] = infinity;
    add_nearest(distances.data(), slots, count, out);
}

}  // namespace fairstream
