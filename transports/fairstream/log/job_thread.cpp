#include <fairstream/log/job_thread.hpp>

#include <utility>

namespace fairstream::log {

JobThread::~JobThread() {
    if (passed_job_) passed_job_->run(), passed_job_->once.wait();
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void JobThread::start() {
    if (!run_in_background_ && !thread_.joinable()) thread_ = std::thread(&JobThread::work, this);
}

void JobThread::begin(std::function<void()> job, std::function<void()> when_done) {
    start();
    begun_ = true;
    if (run_in_background_) {
        passed_job_ = std::make_shared<PassedJob>();
        passed_job_->job = std::move(job);
        passed_job_->when_done = std::move(when_done);
        return run_in_background_([passed_job = passed_job_] { passed_job->run(); });
    }
    {
        const std::lock_guard lock(mutex_);
        job_ = std::move(job);
        when_done_ = std::move(when_done);
        busy_ = true;
        done_ = false;
    }
    changed_.notify_all();
}

void JobThread::PassedJob::run() {
    once.run([this] {
        try {
            job();
        } catch (...) {
            error = std::current_exception();
        }
        if (when_done) when_done();
    });
}

bool JobThread::done() const {
    if (passed_job_) return passed_job_->once.done();
    const std::lock_guard lock(mutex_);
    return done_;
}

void JobThread::finish() {
    if (passed_job_) {
        const std::shared_ptr<PassedJob> passed_job = std::exchange(passed_job_, nullptr);
        passed_job->run();
        passed_job->once.wait();
        begun_ = false;
        if (passed_job->error) std::rethrow_exception(passed_job->error);
        return;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !busy_; });
    begun_ = false;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void JobThread::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return busy_ || ending_; });
        if (!busy_) return;
        const auto job = std::exchange(job_, nullptr), when_done = std::exchange(when_done_, nullptr);
        lock.unlock();
        std::exception_ptr error;
        try {
            job();
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        error_ = error;
        done_ = true;
        lock.unlock();
        if (when_done) when_done();
        // `finish` returns only after `when_done`: the object that `when_done` wakes may be destroyed soon after that.
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
}

}  // namespace fairstream::log
