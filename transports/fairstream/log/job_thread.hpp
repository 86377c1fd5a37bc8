#pragma once
/// A thread that runs one job at a time in the background of another thread, which collects the result later.

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <fairstream/base/run_in_background.hpp>

namespace fairstream::log {

/// For use by one thread. `start` or the first job starts the background thread.
class JobThread {
public:
    /// If `run_in_background` is set, passes jobs to it instead of the thread; `finish` runs a job that has not started
    /// by then.
    explicit JobThread(RunInBackground run_in_background = {}) : run_in_background_(std::move(run_in_background)) {}
    /// Waits for the job in progress.
    ~JobThread();
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    /// Starts the thread, unless it runs or jobs go to `run_in_background`. Throws `std::system_error` on failure.
    void start();
    /// Starts `job`; calls `when_done`, which may be empty, after it. A previous job must have been finished by
    /// `finish`.
    void begin(std::function<void()> job, std::function<void()> when_done = {});
    /// Returns whether a job was begun and not yet finished by `finish`.
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    /// Returns whether the job has ended. If so, `finish` waits at most for `when_done`.
    [[nodiscard]] bool done() const;
    /// Waits for the job, and rethrows its exception.
    void finish();

private:
    void work();

    // A job that was passed to `run_in_background`.
    struct PassedJob {
        std::function<void()> job, when_done;
        std::exception_ptr error;
        Once once;
        void run();
    };

    RunInBackground run_in_background_;
    std::shared_ptr<PassedJob> passed_job_;
    bool begun_ = false;

    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::function<void()> job_, when_done_;
    bool busy_ = false;  // the thread uses `job_` and `when_done_`
    bool done_ = false;  // the job has ended, `when_done` perhaps not
    bool ending_ = false;
    std::exception_ptr error_;

    std::thread thread_;
};

}  // namespace fairstream::log
