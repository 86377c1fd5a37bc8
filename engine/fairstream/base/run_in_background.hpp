#pragma once
/// Tasks that run in the background, and a flag that lets exactly one thread run each.

#include <atomic>
#include <functional>

namespace fairstream {

/// Takes a task and runs it on any thread, now or later. Empty: threads of the engine or the recording run the tasks. A
/// simulation may keep tasks and choose when each runs; a thread that waits for a task that has not begun runs it
/// itself.
using RunInBackground = std::function<void(std::function<void()>)>;

/// A flag that lets a task run once, on the first thread that calls `run`.
class Once {
public:
    /// Calls `work`, which must not throw, unless a thread has already begun it. Returns whether this call ran it.
    template <class Work> bool run(const Work& work) {
        if (begun_.exchange(true, std::memory_order_acq_rel)) return false;
        work();
        done_.store(true, std::memory_order_release);
        done_.notify_all();
        return true;
    }
    /// Waits until the task is done, or prevents it if it has not begun.
    void end() {
        if (!run([] {})) wait();
    }
    void wait() const { done_.wait(false, std::memory_order_acquire); }
    [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }
    /// Lets the task run again. No other thread may use the flag meanwhile.
    void reset() {
        done_.store(false, std::memory_order_relaxed);
        begun_.store(false, std::memory_order_release);
    }
    /// Marks the task as done without running it.
    void mark_done() {
        begun_.store(true, std::memory_order_relaxed);
        done_.store(true, std::memory_order_release);
    }

private:
    std::atomic<bool> begun_ = false, done_ = false;
};

}  // namespace fairstream
