#pragma once
/// Work that goes on beside its caller, and who does it.

#include <atomic>
#include <functional>

namespace fairstream {

/// Takes a task to run on any thread, now or later. Empty: threads of the engine's or recording's own. One that keeps
/// tasks for later lets a simulation choose when each takes its turn; a task that is awaited before is run by who
/// waits.
using RunBeside = std::function<void(std::function<void()>)>;

/// A task that is done once, by the first of those who come to it.
class Once {
public:
    /// Does `work`, which must not throw, unless somebody has begun it.
    template <class Work> void run(const Work& work) {
        if (begun_.exchange(true, std::memory_order_acq_rel)) return;
        work();
        done_.store(true, std::memory_order_release);
        done_.notify_all();
    }
    void wait() const { done_.wait(false, std::memory_order_acquire); }
    [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }
    /// Begins anew. Nobody may be at it.
    void reset() {
        done_.store(false, std::memory_order_relaxed);
        begun_.store(false, std::memory_order_release);
    }
    /// Leaves nothing to be done.
    void settle() {
        begun_.store(true, std::memory_order_relaxed);
        done_.store(true, std::memory_order_release);
    }

private:
    std::atomic<bool> begun_ = false, done_ = false;
};

}  // namespace fairstream
