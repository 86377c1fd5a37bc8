#include <fairstream/recording/log_folder.hpp>

#include <optional>
#include <utility>

namespace fairstream::recording {

LogFolder::~LogFolder() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void LogFolder::begin() {
    begun_ = true;
    {
        const std::lock_guard lock(mutex_);
        wanted_ = true;
    }
    if (!thread_.joinable()) thread_ = std::thread(&LogFolder::work, this);
    changed_.notify_all();
}

bool LogFolder::done() const {
    const std::lock_guard lock(mutex_);
    return !wanted_;
}

void LogFolder::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !wanted_; });
    begun_ = false;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void LogFolder::work() {
    std::optional<Database> database;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return wanted_ || ending_; });
        if (!wanted_) return;
        lock.unlock();
        std::exception_ptr error;
        try {
            if (!database) {
                database.emplace(file_, Access::write);
                database->execute("PRAGMA synchronous = FULL");
            }
            database->fold();
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        error_ = error;
        wanted_ = false;
        changed_.notify_all();
    }
}

}  // namespace fairstream::recording
