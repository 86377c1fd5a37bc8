#pragma once
/// Points in the form that kernels read: blocks of 16, feature by feature.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/cache_line_vector.hpp>

namespace fairstream {

class PackedPoints {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
    /// Returns n rounded up to whole blocks: the room for the distances to all points.
    [[nodiscard]] std::size_t padded() const noexcept;

    /// Takes over n rows of d features. Returns the rows that differ from the former rows, new rows included, in
    /// ascending order; all rows if there were more before, or if d differs.
    std::vector<Slot> update(const float* rows, std::size_t n, std::size_t d);
    /// Takes over the points in the slots `kept`, which ascend; all other points are absent, infinitely far away.
    /// Returns the rows that differ from the former rows, as the other `update` does.
    std::vector<Slot> update(const PackedPoints& points, std::span<const Slot> kept);
    [[nodiscard]] bool is_absent(std::size_t i) const noexcept;

    /// Copies the d features of point i.
    void copy_row(std::size_t i, float* out) const noexcept;
    /// Computes squared distances of a row to points [first, first + count), infinite for padding. `first` is a
    /// multiple of 16, and `out` has room for whole blocks.
    void distances(const float* row, std::size_t first, std::size_t count, float* out) const noexcept;
    [[nodiscard]] const CacheLineVector<float>& packed() const noexcept { return packed_; }

private:
    [[nodiscard]] bool equals(std::size_t i, const float* row) const noexcept;
    template <class RowOf> std::vector<Slot> update_rows(std::size_t n, std::size_t d, const RowOf& row_of);

    std::size_t size_ = 0, dimensions_ = 0;
    CacheLineVector<float> packed_;
};

}  // namespace fairstream
