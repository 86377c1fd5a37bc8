#pragma once
/// Progress of long work.

#include <algorithm>
#include <functional>
#include <mutex>

namespace fairstream {

/// Receives the share that is done, in [0, 1], never falling, from any thread, one call at a time. It has no influence
/// on the work.
using OnProgress = std::function<void(double share)>;

/// Adds up work that several threads do.
class WorkDone {
public:
    /// `total` is what will be done, above 0, in any unit. `tell` may be empty.
    WorkDone(const OnProgress& tell, double total) : tell_(tell), total_(total) {}
    WorkDone(const WorkDone&) = delete;
    WorkDone& operator=(const WorkDone&) = delete;

    /// Adds work that was done; beyond `total` the share stays 1.
    void add(double work) {
        if (!tell_) return;
        const std::scoped_lock lock(mutex_);
        done_ += work;
        tell_(std::min(1.0, done_ / total_));
    }

private:
    const OnProgress& tell_;
    double total_;
    std::mutex mutex_;
    double done_ = 0;
};

}  // namespace fairstream
