#include <fairstream/models/group_metrics/detail/columns.hpp>

#include <algorithm>

#include <fairstream/base/archive.hpp>
#include <fairstream/models/group_metrics/detail/model.hpp>

namespace fairstream::group_metrics {
namespace {

GroupTally empty_tally_of(const Options& options, const StreamFormat& format) {
    return {format, sets_of(options, format), options.bins};
}

// Gathers the predictions from rows of features, n x d.
void gather(ConstRows features, std::size_t d, std::uint32_t column, std::vector<float>& predictions) {
    predictions.resize(features.size() / d);
    for (std::size_t i = 0; i < predictions.size(); ++i) predictions[i] = features[i * d + column];
}

GroupTally counted(const Options& options, const Window& window, std::vector<float>& predictions) {
    const PointBatch points = window.points();
    GroupTally tally = empty_tally_of(options, window.format());
    gather(points.features, window.dimensions(), prediction_column(options, window.format()), predictions);
    tally.add({predictions, points.groups, points.targets, window.weights()}, options.threshold);
    return tally;
}

void remove_replaced(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const PointBatch& replaced) {
    const std::size_t a = window.attributes();
    const std::uint32_t column = prediction_column(options, window.format());
    gather(replaced.features, window.dimensions(), column, workspace.predictions);
    // Skips slots that were free, and processes the other slots in runs.
    for (std::size_t first = 0; first < replaced.size();) {
        if (replaced.ids[first] == no_point) {
            ++first;
            continue;
        }
        std::size_t last = first + 1;
        while (last < replaced.size() && replaced.ids[last] != no_point) ++last;
        const std::size_t n = last - first;
        state.tally.remove(
            {std::span(workspace.predictions).subspan(first, n), replaced.groups.subspan(first * a, n * a),
             replaced.targets.empty() ? replaced.targets : replaced.targets.subspan(first, n),
             replaced.weights.empty() ? replaced.weights : replaced.weights.subspan(first, n)},
            options.threshold);
        first = last;
    }
}

void add_written(const Options& options, State& state, Workspace& workspace, const Window& window,
                 std::span<const Slot> written) {
    const std::uint32_t column = prediction_column(options, window.format());
    const bool has_targets = window.format().has_targets, has_weights = !window.weights().empty();
    workspace.predictions.clear();
    std::vector<GroupId> groups;
    std::vector<float> targets;
    std::vector<double> weights;
    for (const Slot slot : written) {
        workspace.predictions.push_back(window.features(slot)[column]);
        groups.insert(groups.end(), window.groups(slot), window.groups(slot) + window.attributes());
        if (has_targets) targets.push_back(window.target(slot));
        if (has_weights) weights.push_back(window.weight(slot));
    }
    state.tally.add({workspace.predictions, groups, targets, weights}, options.threshold);
}

void report_counted(const State& state, StepReport<NoOutput>& report) {
    report.solve = {.outcome = state.tally.points() > 0 ? Outcome::converged : Outcome::warming, .objective = 0};
    report.changes.clear();
    report.churn = 0;
}

}  // namespace

State Model::start(const Options& options, const Window& window) {
    return {.is_counted = false, .tally = empty_tally_of(options, window.format())};
}

void Model::verify(const Options& options, const State& state, const StreamFormat& format) {
    if (!state.tally.same_shape(empty_tally_of(options, format)))
        StateReader::fail("the counts of group_metrics belong to another stream");
}

void Model::verify(const Options& options, const State& state, const Window& window) {
    verify(options, state, window.format());
    std::vector<float> predictions;
    if (state.is_counted && !state.tally.counts_same_points(counted(options, window, predictions)))
        StateReader::fail("the counts of group_metrics do not match the window");
    if (!state.is_counted && (window.size() > 0 || state.tally != empty_tally_of(options, window.format())))
        StateReader::fail("the points of group_metrics are not counted");
}

void Model::step(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, StepReport<NoOutput>& report) {
    if (state.is_counted) {
        remove_replaced(options, state, workspace, window, change.replaced);
        add_written(options, state, workspace, window, change.written.first(change.occupied_count(window.size())));
    } else {
        state.tally = counted(options, window, workspace.predictions);
        state.is_counted = true;
    }
    report_counted(state, report);
}

void Model::adjust(const Options& options, State& state, const Window& window, StepReport<NoOutput>& report) {
    std::vector<float> predictions;
    state.tally = counted(options, window, predictions);
    state.is_counted = true;
    report_counted(state, report);
}

void Model::re_express(const Options&, State& state, const MeasureChange& change) {
    // Weights at their lower bound do not follow a factor, so the next step counts all points again.
    if (change.weight_factor != 1) state.is_counted = false;
}

GroupMetrics Model::measure(const Options& options, const State& state, const StreamFormat& format,
                            double weight_unit) {
    return state.tally.measure(
        format, {options.least_points, options.parity_difference_at_most, options.odds_difference_at_most},
        weight_unit);
}

}  // namespace fairstream::group_metrics
