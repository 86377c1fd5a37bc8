#pragma once
/// A check of loaded anchors.

#include <cstddef>

#include <fairstream/numeric/anchors.hpp>

namespace fairstream {

/// Returns what is wrong with anchors for `points` points of d features with rows of k values; null where nothing is.
/// `has_scales`: whether each has a scale of its own.
[[nodiscard]] const char* wrong_in_anchors(const Anchors& anchors, std::size_t points, std::size_t d, std::size_t k,
                                           bool has_scales);

}  // namespace fairstream
