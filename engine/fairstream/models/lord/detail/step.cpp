#include <utility>

#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/lord/detail/window_solve.hpp>

namespace fairstream::lord {
namespace {

// Waits for more points. If too many points left after the start, all points lose their labels and the model starts
// again.
void wait_for_points(const Options& options, const Window& window, const WindowChange& change, State& state,
                     StepReport<ClusterId>& report) {
    if (!state.started) {
        state.labels.resize(window.size(), no_cluster);
        return;
    }
    list_departures(window, change, state.labels, report.changes);
    const std::uint64_t steps = state.steps;
    state = Model::start(options, window);
    state.steps = steps;
}

}  // namespace

void Model::step(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work) {
    report.changes.clear();
    report.churn = 0;
    report.solve = {};
    if (window.size() < static_cast<std::size_t>(options.clusters))
        return wait_for_points(options, window, change, state, report);
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
                        {rounds > 0 ? rounds : options.iterations, rounds == 0, work}, report.solve);
    list_all_changes(window, {}, state.labels, next.labels, report);
    state = std::move(next);
}

}  // namespace fairstream::lord
