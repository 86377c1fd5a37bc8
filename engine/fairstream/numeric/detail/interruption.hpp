#pragma once
/// Ending long work from outside, at any depth of loops and tasks.
///
/// Work runs inside an `Interruption::run`; when it is asked to end, TBB cancels the tasks of all parallel loops
/// within, and every long serial loop finds out by `check_interrupted`. What the work wrote is then of no use.

#include <cstddef>
#include <exception>

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <fairstream/base/handover.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream {

/// Throws `Interrupted` when the work that the caller is part of is to end. Takes some nanoseconds; to be called in
/// every round of a loop that could go on for long.
inline void check_interrupted() {
    if (tbb::is_current_task_group_canceling()) throw Interrupted();
}

/// `tbb::parallel_for`, after which all indices are done: an interrupted one, which leaves some out, throws.
template <class Body> void parallel_for(std::size_t first, std::size_t last, const Body& body) {
    {
        const OrderedBody ordered(body);
        tbb::parallel_for(first, last, ordered);
    }
    check_interrupted();
}

class Interruption {
public:
    /// Ends the running work, and all that `run` is given later, with `Interrupted`; may be called from any thread.
    void request() noexcept { context_.cancel_group_execution(); }

    /// Calls `work`; throws what it throws.
    template <class Work> void run(const Work& work) {
        std::exception_ptr failure;
        bool begun = false;
        // An exception that reached TBB here would cancel the context for ever.
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
