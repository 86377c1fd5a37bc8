#pragma once
/// A part of a window as a separate window.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {

/// With more points than this a refinement starts on a sample of this size, because more points rank starts no better.
inline constexpr Slot refine_sample = 16384;

/// Returns the number of `points` points to draw, at least `least`, so that the rarest group, with `rarest` of them,
/// has `per_cluster` points for each cluster. With fewer, prices of a sample carry no information.
[[nodiscard]] Slot sample_size(Slot points, std::int64_t rarest, std::size_t clusters, double per_cluster, Slot least);

/// Draws `count` of `size` slots without replacement, in ascending order; all if there are not more.
[[nodiscard]] std::vector<Slot> draw_slots(Slot size, Slot count, Random& random);

/// Returns the points of these slots as a separate window.
[[nodiscard]] Window sample_of(const Window& window, std::span<const Slot> slots);

}  // namespace fairstream::safairkm
