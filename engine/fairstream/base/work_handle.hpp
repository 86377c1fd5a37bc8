#pragma once
/// Progress of long work, its amount, and its end before time.
///
/// A person who waits for long work wants to see how far it is, and to end it with the best there is. Such work is
/// given a `WorkHandle`, which it tells of every round. Where nobody listens nothing is told, and no work ends early:
/// then, and where a listener lets all of it go on, results are the same. Those of work that a listener ended depend on
/// when: `fit` and fronts use that, and no engine whose events are recorded may.
///
/// An engine bounds the work of its events by a `WorkBudget`. The results of work that ends with its budget depend on
/// the budget alone.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <string_view>

namespace fairstream {

inline constexpr std::uint64_t no_work_limit = std::numeric_limits<std::uint64_t>::max();

/// A limit on work, counted by whoever does it: in multiply-adds as `WorkEstimate` has them, once a block or a round.
///
/// Results must not depend on the number of threads. So any thread may add what it did and ask whether to end, but an
/// answer only takes in what was added before `settle` was called last, and that is called where the order of all work
/// under the budget is fixed: between rounds, after parallel loops have ended. A long search beside others is given a
/// share of its own, fixed before they begin (`WorkShares`), under which it is alone and may settle itself.
class WorkBudget {
public:
    explicit WorkBudget(std::uint64_t limit = no_work_limit) noexcept : limit_(limit) {}
    WorkBudget(const WorkBudget&) = delete;
    WorkBudget& operator=(const WorkBudget&) = delete;

    void spend(std::uint64_t work) noexcept { spent_.fetch_add(work, std::memory_order_relaxed); }
    /// Lets all that was spent count from now on; only where nothing else works under this budget.
    void settle() noexcept { settled_.store(spent(), std::memory_order_relaxed); }
    /// Returns what was spent, settled or not.
    [[nodiscard]] std::uint64_t spent() const noexcept { return spent_.load(std::memory_order_relaxed); }
    /// Returns what is left; `no_work_limit` without a limit.
    [[nodiscard]] std::uint64_t left() const noexcept {
        if (limit_ == no_work_limit) return limit_;
        return limit_ - std::min(limit_, settled_.load(std::memory_order_relaxed));
    }
    /// Says whether searches are to end. The rest is kept for repairs, by which outputs keep their targets.
    [[nodiscard]] bool ends_searches() const noexcept { return left() <= limit_ / reserved_of; }
    /// Says whether repairs are to end as well.
    [[nodiscard]] bool ends_repairs() const noexcept { return left() == 0; }

    /// Notes that a search ended early by a rule of its own, or under a share.
    void note_cut() noexcept { cut_.store(true, std::memory_order_relaxed); }
    /// Says whether any search ended early; to be asked where `settle` may be called.
    [[nodiscard]] bool is_cut() const noexcept { return ends_searches() || cut_.load(std::memory_order_relaxed); }

private:
    static constexpr std::uint64_t reserved_of = 4;  // one part of so many is kept for repairs

    std::uint64_t limit_;
    std::atomic<std::uint64_t> spent_ = 0, settled_ = 0;
    std::atomic<bool> cut_ = false;
};

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
    /// The handle of work that nobody follows or bounds.
    WorkHandle() = default;
    /// Borrows `work`.
    explicit WorkHandle(FollowedWork& work) : work_(&work) {}
    /// Borrows `budget`.
    explicit WorkHandle(WorkBudget& budget) : budget_(&budget) {}

    /// Returns a handle of the same part that counts work under another budget, which it borrows.
    [[nodiscard]] WorkHandle under(WorkBudget& budget) const {
        WorkHandle made = *this;
        made.budget_ = &budget;
        return made;
    }

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
        if (work_ != nullptr &&
            !work_->tell({from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_), stage_, rounds, most_rounds}))
            return false;
        return budget_ == nullptr || !budget_->ends_searches();
    }
    [[nodiscard]] bool is_followed() const noexcept { return work_ != nullptr; }
    /// Adds work that was done, in multiply-adds.
    void spend(double multiply_adds) const noexcept {
        constexpr double most = 1e18;  // that many never are
        if (budget_ != nullptr) budget_->spend(static_cast<std::uint64_t>(std::clamp(multiply_adds, 0.0, most)));
    }
    /// Does so, and lets all that was spent count (`WorkBudget::settle`). To be called between rounds.
    void settle(double multiply_adds = 0) const noexcept {
        spend(multiply_adds);
        if (budget_ != nullptr) budget_->settle();
    }
    /// Returns what is left of the budget; `no_work_limit` without one.
    [[nodiscard]] std::uint64_t left() const noexcept { return budget_ == nullptr ? no_work_limit : budget_->left(); }
    /// Says whether the work is to end as soon as it has a result.
    [[nodiscard]] bool stopped() const noexcept {
        return (work_ != nullptr && work_->stopped()) || (budget_ != nullptr && budget_->ends_searches());
    }
    /// Says whether even a repair, by which outputs keep their targets, is to end.
    [[nodiscard]] bool ends_repairs() const noexcept { return budget_ != nullptr && budget_->ends_repairs(); }
    /// Says whether any search ended early for the budget, one under a share included (`WorkBudget::is_cut`).
    [[nodiscard]] bool is_cut() const noexcept { return budget_ != nullptr && budget_->is_cut(); }
    void note_cut() const noexcept {
        if (budget_ != nullptr) budget_->note_cut();
    }

private:
    FollowedWork* work_ = nullptr;
    WorkBudget* budget_ = nullptr;
    double from_ = 0, to_ = 1;
    std::string_view stage_;
};

/// Divides what is left of a budget into equal shares, at least one, for searches that run side by side or one after
/// another. The shares are fixed by the constructor; what was spent under them counts from the destructor on. Construct
/// and destroy it only where `WorkBudget::settle` may be called.
class WorkShares {
public:
    WorkShares(const WorkHandle& whole, std::size_t count) : whole_(whole) {
        whole.settle();
        const std::uint64_t left = whole.left(), limit = left == no_work_limit ? left : left / count;
        for (std::size_t i = 0; i < count; ++i) budgets_.emplace_back(limit);
    }
    ~WorkShares() {
        for (WorkBudget& budget : budgets_) {
            budget.settle();
            whole_.spend(static_cast<double>(budget.spent()));
            if (budget.is_cut()) whole_.note_cut();
        }
        whole_.settle();
    }
    WorkShares(const WorkShares&) = delete;
    WorkShares& operator=(const WorkShares&) = delete;

    /// Returns the handle of one share, for one thread at a time.
    [[nodiscard]] WorkHandle operator[](std::size_t i) { return whole_.under(budgets_[i]); }

private:
    WorkHandle whole_;
    std::deque<WorkBudget> budgets_;
};

/// Adds up the progress of work that several threads do.
class WorkDone {
public:
    /// `total` is what will be done, above 0, in any unit; it may be estimated.
    WorkDone(const WorkHandle& handle, double total) : handle_(handle), total_(total) {}
    /// Adds to `whole`, which it borrows, for one of several that run side by side: `share` is its share of the budget.
    WorkDone(WorkDone& whole, const WorkHandle& share) : handle_(share), total_(whole.total_), whole_(&whole) {}
    WorkDone(const WorkDone&) = delete;
    WorkDone& operator=(const WorkDone&) = delete;

    /// Adds work that was done, beyond `total` the share stays 1; returns whether to go on. To be called once a round,
    /// by 0 where rounds are not counted.
    bool add(double work) {
        if (handle_.is_followed()) advance(work);
        return !handle_.stopped();
    }
    [[nodiscard]] bool stopped() const noexcept { return handle_.stopped(); }
    /// Returns the handle of the work, by which what is done is counted in multiply-adds.
    [[nodiscard]] const WorkHandle& handle() const noexcept { return handle_; }
    /// Returns the handle of work whose progress is not told, which may end early all the same.
    [[nodiscard]] WorkHandle uncounted() const { return handle_.part(0, 0); }

private:
    void advance(double work) {
        if (whole_ != nullptr) return whole_->advance(work);
        const std::scoped_lock lock(mutex_);
        done_ += work;
        handle_.tell(done_ / total_);
    }

    WorkHandle handle_;
    double total_;
    WorkDone* whole_ = nullptr;
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
