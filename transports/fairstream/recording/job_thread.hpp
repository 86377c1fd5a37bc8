#pragma once
/// A thread that does one job at a time for another one, which goes on meanwhile and calls for the result later.

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <fairstream/base/run_beside.hpp>

namespace fairstream::recording {

/// One thread calls. The thread is started by `start` or by the first job.
class JobThread {
public:
    /// Jobs go to `run_beside` instead of the thread, if there is one; `finish` does what has not begun by then.
    explicit JobThread(RunBeside run_beside = {}) : run_beside_(std::move(run_beside)) {}
    /// Waits for the job in progress.
    ~JobThread();
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    /// Starts the thread, if it does not run yet and jobs do not go elsewhere. Throws `std::system_error` when there
    /// can be none.
    void start();
    /// Begins `job`, then calls `when_done`, which may be empty. None may have begun that was not finished.
    void begin(std::function<void()> job, std::function<void()> when_done = {});
    /// Whether a job has begun that was not finished.
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    /// Whether the job is through: `finish` waits at most for `when_done` to return.
    [[nodiscard]] bool done() const;
    /// Waits for the job, and throws what it threw.
    void finish();

private:
    void work();

    // A job that was given away.
    struct Given {
        std::function<void()> job, when_done;
        std::exception_ptr error;
        Once once;
        void run();
    };

    RunBeside run_beside_;
    std::shared_ptr<Given> given_;
    bool begun_ = false;

    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::function<void()> job_, when_done_;
    bool busy_ = false;  // the job and `when_done` are the thread's
    bool done_ = false;  // and the job is through
    bool ending_ = false;
    std::exception_ptr error_;

    std::thread thread_;
};

}  // namespace fairstream::recording
