#pragma once
/// A part of a window as a window of its own.

#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {

/// With more points than this a refinement starts on a sample of this size, which ranks starts as well as more points
/// do.
inline constexpr Slot refine_sample = 16384;

/// Returns `count` of the points, drawn without replacement, in their order; all if there are not more.
[[nodiscard]] Window sample_of(const Window& window, Slot count, Random& random);

}  // namespace fairstream::safairkm
