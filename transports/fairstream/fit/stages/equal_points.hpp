#pragma once
/// Points that are equal in all features.

#include <cstddef>
#include <span>

#include <fairstream/data/window.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::fit {

struct EqualPoints {
    std::size_t distinct = 0;        ///< number of distinct points
    std::size_t labelled_apart = 0;  ///< points whose label differs from that of most points equal to them
};
/// Compares the features of the retained points, and their labels by slot. O(n d log n).
[[nodiscard]] EqualPoints equal_points(const Window& window, std::span<const ClusterId> labels);

/// Notes that there are fewer distinct points than clusters.
void note_equal_points(const EqualPoints& equal, std::size_t clusters, Listener& listener);

}  // namespace fairstream::fit
