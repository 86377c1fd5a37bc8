#pragma once
/// Anchors by which new points are placed, as part of a state.

#include <cstdint>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// Points or landmarks, each with a row. The value at a new point is the mean of the rows, weighted by the point's
/// affinity to each anchor.
struct Anchors {
    std::uint64_t count = 0;
    std::vector<float> packed;  ///< features in blocks of 16, feature by feature, padded
    std::vector<float> scales;  ///< scales of self-tuning weights, by anchor; otherwise empty
    Matrix values;              ///< count x (k + 1): numerators, and the denominator in the last column
    bool operator==(const Anchors&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.count);
        archive(2, self.packed);
        archive(3, self.scales);
        archive(4, self.values);
    }
};

}  // namespace fairstream
