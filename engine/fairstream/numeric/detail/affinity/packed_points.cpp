#include <fairstream/numeric/detail/affinity/packed_points.hpp>

#include <limits>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

// Feature of a point infinitely far from all others, as `pack_centres` pads: its square overflows.
constexpr float nowhere = std::numeric_limits<float>::max();

}  // namespace

std::size_t PackedPoints::padded() const noexcept {
    return (size_ + centre_lanes - 1) / centre_lanes * centre_lanes;
}

bool PackedPoints::equals(std::size_t i, const float* row) const noexcept {
    const float* packed = packed_.data() + packed_offset(i, dimensions_);
    for (std::size_t j = 0; j < dimensions_; ++j)
        if (packed[j * centre_lanes] != row[j]) return false;
    return true;
}

template <class RowOf> std::vector<Slot> PackedPoints::update_rows(std::size_t n, std::size_t d, const RowOf& row_of) {
    if (n < size_ || d != dimensions_) packed_.clear(), size_ = 0;
    dimensions_ = d;
    const std::size_t before = size_;
    size_ = n;
    packed_.resize(packed_size(before, d));
    packed_.resize(packed_size(n, d), nowhere);
    std::vector<Slot> changed;
    for (std::size_t i = 0; i < n; ++i) {
        const float* row = row_of(i);
        if (i < before && equals(i, row)) continue;
        changed.push_back(static_cast<Slot>(i));
        float* packed = packed_.data() + packed_offset(i, d);
        for (std::size_t j = 0; j < d; ++j) packed[j * centre_lanes] = row[j];
    }
    return changed;
}

std::vector<Slot> PackedPoints::update(const float* rows, std::size_t n, std::size_t d) {
    return update_rows(n, d, [&](std::size_t i) { return rows + i * d; });
}

std::vector<Slot> PackedPoints::update(const PackedPoints& points, std::span<const Slot> kept) {
    std::vector<float> row(points.dimensions());
    const std::vector<float> absent(points.dimensions(), nowhere);
    auto next = kept.begin();
    return update_rows(points.size(), points.dimensions(), [&](std::size_t i) {
        if (next == kept.end() || *next != i) return absent.data();
        ++next;
        points.copy_row(i, row.data());
        return static_cast<const float*>(row.data());
    });
}

bool PackedPoints::is_absent(std::size_t i) const noexcept {
    return packed_[packed_offset(i, dimensions_)] == nowhere;
}

void PackedPoints::copy_row(std::size_t i, float* out) const noexcept {
    const float* packed = packed_.data() + packed_offset(i, dimensions_);
    for (std::size_t j = 0; j < dimensions_; ++j) out[j] = packed[j * centre_lanes];
}

void PackedPoints::distances(const float* row, std::size_t first, std::size_t count, float* out) const noexcept {
    kernels().distances(row, dimensions_, packed_.data() + packed_offset(first, dimensions_), count, out);
}

}  // namespace fairstream
