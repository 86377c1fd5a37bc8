#pragma once
/// A model of scores as small as the interface allows: the first feature, centred, times its covariance with the sign
/// of the target. Tests can hold its steps.

#include <algorithm>
#include <array>
#include <numeric>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/model_adapter.hpp>

#include "support/gate.hpp"

namespace fairstream::trend {

using test::Gate;

struct Options {
    int attribute = 0;
    double bonus = 0;      ///< added to scores of group g, times g
    double threshold = 0;  ///< threshold of the decision
    double top = 0.5;      ///< measured share of each group
    Gate* gate = nullptr;  ///< only for tests
    bool operator==(const Options&) const = default;
};
const ModelKind& kind_of(const Options& options);
template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    visit(Number{"attribute", 0, 100, false, "whose groups are compared"}, o.attribute);
    visit(Number{"bonus", -100, 100, true, "of group g: g times as much"}, o.bonus);
    visit(Number{"threshold", -100, 100, true, "of the decision"}, o.threshold);
    visit(Number{"top", 0.01, 1, true, "share of each group that is measured"}, o.top);
}

struct State {
    bool started = false;
    double mean = 0;
    double slope = 0;
    std::vector<Score> scores;
    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.started);
        archive(2, self.mean);
        archive(3, self.slope);
        archive(4, self.scores);
    }
};
struct Workspace {};
struct Model {
    static constexpr std::string_view name = "trend";
    using Options = trend::Options;
    using State = trend::State;
    using Workspace = trend::Workspace;
    using Output = Score;
    static constexpr bool takes_weights = false;
    static const ModelAbout about;

    static void check(const Options& options, const StreamFormat& format) {
        check_ranges(options);
        if (static_cast<std::size_t>(options.attribute) >= format.attributes.size())
            throw InvalidInput(Reason::bad_option, "attribute = " + std::to_string(options.attribute) +
                                                       ": must be below " + std::to_string(format.attributes.size()));
    }
    // Each step computes its line again.
    static void re_express(const Options&, State& state, const MeasureChange& change) {
        if (!change.changes_features()) return;
        state.mean = change.factors[0] * state.mean + change.shifts[0];
        state.slope /= change.factors[0];
    }
    static State start(const Options&, const Window& window) {
        return {.started = false, .mean = 0, .slope = 0, .scores = std::vector<Score>(window.size(), no_score)};
    }
    static void verify(const Options&, const State& state, const StreamFormat&) {
        if (!(std::abs(state.mean) <= feature_limit) || !(std::abs(state.slope) <= feature_limit))
            StateReader::fail("trend: a line that no points have");
    }
    static void verify(const Options& options, const State& state, const Window& window) {
        verify(options, state, window.format());
        if (state.scores.size() > window.size()) StateReader::fail("trend: too many scores");
    }
    static WorkEstimate step_work(const Options&, const StreamFormat&, std::uint64_t, std::uint64_t retained) {
        return {static_cast<double>(retained), "the window"};
    }
    static void step(const Options& options, State& state, Workspace&, const Window& window, const WindowChange& change,
                     StepReport<Score>& report);
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                        std::span<Score> out) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const float x = rows[i * (rows.size() / out.size())];
            const auto at = i * (groups.size() / out.size()) + static_cast<std::size_t>(options.attribute);
            out[i] = state.started ? score_of(options, state, x, groups.empty() ? GroupId{0} : groups[at]) : no_score;
        }
    }
    static bool needs_groups(const Options& options) { return options.bonus != 0; }
    static int score_attribute(const Options& options) { return options.attribute; }
    static double decision_threshold(const Options& options) { return options.threshold; }
    static ScoreFairness measure(const Options& options, const ScoreTally& settled) {
        return score_fairness(settled, {{{0, options.top}}}, options.threshold);
    }
    static double objective(const State& state) { return -std::abs(state.slope); }
    static std::span<const Score> outputs(const State& state) { return state.scores; }
    static std::vector<Figure> figures(const Options&, const State& state) {
        return {{"mean", state.mean}, {"slope", state.slope}};
    }

private:
    static Score score_of(const Options& options, const State& state, float x, GroupId group) {
        return state.slope * (x - state.mean) + options.bonus * group;
    }
};

inline constexpr std::array figure_texts{FigureText{"mean", "", "of the first feature"},
                                         FigureText{"slope", "", "its covariance with the sign of the target"}};
inline const ModelAbout Model::about{.cost = "the covariance, negated", .solves_window = true, .figures = figure_texts};

inline void fit_line(State& state, const Window& window) {
    state.mean = state.slope = 0;
    for (Slot slot = 0; slot < window.size(); ++slot)
        state.mean += window.features(slot)[0] / static_cast<float>(window.size());
    for (Slot slot = 0; slot < window.size(); ++slot)
        state.slope += (window.features(slot)[0] - state.mean) * (window.target(slot) > 0 ? 1.0 : -1.0) / window.size();
}

inline void Model::step(const Options& options, State& state, Workspace&, const Window& window,
                        const WindowChange& change, StepReport<Score>& report) {
    if (options.gate != nullptr) options.gate->pass();
    report.solve = {};
    std::vector<Score> before = state.scores;
    before.resize(window.capacity(), no_score);
    // The slots written first, in a journal's order.
    std::vector<Slot> slots(change.written.begin(), change.written.end());
    std::vector<std::uint8_t> written(window.capacity(), 0);
    for (const Slot slot : slots) written[slot] = 1;
    for (Slot slot = 0; slot < window.size(); ++slot)
        if (written[slot] == 0) slots.push_back(slot);
    std::vector<Score> journalled;
    for (const Slot slot : slots) journalled.push_back(before[slot]);

    state.started = window.size() >= 2;
    state.scores.assign(window.size(), no_score);
    if (state.started) {
        fit_line(state, window);
        for (Slot slot = 0; slot < window.size(); ++slot)
            state.scores[slot] = score_of(options, state, window.features(slot)[0],
                                          window.group(slot, static_cast<std::uint32_t>(options.attribute)));
        report.solve.outcome = Outcome::converged;
        report.solve.objective = objective(state);
    }
    list_changes(window, change, {slots, journalled}, state.scores, {}, report, ChurnRule<Score>(options.threshold));
}
inline const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}
static_assert(ScoringModel<Model> && !ClusteringModel<Model>);

}  // namespace fairstream::trend
