#pragma once
/// A journal of the entries that a step may have changed.

#include <span>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Slots of which a step may have changed the point or its output, each once. Those that were written come first, in
/// the order of the window's change, those that hold no point any more included.
template <class T> struct Journal {
    std::span<const Slot> slots;
    std::span<const T> before;  ///< the output each slot had before the step, that of the point it held then
};

}  // namespace fairstream
