#pragma once
/// Part of a window as a window of its own.

#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {

/// Points above which a refinement starts on a sample of as many: they tell starts apart as well as more do.
inline constexpr Slot refine_sample = 16384;

/// Returns `count` of the points, drawn without replacement, in their order; all of them where there are no more.
[[nodiscard]] Window sample_of(const Window& window, Slot count, Random& random);

}  // namespace fairstream::safairkm
