#pragma once
/// A thread for low-priority work.

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace fairstream::zmq {

/// Does one task at a time at a low priority. After each task it rests for as long as the task's processor time. So
/// tasks that start no threads get at most half a processor.
class IdleThread {
public:
    using Time = std::chrono::nanoseconds;

    /// The thread calls `notify` after each task, and after each rest.
    explicit IdleThread(std::function<void()> notify);
    /// Waits for the running task.
    ~IdleThread();
    IdleThread(const IdleThread&) = delete;
    IdleThread& operator=(const IdleThread&) = delete;

    /// Returns whether `run` may be called: no task is running, and the thread has rested.
    [[nodiscard]] bool ready() const;
    /// Runs `task`, which must not throw, on the thread.
    void run(std::function<void()> task);
    /// Returns the processor time of the running task; 0 if there is none.
    [[nodiscard]] Time running() const;
    /// Returns the processor time of the last task, if it ended since the last call; otherwise 0.
    [[nodiscard]] Time take_time_used();
    void end() noexcept;

private:
    void work();
    [[nodiscard]] Time processor_time() const;

    std::function<void()> notify_;
    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::function<void()> task_;
    bool ready_ = true;
    bool running_ = false;
    bool ending_ = false;
    Time begun_{0};  // processor time of the thread at the start of the task
    Time used_{0};
    pthread_t handle_{};  // handle of the thread, once it has started
    std::thread thread_;
};

}  // namespace fairstream::zmq
