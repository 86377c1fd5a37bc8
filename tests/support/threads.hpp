#pragma once
/// The same work at one thread and at several.

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace fairstream::test {

/// What `make()` returns with up to `threads` threads, more than the machine has if need be.
template <class Make> auto with_threads(int threads, Make&& make) {
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(std::max(threads, 4)));
    tbb::task_arena arena(threads);
    return arena.execute(make);
}

/// Expects the same of `make()`, bit for bit, at 1 and 4 threads.
template <class Make> void expect_same_at_any_thread_count(Make&& make) {
    const auto one = with_threads(1, make);
    for (int trial = 0; trial < 3; ++trial) EXPECT_TRUE(one == with_threads(4, make));
}

}  // namespace fairstream::test
