#pragma once
/// Work that runs once, in the background.

#include <exception>
#include <memory>
#include <utility>

#include <fairstream/base/run_in_background.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::core {

/// The work runs on the thread that the task is given to. If that thread has not begun it, a thread that waits for the
/// task runs it instead: long tasks of other models may come first.
class BackgroundTask {
public:
    BackgroundTask() = default;
    virtual ~BackgroundTask() = default;
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;

    /// Sets the source of interruptions; must be called before the work is handed to another thread.
    void set_interruption(std::shared_ptr<Interruption> interruption) { interruption_ = std::move(interruption); }
    /// Does the work, unless a thread has already begun it.
    void run() { (void)run_first(); }
    /// Waits until the work is done, and does it if no thread has begun it. Throws what the work threw.
    void finish() {
        if (interruption_) run_by_waiter_ = run_first() || run_by_waiter_;
        once_.wait();
        if (failure_) std::rethrow_exception(failure_);
    }
    /// Waits until the work is done, or prevents it if no thread has begun it.
    void end() { once_.end(); }
    [[nodiscard]] bool done() const { return once_.done(); }
    /// Returns whether a waiting thread did the work. The thread that the task was given to may then still call `run`,
    /// which does nothing.
    [[nodiscard]] bool was_run_by_waiter() const noexcept { return run_by_waiter_; }
    /// Marks the work as done.
    void mark_done() { once_.mark_done(); }

protected:
    virtual void work() = 0;
    /// Lets the work run again. No thread may be using the task.
    void renew() {
        failure_ = nullptr;
        once_.reset();
    }

private:
    bool run_first() {
        return once_.run([&] {
            try {
                interruption_->run([&] { work(); });
            } catch (...) {
                failure_ = std::current_exception();
            }
        });
    }

    std::exception_ptr failure_;
    std::shared_ptr<Interruption>
        interruption_;  // interruption of the engine; empty until the work is given to a thread
    bool run_by_waiter_ = false;
    Once once_;
};

}  // namespace fairstream::core
