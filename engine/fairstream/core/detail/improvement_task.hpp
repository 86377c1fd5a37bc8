#pragma once
/// A task that improves a model on a snapshot, in the background.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fairstream/core/detail/background_task.hpp>
#include <fairstream/core/detail/session.hpp>

namespace fairstream::core {

/// Runs at most one improvement at a time. `Model` is `Clusterer` or `Scorer`.
template <class Model> class ImprovementTask {
public:
    ImprovementTask() = default;
    ImprovementTask(const ImprovementTask&) = delete;
    ImprovementTask& operator=(const ImprovementTask&) = delete;
    ~ImprovementTask() { drop(); }

    /// Counts the points of a batch and marks the slots that it wrote.
    void note(const WindowChange& change, std::uint64_t points, const Window& window) {
        points_since_snapshot_ += points;
        changed_.resize(window.size());
        for (const Slot slot : change.written.first(change.occupied_count(window.size()))) changed_[slot] = 1;
    }
    /// Returns whether this many points have come since the last snapshot.
    [[nodiscard]] bool is_due(std::uint64_t points) const { return points_since_snapshot_ >= points; }
    /// Returns whether the improvement of the last snapshot is still to be taken.
    [[nodiscard]] bool is_awaited() const { return begun_; }
    /// Waits for the improvement of the last snapshot and returns it; null if there is none. It is valid until the next
    /// one begins.
    [[nodiscard]] const RunningImprovement* take() {
        if (!std::exchange(begun_, false)) return nullptr;
        work_->finish();
        return work_->improvement.get();
    }
    /// Returns the work, in multiply-adds, of the improvement taken last.
    [[nodiscard]] std::uint64_t spent() const { return work_ ? work_->spent : 0; }
    /// Returns marks by slot: 1 if the slot was written since the last snapshot.
    [[nodiscard]] std::span<const std::uint8_t> changed() const { return changed_; }
    /// Takes a snapshot and begins to improve it, with at most this much work, in multiply-adds.
    void begin(const Model& model, const Window& window, Arenas& arenas, std::uint64_t work_limit) {
        if (!work_ || work_->was_run_by_waiter()) work_ = Work::after(work_);
        work_->take_snapshot(model, window, work_limit);
        points_since_snapshot_ = 0;
        begun_ = true;
        changed_.assign(window.size(), 0);
        // Shared ownership: the task may still be notifying waiters after they saw that it is done.
        arenas.begin(work_);
    }
    /// Discards the last snapshot as out of date, and restarts the count of points.
    void drop() {
        if (work_) work_->end();
        work_.reset();
        begun_ = false;
        points_since_snapshot_ = 0;
        changed_.clear();
    }
    /// Returns whether there is neither a snapshot nor a counted point to save.
    [[nodiscard]] bool is_idle() const { return !begun_ && points_since_snapshot_ == 0; }

    void save(StateWriter& writer) const {
        writer(1, points_since_snapshot_);
        writer(2, changed_);
        writer(3, begun_);
        if (!begun_) return;
        work_->finish();
        work_->improvement->save(writer, 4);
        writer(5, work_->spent);
    }
    void load(StateReader reader, const Model& model, const Window& window) {
        reader(1, points_since_snapshot_);
        reader(2, changed_);
        reader(3, begun_);
        if (changed_.size() > window.size() ||
            std::ranges::any_of(changed_, [](std::uint8_t mark) { return mark > 1; }))
            StateReader::fail("the slots since the last snapshot do not match the window");
        changed_.resize(window.size());
        if (!begun_) return;
        work_ = std::make_shared<Work>();
        work_->improvement = model.begin_improvement(nullptr);
        if (!work_->improvement) StateReader::fail("an improvement is saved for a model that makes none");
        work_->improvement->load(reader, 4);
        if (reader.has(5)) reader(5, work_->spent);
        model.verify(*work_->improvement, window);
    }

private:
    // Reused from one snapshot to the next for its memory.
    struct Work final : BackgroundTask {
        Work() { mark_done(); }
        void take_snapshot(const Model& model, const Window& w, std::uint64_t work_limit) {
            improvement = model.begin_improvement(std::move(improvement));
            window = w;
            limit = work_limit;
            spent = 0;
            renew();
        }
        void work() override {
            WorkBudget budget(limit);
            improvement->run(*window, WorkHandle(budget));
            spent = budget.spent();
        }
        /// Returns work that takes over the memory of `last`. The thread that `last` was given to may still call its
        /// `run`, and finds it done.
        static std::shared_ptr<Work> after(const std::shared_ptr<Work>& last) {
            auto next = std::make_shared<Work>();
            if (!last) return next;
            next->improvement = std::move(last->improvement);
            next->window = std::move(last->window);
            return next;
        }

        std::unique_ptr<RunningImprovement> improvement;
        std::optional<Window> window;
        std::uint64_t limit = no_work_limit, spent = 0;  // work in multiply-adds
    };

    std::uint64_t points_since_snapshot_ = 0;
    std::vector<std::uint8_t> changed_;  // by slot
    std::shared_ptr<Work> work_;
    bool begun_ = false;  // whether an improvement runs, or is done but not yet taken
};

}  // namespace fairstream::core
