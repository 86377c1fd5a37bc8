#include <algorithm>

#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>
#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// The groups of the attribute, one for each point; none where scores do not depend on them.
std::vector<GroupId> own_groups(const Options& options, const State& state, std::span<const GroupId> groups) {
    std::vector<GroupId> own;
    if (!Model::needs_groups(options) || state.attributes == 0) return own;
    for (std::size_t i = static_cast<std::size_t>(options.attribute); i < groups.size(); i += state.attributes)
        own.push_back(groups[i]);
    return own;
}

Sample sample_of(const Options& options, const State& state, const Window& window) {
    return {window.points(), window.dimensions(), window.attributes(), static_cast<std::size_t>(options.attribute),
            state.groups};
}

bool has_both_classes(const Window& window) {
    const auto targets = window.points().targets;
    const auto positive = [](float target) { return target > 0; };
    return std::ranges::any_of(targets, positive) && !std::ranges::all_of(targets, positive);
}

// Scores all points by the new state, which takes the place of the old one.
void publish(const Options& options, const Window& window, const WindowChange& change, State next, State& state,
             StepReport<Score>& report) {
    next.scores.resize(window.size());
    Model::predict(options, next, window.points().features, window.points().groups, next.scores);
    list_all_changes(window, change, state.scores, next.scores, report, ChurnRule<Score>(options.threshold));
    state = std::move(next);
}

}  // namespace

void Model::step(const Options& options, State& state, Workspace&, const Window& window, const WindowChange& change,
                 StepReport<Score>& report) {
    report.changes.clear();
    report.solve = {};
    report.churn = 0;
    if (!state.started && !has_both_classes(window)) {
        state.scores.resize(window.size(), no_score);
        return;
    }
    State next = state;
    solve(options, sample_of(options, state, window), state.started ? options.refresh : options.outer, next,
          report.solve);
    publish(options, window, change, std::move(next), state, report);
}

void Model::refine(const Options& options, State& state, Workspace&, const Window& window, std::int64_t rounds,
                   StepReport<Score>& report) {
    report.changes.clear();
    report.solve = {};
    report.churn = 0;
    if (!state.started) return;
    State next = state;
    solve(options, sample_of(options, state, window), rounds > 0 ? rounds : options.outer, next, report.solve);
    publish(options, window, {}, std::move(next), state, report);
}

void Model::predict(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                    std::span<Score> out) {
    if (!state.started) {
        std::ranges::fill(out, no_score);
        return;
    }
    const std::vector<GroupId> own = own_groups(options, state, groups);
    for_parts({0, out.size()}, [&](RowRange part) {
        const std::size_t d = state.dimensions;
        score_rows(
            options, state.weights, d, state.groups, rows.subspan(part.first * d, part.size() * d),
            own.empty() ? std::span<const GroupId>{} : std::span<const GroupId>(own).subspan(part.first, part.size()),
            out.subspan(part.first, part.size()));
    });
}

}  // namespace fairstream::partial_fair_scorer
