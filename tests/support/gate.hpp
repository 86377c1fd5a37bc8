#pragma once
/// Makes tasks wait for a test, so that the worst schedule is tested without a clock.

#include <condition_variable>
#include <mutex>

namespace fairstream::test {

/// Lets threads pass while it is open; makes them wait while it is closed.
class Gate {
public:
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void close() {
        const std::lock_guard lock(mutex_);
        open_ = false;
    }
    void pass() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = true;
};

}  // namespace fairstream::test
