#pragma once
/// Work of a call outside of an engine: on a number of threads, with a listener.

#include <optional>

#include <tbb/task_arena.h>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/numeric/detail/arena.hpp>

namespace fairstream {

/// Returns `call(handle)`, run on this many threads; `on_progress`, if given, receives the progress. Throws
/// `InvalidInput` (bad_option) for a number of threads below 0.
template <class Call> auto run_followed(int threads, const OnProgress& on_progress, const Call& call) {
    check_threads(threads);
    std::optional<FollowedWork> followed;
    if (on_progress) followed.emplace(on_progress);
    const WorkHandle work = followed ? WorkHandle(*followed) : WorkHandle();
    return tbb::task_arena(arena_width(threads)).execute([&] { return call(work); });
}

}  // namespace fairstream
