#pragma once
/// Runs the same work with one thread and with several.

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace fairstream::test {

/// Returns the result of `make()` with up to `threads` threads, even more than the machine has.
template <class Make> auto with_threads(int threads, Make&& make) {
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(std::max(threads, 4)));
    tbb::task_arena arena(threads);
    return arena.execute(make);
}

/// Expects equal results of `make()`, bit for bit, with 1 and 4 threads.
template <class Make> void expect_same_at_any_thread_count(Make&& make) {
    const auto one = with_threads(1, make);
    for (int trial = 0; trial < 3; ++trial) EXPECT_TRUE(one == with_threads(4, make));
}

}  // namespace fairstream::test
