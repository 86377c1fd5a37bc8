#pragma once
/// Long work: its progress, its amount, and its early end.
///
/// A person who waits for long work wants to see its progress and to be able to end it with the best result so far. The
/// work reports every round to a `WorkHandle`. Without a listener nothing is reported and no work ends early; results
/// are the same as with a listener that ends nothing. If a listener ends the work, the result depends on the time.
/// `fit` and fronts use this; an engine whose events are recorded must not.
///
/// An engine bounds the work of its events by a `WorkBudget`. The result of work that ends with its budget depends only
/// on the budget.

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

/// A limit on work. Whoever does the work counts it, once a block or a round, in multiply-adds as in `WorkEstimate`.
///
/// Results must not depend on the number of threads. Any thread may add work and ask whether to end, but an answer only
/// includes work that was added before the last `settle`. Call `settle` only where the order of all work under the
/// budget is fixed: between rounds, after parallel loops. When several long searches run, each gets a share of the
/// budget, fixed before they begin (`WorkShares`). Only one search uses a share, so it may call `settle` itself.
class WorkBudget {
public:
    explicit WorkBudget(std::uint64_t limit = no_work_limit) noexcept : limit_(limit) {}
    WorkBudget(const WorkBudget&) = delete;
    WorkBudget& operator=(const WorkBudget&) = delete;

    void spend(std::uint64_t work) noexcept { spent_.fetch_add(work, std::memory_order_relaxed); }
    /// Includes all work spent so far in later answers. Only valid while nothing else works under this budget.
    void settle() noexcept { settled_.store(spent(), std::memory_order_relaxed); }
    /// Returns the work spent, settled or not.
    [[nodiscard]] std::uint64_t spent() const noexcept { return spent_.load(std::memory_order_relaxed); }
    /// Returns the work left; `no_work_limit` without a limit.
    [[nodiscard]] std::uint64_t left() const noexcept {
        if (limit_ == no_work_limit) return limit_;
        return limit_ - std::min(limit_, settled_.load(std::memory_order_relaxed));
    }
    /// Returns whether searches must end. The rest of the budget is kept for repairs, which make outputs meet their
    /// targets.
    [[nodiscard]] bool ends_searches() const noexcept { return left() <= limit_ / reserved_of; }
    /// Returns whether repairs must also end.
    [[nodiscard]] bool ends_repairs() const noexcept { return left() == 0; }

    /// Notes that a search ended early by its own rule, or because its share of the work was used up.
    void note_cut() noexcept { cut_.store(true, std::memory_order_relaxed); }
    /// Returns whether any search ended early. Only valid where `settle` may be called.
    [[nodiscard]] bool is_cut() const noexcept { return ends_searches() || cut_.load(std::memory_order_relaxed); }

private:
    static constexpr std::uint64_t reserved_of = 4;  // 1 / reserved_of of the budget is kept for repairs

    std::uint64_t limit_;
    std::atomic<std::uint64_t> spent_ = 0, settled_ = 0;
    std::atomic<bool> cut_ = false;
};

struct WorkProgress {
    double share = 0;              ///< estimated share of all work, in [0, 1]; never falls, and may reach 1 early
    std::string_view stage = {};   ///< current stage, e.g. "solver"; a string with static lifetime; empty: unknown
    std::int64_t rounds = 0;       ///< rounds of this stage that are done
    std::int64_t most_rounds = 0;  ///< largest number of rounds of this stage; 0: unknown
};

/// Receives the progress after each round and returns whether to go on. Called from any thread, one call at a time, and
/// never again after it returned false. It may neither throw nor call the object that works.
using OnProgress = std::function<bool(const WorkProgress&)>;

/// A piece of work and its listener.
class FollowedWork {
public:
    /// Borrows `listener`, which must not be empty.
    explicit FollowedWork(const OnProgress& listener) : listener_(listener) {}
    FollowedWork(const FollowedWork&) = delete;
    FollowedWork& operator=(const FollowedWork&) = delete;

    /// Reports to the listener; returns whether to go on.
    bool report_progress(WorkProgress progress) {
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

/// A part of a piece of work, held by the code that does it. If parts run side by side, or a handle is copied, the
/// largest progress is reported.
class WorkHandle {
public:
    /// The handle of work without listener and budget.
    WorkHandle() = default;
    /// Borrows `work`.
    explicit WorkHandle(FollowedWork& work) : work_(&work) {}
    /// Borrows `budget`.
    explicit WorkHandle(WorkBudget& budget) : budget_(&budget) {}

    /// Returns a handle of the same part that counts its work under another budget, which it borrows.
    [[nodiscard]] WorkHandle under(WorkBudget& budget) const {
        WorkHandle made = *this;
        made.budget_ = &budget;
        return made;
    }

    /// Returns the handle of the part of this work from share `from` to share `to`. Its name is `stage`; if empty, the
    /// name of the whole.
    [[nodiscard]] WorkHandle part(double from, double to, std::string_view stage = {}) const {
        WorkHandle made = *this;
        made.from_ = from_ + from * (to_ - from_);
        made.to_ = from_ + to * (to_ - from_);
        if (!stage.empty()) made.stage_ = stage;
        return made;
    }
    /// Reports which share of this part is done, in [0, 1]; returns whether to go on. To be called once a round.
    bool report_progress(double share, std::int64_t rounds = 0, std::int64_t most_rounds = 0) const {
        if (work_ != nullptr &&
            !work_->report_progress({from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_), stage_, rounds, most_rounds}))
            return false;
        return budget_ == nullptr || !budget_->ends_searches();
    }
    [[nodiscard]] bool is_followed() const noexcept { return work_ != nullptr; }
    /// Adds work done, in multiply-adds.
    void spend(double multiply_adds) const noexcept {
        constexpr double most = 1e18;  // more is never spent; keeps the conversion to an integer valid
        if (budget_ != nullptr) budget_->spend(static_cast<std::uint64_t>(std::clamp(multiply_adds, 0.0, most)));
    }
    /// Adds work done and settles the budget (`WorkBudget::settle`). To be called between rounds.
    void settle(double multiply_adds = 0) const noexcept {
        spend(multiply_adds);
        if (budget_ != nullptr) budget_->settle();
    }
    /// Returns the work left in the budget; `no_work_limit` without one.
    [[nodiscard]] std::uint64_t left() const noexcept { return budget_ == nullptr ? no_work_limit : budget_->left(); }
    /// Returns whether the work must end as soon as it has a result.
    [[nodiscard]] bool stopped() const noexcept {
        return (work_ != nullptr && work_->stopped()) || (budget_ != nullptr && budget_->ends_searches());
    }
    /// Returns whether even repairs, which make outputs meet their targets, must end.
    [[nodiscard]] bool ends_repairs() const noexcept { return budget_ != nullptr && budget_->ends_repairs(); }
    /// Returns whether any search ended early, also under a share of the budget (`WorkBudget::is_cut`).
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

/// Divides the rest of a budget into equal shares, at least one, for searches that run side by side or one after
/// another. The constructor fixes the shares; the destructor counts what was spent under them. Construct and destroy it
/// only where `WorkBudget::settle` may be called.
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
    /// `total` is all the work to be done, above 0, in any unit; it may be an estimate.
    WorkDone(const WorkHandle& handle, double total) : handle_(handle), total_(total) {}
    /// Counts the work of one of several searches that run side by side, as part of `whole`, which it borrows. `share`
    /// is the search's share of the budget.
    WorkDone(WorkDone& whole, const WorkHandle& share) : handle_(share), total_(whole.total_), whole_(&whole) {}
    WorkDone(const WorkDone&) = delete;
    WorkDone& operator=(const WorkDone&) = delete;

    /// Adds work done; beyond `total` the share stays 1. Returns whether to go on. To be called once a round, with 0 if
    /// rounds are not counted.
    bool add(double work) {
        if (handle_.is_followed()) advance(work);
        return !handle_.stopped();
    }
    [[nodiscard]] bool stopped() const noexcept { return handle_.stopped(); }
    /// Returns the handle by which work is counted in multiply-adds.
    [[nodiscard]] const WorkHandle& handle() const noexcept { return handle_; }
    /// Returns a handle of work that reports no progress but may still be ended.
    [[nodiscard]] WorkHandle uncounted() const { return handle_.part(0, 0); }

private:
    void advance(double work) {
        if (whole_ != nullptr) return whole_->advance(work);
        const std::scoped_lock lock(mutex_);
        done_ += work;
        handle_.report_progress(done_ / total_);
    }

    WorkHandle handle_;
    double total_;
    WorkDone* whole_ = nullptr;
    std::mutex mutex_;
    double done_ = 0;
};

/// Progress of iterations that end when a residual reaches a tolerance, or at a limit. Assumes that residuals fall by
/// about the same factor in each iteration.
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
