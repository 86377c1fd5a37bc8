#include <utility>

#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/window_solve.hpp>
#include <fairstream/models/list_changes.hpp>

namespace fairstream::fair_spectral {
namespace {

// Largest number of iterations of a refinement for which no number of rounds is given.
constexpr std::int64_t iterations_without_limit = 10'000;

// Waits for more points. If too many points left after the start, all points lose their labels and the model starts
// again.
void warm(const Options& options, const Window& window, const WindowChange& change, State& state,
          StepReport<ClusterId>& report) {
    if (!state.started) {
        state.labels.resize(window.size(), no_cluster);
        return;
    }
    list_departures(window, change, state.labels, report.changes);
    State fresh = Model::start(options, window);
    fresh.steps = state.steps;
    fresh.operator_applications = state.operator_applications;
    state = std::move(fresh);
}

}  // namespace

void Model::step(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work) {
    report.changes.clear();
    report.churn = 0;
    report.solve = {};
    const std::size_t needed =
        static_cast<std::size_t>(options.clusters) + constraint_count(attribute_columns(options, window.format()));
    if (window.size() < needed) {
        warm(options, window, change, state, report);
        return;
    }
    State next = solved(options, state, workspace, window, change, {options.iterations, false, work}, report.solve);
    list_all_changes(window, change, state.labels, next.labels, report);
    state = std::move(next);
}

void Model::refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                   std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work) {
    report.changes.clear();
    report.churn = 0;
    report.solve = {};
    if (!state.started) return;
    State next = solved(options, state, workspace, window, {},
                        {rounds > 0 ? rounds : iterations_without_limit, true, work}, report.solve);
    list_all_changes(window, {}, state.labels, next.labels, report);
    state = std::move(next);
}

}  // namespace fairstream::fair_spectral
