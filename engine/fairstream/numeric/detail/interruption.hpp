#pragma once
/// Ending long work from outside, at any depth of loops and tasks.
///
/// Work runs inside an `Interruption::run`. When it must end, TBB cancels the tasks of all parallel loops within, and
/// every long serial loop notices by `check_interrupted`. The output of the work is then invalid.

#include <cstddef>
#include <exception>

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <fairstream/base/handover.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream {

/// Throws `Interrupted` if the work that the caller is part of must end. Takes some nanoseconds; to be called in every
/// round of a loop that may take long.
inline void check_interrupted() {
    if (tbb::is_current_task_group_canceling()) throw Interrupted();
}

/// Runs `tbb::parallel_for`; throws if the loop is interrupted, so that all indices are done when it returns.
template <class Body> void parallel_for(std::size_t first, std::size_t last, const Body& body) {
    {
        const OrderedBody ordered(body);
        tbb::parallel_for(first, last, ordered);
    }
    check_interrupted();
}

class Interruption {
public:
    /// Ends the running work, and all later work given to `run`, with `Interrupted`; may be called from any thread.
    void request() noexcept { context_.cancel_group_execution(); }

    /// Calls `work`, and throws what it throws.
    template <class Work> void run(const Work& work) {
        std::exception_ptr failure;
        bool begun = false;
        // Exceptions are caught inside: one that reached TBB would cancel the context for ever.
        tbb::parallel_for(
            0, 1,
            [&](int) {
                begun = true;
                try {
                    work();
                } catch (...) {
                    failure = std::current_exception();
                }
            },
            context_);
        if (failure) std::rethrow_exception(failure);
        if (!begun) throw Interrupted();
    }

private:
    tbb::task_group_context context_{tbb::task_group_context::isolated};
};

}  // namespace fairstream
