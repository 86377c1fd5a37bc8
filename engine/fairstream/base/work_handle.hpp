#pragma once
/// Progress of long work, and its end before time.
///
/// A person who waits for long work wants to see how far it is, and to end it with the best there is. Such work is
/// given a `WorkHandle`, which it tells of every round. Where nobody listens nothing is told, and no work ends early:
/// then, and where a listener lets all of it go on, results are the same. Those of work that was ended early depend on
/// when: `fit` and fronts use that, and no engine whose events are recorded may.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace fairstream {

struct WorkProgress {
    double share = 0;              ///< of all work, as estimated, in [0, 1], never falling; 1 may come early
    std::string_view stage = {};   ///< what is worked at, "solver"; lives as long as the program; empty: no more to say
    std::int64_t rounds = 0;       ///< of this stage that are done
    std::int64_t most_rounds = 0;  ///< of this stage, at most; 0: not known
};

/// Receives the progress after each round of the work, from any thread, one call at a time, and returns whether to go
/// on; after it has returned false it is not called again. It may neither throw nor call who works.
using OnProgress = std::function<bool(const WorkProgress&)>;

/// A piece of work and its listener.
class FollowedWork {
public:
    /// Borrows `listener`, which must not be empty.
    explicit FollowedWork(const OnProgress& listener) : listener_(listener) {}
    FollowedWork(const FollowedWork&) = delete;
    FollowedWork& operator=(const FollowedWork&) = delete;

    /// Tells the listener; returns whether to go on.
    bool tell(WorkProgress progress) {
        const std::scoped_lock lock(mutex_);
        if (stopped_) return false;
        progress.share = share_ = std::max(share_, std::min(progress.share, 1.0));
        if (!listener_(progress)) stopped_ = true;
        return !stopped_;
    }
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }

private:
    const OnProgress& listener_;
    std::mutex mutex_;
    double share_ = 0;
    std::atomic<bool> stopped_ = false;
};

/// A part of a piece of work, for whoever does it. Of copies, and of parts that run side by side, the farthest is told.
class WorkHandle {
public:
    /// The handle of work that nobody follows.
    WorkHandle() = default;
    /// Borrows `work`.
    explicit WorkHandle(FollowedWork& work) : work_(&work) {}

    /// Returns the handle of the part of this work from share `from` to `to`. Its name is `stage`, or that of the whole
    /// where that is empty.
    [[nodiscard]] WorkHandle part(double from, double to, std::string_view stage = {}) const {
        WorkHandle made = *this;
        made.from_ = from_ + from * (to_ - from_);
        made.to_ = from_ + to * (to_ - from_);
        if (!stage.empty()) made.stage_ = stage;
        return made;
    }
    /// Tells that this share of this part is done, in [0, 1]; returns whether to go on. To be called once a round.
    bool tell(double share, std::int64_t rounds = 0, std::int64_t most_rounds = 0) const {
        if (work_ == nullptr) return true;
        return work_->tell({from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_), stage_, rounds, most_rounds});
    }
    [[nodiscard]] bool is_followed() const noexcept { return work_ != nullptr; }
    /// Says whether the work is to end as soon as it has a result.
    [[nodiscard]] bool stopped() const noexcept { return work_ != nullptr && work_->stopped(); }

private:
    FollowedWork* work_ = nullptr;
    double from_ = 0, to_ = 1;
    std::string_view stage_;
};

/// Adds up work that several threads do.
class WorkDone {
public:
    /// `total` is what will be done, above 0, in any unit; it may be estimated.
    WorkDone(const WorkHandle& handle, double total) : handle_(handle), total_(total) {}
    WorkDone(const WorkDone&) = delete;
    WorkDone& operator=(const WorkDone&) = delete;

    /// Adds work that was done, beyond `total` the share stays 1; returns whether to go on. To be called once a round,
    /// by 0 where rounds are not counted.
    bool add(double work) {
        if (!handle_.is_followed()) return true;
        const std::scoped_lock lock(mutex_);
        done_ += work;
        return handle_.tell(done_ / total_);
    }
    [[nodiscard]] bool stopped() const noexcept { return handle_.stopped(); }
    /// Returns the handle of work that is not counted, which may end early all the same.
    [[nodiscard]] WorkHandle uncounted() const { return handle_.part(0, 0); }

private:
    WorkHandle handle_;
    double total_;
    std::mutex mutex_;
    double done_ = 0;
};

/// The share done of iterations that end when a residual has fallen to a tolerance, or at a limit: residuals fall by
/// about as large a factor in each.
class ResidualShare {
public:
    ResidualShare(double tolerance, std::int64_t limit) : tolerance_(tolerance), limit_(limit) {}
    [[nodiscard]] double after(std::int64_t iterations, double residual) {
        const double by_count = limit_ > 0 ? static_cast<double>(iterations) / static_cast<double>(limit_) : 0;
        if (first_ == 0) first_ = residual;
        const bool falls = residual > 0 && tolerance_ > 0 && first_ > tolerance_;
        const double by_fall = falls ? std::log(first_ / residual) / std::log(first_ / tolerance_) : 0;
        return share_ = std::clamp(std::max(by_count, by_fall), share_, 1.0);
    }

private:
    double tolerance_;
    std::int64_t limit_;
    double first_ = 0, share_ = 0;
};

}  // namespace fairstream
