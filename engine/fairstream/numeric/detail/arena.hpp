#pragma once
/// The number of threads of a task arena.

#include <algorithm>
#include <string>

#include <tbb/global_control.h>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Throws `InvalidInput` (bad_option) for a negative number.
inline void check_threads(int threads) {
    if (threads < 0)
        throw InvalidInput(Reason::bad_option,
                           "threads = " + std::to_string(threads) + ": must be at least 0; 0 means all cores");
}

/// Returns `threads`, or as many as TBB may use if `threads` is 0; never more than TBB may use. With more, TBB prints a
/// warning on stderr, for instance on a single core, where it has no worker.
[[nodiscard]] inline int arena_width(int threads) {
    const auto allowed =
        static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
    return threads > 0 ? std::min(threads, allowed) : allowed;
}

}  // namespace fairstream
