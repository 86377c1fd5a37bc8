#include <fairstream/numeric/detail/affinity/packed_points.hpp>

#include <limits>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {

std::size_t PackedPoints::padded() const noexcept {
    return (size_ + centre_lanes - 1) / centre_lanes * centre_lanes;
}

bool PackedPoints::equals(std::size_t i, const float* row) const noexcept {
    const float* packed = packed_.data() + packed_offset(i, dimensions_);
    for (std::size_t j = 0; j < dimensions_; ++j)
        if (packed[j * centre_lanes] != row[j]) return false;
    return true;
}

std::vector<Slot> PackedPoints::update(const float* rows, std::size_t n, std::size_t d) {
    if (n < size_ || d != dimensions_) packed_.clear(), size_ = 0;
    dimensions_ = d;
    const std::size_t before = size_;
    size_ = n;
    // Padding as that of `pack_centres`: the square overflows to infinity.
    packed_.resize(packed_size(before, d));
    packed_.resize(packed_size(n, d), std::numeric_limits<float>::max());
    std::vector<Slot> changed;
    for (std::size_t i = 0; i < n; ++i) {
        const float* row = rows + i * d;
        if (i < before && equals(i, row)) continue;
        changed.push_back(static_cast<Slot>(i));
        float* packed = packed_.data() + packed_offset(i, d);
        for (std::size_t j = 0; j < d; ++j) packed[j * centre_lanes] = row[j];
    }
    return changed;
}

void PackedPoints::copy_row(std::size_t i, float* out) const noexcept {
    const float* packed = packed_.data() + packed_offset(i, dimensions_);
    for (std::size_t j = 0; j < dimensions_; ++j) out[j] = packed[j * centre_lanes];
}

void PackedPoints::distances(const float* row, std::size_t first, std::size_t count, float* out) const noexcept {
    kernels().distances(row, dimensions_, packed_.data() + packed_offset(first, dimensions_), count, out);
}

}  // namespace fairstream
