#pragma once
/// The slots whose point or output a step may have changed.

#include <span>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Lists each slot whose point or output a step may have changed, once. Written slots come first, in the order of the
/// window's change, including those that no longer hold a point.
template <class T> struct Journal {
    std::span<const Slot> slots;
    std::span<const T> before;  ///< by slot: output, before the step, of the point that the slot held at that time
};

}  // namespace fairstream
