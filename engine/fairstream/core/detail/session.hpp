#pragma once
/// One model inside an engine: what both kinds of schedule share.

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tbb/task_arena.h>

#include <fairstream/base/detail/archive.hpp>
#include <fairstream/base/handover.hpp>
#include <fairstream/base/option_text.hpp>
#include <fairstream/base/run_beside.hpp>
#include <fairstream/core/detail/score_book.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/core/schedule.hpp>
#include <fairstream/core/update.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/work_done.hpp>
#include <fairstream/numeric/detail/arena.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::core {

#ifdef __SANITIZE_THREAD__
/// A task on its way through TBB. TBB writes its copy of the pointer after anything that a caller could tell the
/// sanitizer, so the read of that copy alone is not judged (tests/thread_sanitizer.supp names this function); what the
/// task does is.
template <class Task> struct HandedTask {
    Task* task;  ///< owned
    [[gnu::noinline]] void operator()() const { run(task); }
    [[gnu::noinline]] static void run(Task* given) {
        note_taken(given);
        (*std::unique_ptr<Task>(given))();
    }
};
template <class Task> void enqueue(tbb::task_arena& arena, Task task) {
    auto owned = std::make_unique<Task>(std::move(task));
    note_given(owned.get());
    arena.enqueue(HandedTask<Task>{owned.release()});
}
#else
template <class Task> void enqueue(tbb::task_arena& arena, Task task) {
    arena.enqueue(std::move(task));
}
#endif

/// Task arenas of an engine: the caller joins the tasks of `loops`; those of `background` run beside it. An
/// interruption ends them all.
class Arenas {
public:
    // Both reserve a slot for the caller, who never enters `background`: its tasks get TBB's workers, one fewer than
    // the threads but at least one.
    Arenas(int threads, RunBeside run_beside)
        : loops_(arena_width(threads)), background_(arena_width(threads)), run_beside_(std::move(run_beside)) {}

    template <class Work> void run(const Work& work) {
        loops_.execute([&] { interruption_->run(work); });
    }
    /// Calls `work->run(interruption)` beside the caller, who may release both meanwhile. With a `run_beside` function,
    /// a thread that waits for a task that has not begun runs it itself.
    template <class Work> void begin(std::shared_ptr<Work> work) {
        if (run_beside_) work->waiters_run = interruption_;
        note_given(work.get());
        auto task = [work = std::move(work), interruption = interruption_] {
            note_taken(work.get());
            work->run(*interruption);
        };
        if (run_beside_)
            run_beside_(std::move(task));
        else
            enqueue(background_, std::move(task));
    }
    /// Ends all tasks with `Interrupted`; may be called from any thread.
    void interrupt() noexcept { interruption_->request(); }

private:
    tbb::task_arena loops_;
    tbb::task_arena background_;
    RunBeside run_beside_;
    std::shared_ptr<Interruption> interruption_ = std::make_shared<Interruption>();
};

/// An applied batch as a session sees it.
struct BatchContext {
    const Window& window;
    const WindowChange& change;
    std::uint64_t points;  ///< that came in, retained or not
    std::uint32_t index;   ///< of the session in its engine
    Arenas& arenas;
    const std::optional<std::span<const Decision>>& replayed;  ///< decisions to repeat, on replay
    std::vector<Decision>& decisions;                          ///< decisions taken, appended to
};

// Free functions: a member of the same name would hide the model's function.
template <HasFront M>
std::vector<OperatingPoint> front_of(const typename M::Options& options, const typename M::State& state) {
    return front(options, state);
}

template <HasFigures M>
std::vector<Figure> figures_of(const typename M::Options& options, const typename M::State& state) {
    return figures(options, state);
}

template <Refinable M> void refine_model(const typename M::Options& options, typename M::State& state,
                                         typename M::Workspace& workspace, const Window& window, std::int64_t rounds,
                                         StepReport<typename M::Output>& report,
                                         [[maybe_unused]] const OnProgress& on_progress) {
    if constexpr (requires { refine(options, state, workspace, window, rounds, report, on_progress); })
        refine(options, state, workspace, window, rounds, report, on_progress);
    else
        refine(options, state, workspace, window, rounds, report);
}

template <HasPlainCost M> double plain_cost_of(const typename M::State& state) {
    return plain_cost(state);
}

/// Returns the changes in an update of a model with outputs `T`.
template <class T> Changes<T>& changes_of(ModelUpdate& update) {
    if constexpr (std::same_as<T, Score>)
        return update.scores;
    else
        return update.changes;
}

/// Predicts with any model. `groups` is n x a; a clustering ignores them.
template <OnlineModel M> void predict_outputs(const typename M::Options& options, const typename M::State& state,
                                              ConstRows rows, std::span<const GroupId> groups,
                                              std::span<typename M::Output> out) {
    if constexpr (ScoringModel<M>)
        predict(options, state, rows, groups, out);
    else
        predict(options, state, rows, out);
}

template <OnlineModel M> class Session {
public:
    using Options = typename M::Options;
    using Output = typename M::Output;

    Session(std::string name, const Options& options, const Window& window)
        : name_(std::move(name)), options_(options), state_(start(options, window)) {
        if constexpr (ScoringModel<M>) {
            book_.emplace(window.format(), score_attribute(options_));
            score_fairness_ = measure(options_, book_->tally());
        }
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const typename M::State& state() const { return state_; }
    [[nodiscard]] const Solve& solve() const { return report_.solve; }
    [[nodiscard]] double churn() const { return report_.churn; }
    [[nodiscard]] std::vector<OperatingPoint> front() const {
        if constexpr (HasFront<M>) return front_of<M>(options_, state_);
        return {};
    }
    [[nodiscard]] std::vector<Figure> figures() const {
        if constexpr (HasFigures<M>) return figures_of<M>(options_, state_);
        return {};
    }
    /// Returns what `cost` would be without a target; 0 where that is not known.
    [[nodiscard]] double plain_cost() const {
        if constexpr (HasPlainCost<M>) return plain_cost_of<M>(state_);
        return 0;
    }
    /// Fairness of the visible scores; empty for a clustering.
    [[nodiscard]] const std::optional<ScoreFairness>& score_fairness() const { return score_fairness_; }
    [[nodiscard]] ChurnRule<Output> churn_rule() const {
        if constexpr (ScoringModel<M>)
            return ChurnRule<Score>(decision_threshold(options_));
        else
            return {};
    }
    /// Sets the churn of a whole event that came in pieces.
    void set_churn(double churn) { report_.churn = churn; }

    /// Returns the options with one changed; throws `InvalidInput` when it cannot be.
    [[nodiscard]] Options changed_options(const KnobChange& knob, const StreamFormat& format) const {
        Options changed = options_;
        set_option_of(changed, knob.option, knob.value);
        for (const OptionText& option : list_options_of(changed))
            if (option.name == knob.option && !option.live)
                throw InvalidInput(Reason::bad_option,
                                   "option '" + knob.option + "' of " + name_ + " cannot change while running");
        if constexpr (requires { check_change(options_, changed); }) check_change(options_, changed);
        check(changed, format);
        return changed;
    }

    /// The work of a refinement with these options.
    [[nodiscard]] WorkEstimate work_of_refinement(const StreamFormat& format, std::int64_t rounds,
                                                  std::uint64_t retained) const {
        if constexpr (Refinable<M>) return refine_work(options_, format, rounds, retained);
        return {};
    }

protected:
    void require_refinable() const {
        if (!Refinable<M>) throw InvalidInput(Reason::unknown_request, "model " + this->name_ + " cannot be refined");
    }
    void save_common(StateWriter& writer) const {
        std::string lines;
        for (const OptionText& option : list_options_of(options_))
            if (!option.unsaid) lines += option.name + "=" + option.value + "\n";
        writer(1, lines);
        writer(2, state_);
        writer(3, report_.solve);
        writer(4, report_.churn);
    }
    void load_common(StateReader& reader, const StreamFormat& format) {
        std::string lines;
        reader(1, lines);
        options_ = saved_options(lines, format);
        reader(2, state_);
        reader(3, report_.solve);
        reader(4, report_.churn);
        check_solve(report_.solve);
    }
    static void check_solve(const Solve& solve) {
        if (solve.outcome > Outcome::unattainable) StateReader::fail("an outcome that does not exist");
    }
    /// Moves the changes and figures into `update`; buffers are swapped, for reuse.
    void fill(ModelUpdate& update, const FairnessTally& tally, double cost) {
        update.model = name_;
        update.changed = true;
        std::swap(changes_of<Output>(update), report_.changes);
        update.solve = report_.solve;
        update.churn = report_.churn;
        update.cost = cost;
        update.plain_cost = plain_cost();
        update.tally = tally;
        update.front = front();
        update.score_fairness = score_fairness_;
    }
    /// Measures the visible scores, given by slot; to be called after any change of points, visible scores or options.
    void measure_scores(const Window& window, std::span<const Score> visible) requires ScoringModel<M> {
        book_->bring_up_to(window, visible);
        score_fairness_ = measure(options_, book_->tally());
    }
    /// Measures again after a change of options alone, which moves no score but may move the figures.
    void measure_again(ModelUpdate& update) requires ScoringModel<M> {
        score_fairness_ = measure(options_, book_->tally());
        update.changed = update.changed || update.score_fairness != score_fairness_;
        update.score_fairness = score_fairness_;
    }

    std::string name_;
    Options options_;
    typename M::State state_;
    StepReport<Output> report_;

private:
    std::optional<ScoreBook> book_;  // of a model of scores
    std::optional<ScoreFairness> score_fairness_;

    // Returns the options as knobs left them; throws `InvalidInput` (bad_state) where one that cannot change while
    // running is not as given.
    [[nodiscard]] Options saved_options(const std::string& lines, const StreamFormat& format) const {
        Options saved = options_;
        leave_unsaid(saved);
        try {
            for (std::string_view rest = lines; !rest.empty();) {
                const std::string_view line = rest.substr(0, rest.find('\n'));
                rest.remove_prefix(std::min(rest.size(), line.size() + 1));
                const std::size_t equals = line.find('=');
                if (equals == line.npos)
                    throw InvalidInput(Reason::bad_state, "'" + std::string(line) + "' has no value");
                set_option_of(saved, line.substr(0, equals), line.substr(equals + 1));
            }
            check(saved, format);
        } catch (const InvalidInput& error) {
            StateReader::fail("the options of " + name_ + " cannot be: " + error.what());
        }
        const std::vector<OptionText> given = list_options_of(options_), now = list_options_of(saved);
        for (std::size_t i = 0; i < given.size(); ++i)
            if (!given[i].live && given[i].value != now[i].value)
                StateReader::fail("option '" + given[i].name + "' of " + name_ + " is " + now[i].value +
                                  " and cannot have changed");
        return saved;
    }
};

}  // namespace fairstream::core
