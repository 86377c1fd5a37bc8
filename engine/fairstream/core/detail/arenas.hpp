#pragma once
/// Task arenas: the threads on which an engine's tasks run.

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include <tbb/task_arena.h>

#include <fairstream/base/handover.hpp>
#include <fairstream/base/run_in_background.hpp>
#include <fairstream/core/detail/background_task.hpp>
#include <fairstream/numeric/detail/arena.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::core {

#ifdef __SANITIZE_THREAD__
/// Carries a task through TBB. TBB copies the pointer after the last place where a caller can notify the sanitizer, so
/// the read of that copy is not checked (tests/thread_sanitizer.supp names this function). The task itself is checked.
template <class Task> struct HandedTask {
    Task* task;  ///< owned
    [[gnu::noinline]] void operator()() const { run(task); }
    [[gnu::noinline]] static void run(Task* given) {
        note_acquire(given);
        (*std::unique_ptr<Task>(given))();
    }
};
template <class Task> void enqueue(tbb::task_arena& arena, Task task) {
    auto owned = std::make_unique<Task>(std::move(task));
    note_release(owned.get());
    arena.enqueue(HandedTask<Task>{owned.release()});
}
#else
template <class Task> void enqueue(tbb::task_arena& arena, Task task) {
    arena.enqueue(std::move(task));
}
#endif

/// Task arenas of an engine. The caller takes part in the tasks of `loops`; tasks of `background` run while the caller
/// goes on. An interruption ends all tasks.
class Arenas {
public:
    // Both arenas reserve a slot for the caller, which never enters `background`. So tasks of `background` get only
    // TBB's workers: one fewer than the threads, but at least one.
    Arenas(int threads, RunInBackground run_in_background)
        : loops_(arena_width(threads)),
          background_(arena_width(threads)),
          run_in_background_(std::move(run_in_background)) {}
    /// Waits for the remaining tasks. A task that a waiting thread already ran returns at once.
    ~Arenas() { queued_->wait(); }
    Arenas(const Arenas&) = delete;
    Arenas& operator=(const Arenas&) = delete;

    template <class Work> void run(const Work& work) {
        loops_.execute([&] { interruption_->run(work); });
    }
    /// Runs a task in the background; the caller may release it meanwhile.
    void begin(std::shared_ptr<BackgroundTask> given) {
        given->set_interruption(interruption_);
        note_release(given.get());
        auto task = [given = std::move(given)] {
            note_acquire(given.get());
            given->run();
        };
        if (run_in_background_) return run_in_background_(std::move(task));
        queued_->add();
        enqueue(background_, [task = std::move(task), queued = queued_] {
            task();
            queued->remove();
        });
    }
    /// Ends all tasks with `Interrupted`; may be called from any thread.
    void interrupt() noexcept { interruption_->request(); }

private:
    /// The number of queued tasks; the tasks share ownership of it.
    class Queued {
    public:
        void add() noexcept { ++tasks_; }
        void remove() noexcept {
            if (--tasks_ == 0) tasks_.notify_all();
        }
        void wait() const noexcept {
            for (std::size_t left = tasks_.load(); left > 0; left = tasks_.load()) tasks_.wait(left);
        }

    private:
        std::atomic<std::size_t> tasks_ = 0;
    };

    tbb::task_arena loops_;
    tbb::task_arena background_;
    RunInBackground run_in_background_;
    std::shared_ptr<Interruption> interruption_ = std::make_shared<Interruption>();
    std::shared_ptr<Queued> queued_ = std::make_shared<Queued>();
};

}  // namespace fairstream::core
