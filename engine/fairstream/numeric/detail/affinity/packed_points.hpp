#pragma once
/// Points as the kernels read them: blocks of 16, feature by feature.

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
    /// n rounded up to whole blocks: the room that distances to all points take.
    [[nodiscard]] std::size_t padded() const noexcept;

    /// Takes over n rows of d features and returns those that differ from what was there, new ones included, in
    /// ascending order: all of them when there were more rows before, or of another d.
    std::vector<Slot> update(const float* rows, std::size_t n, std::size_t d);
    /// Takes over as many rows, of the points in the slots `kept`, which are ascending; the others are absent,
    /// infinitely far from all that are there. Returns those that differ from what was there, as above.
    std::vector<Slot> update(const PackedPoints& points, std::span<const Slot> kept);
    [[nodiscard]] bool is_absent(std::size_t i) const noexcept;

    /// Copies the d features of point i.
    void copy_row(std::size_t i, float* out) const noexcept;
    /// Squared distances of a row to the points [first, first + count), infinite for padding; `first` is a multiple of
    /// 16, `out` has room for whole blocks.
    void distances(const float* row, std::size_t first, std::size_t count, float* out) const noexcept;
    [[nodiscard]] const CacheLineVector<float>& packed() const noexcept { return packed_; }

private:
    [[nodiscard]] bool equals(std::size_t i, const float* row) const noexcept;
    template <class RowOf> std::vector<Slot> update_rows(std::size_t n, std::size_t d, const RowOf& row_of);

    std::size_t size_ = 0, dimensions_ = 0;
    CacheLineVector<float> packed_;
};

}  // namespace fairstream
