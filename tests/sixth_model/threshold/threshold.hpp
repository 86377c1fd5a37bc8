#pragma once
/// A model as small as the interface allows: two clusters, below and above the mean of the first feature. Tests can
/// hold its steps, so that the worst schedule is tested without a clock.

#include <array>
#include <string_view>
#include <vector>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/model_adapter.hpp>

#include "support/gate.hpp"

namespace fairstream::threshold {

using test::Gate;

struct Options {
    int clusters = 2;
    double offset = 0;     ///< added to the mean
    Gate* gate = nullptr;  ///< only for tests
    bool operator==(const Options&) const = default;
};
const ModelKind& kind_of(const Options& options);
template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    visit(Number{"clusters", 2, 2, false, "always two"}, o.clusters);
    visit(Number{"offset", -10, 10, true, "added to the mean"}, o.offset);
}

struct State {
    double threshold = 0;
    bool started = false;
    std::vector<ClusterId> labels;
    FairnessTally counts;
    std::vector<float> centres;  // 2 x d; empty while warming
    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.threshold);
        archive(2, self.started);
        archive(3, self.labels);
        archive(4, self.counts);
        archive(5, self.centres);
    }
};
struct Workspace {};
struct Model {
    static constexpr std::string_view name = "threshold";
    using Options = threshold::Options;
    using State = threshold::State;
    using Workspace = threshold::Workspace;
    using Output = ClusterId;
    static constexpr bool takes_weights = false;
    static const ModelAbout about;

    static void check(const Options& options, const StreamFormat&) { check_ranges(options); }
    static void re_express(const Options&, State& state, const MeasureChange& change) {
        if (!change.changes_features()) return;
        state.threshold = change.factors[0] * state.threshold + change.shifts[0];
        change.apply(state.centres);
    }
    static State start(const Options&, const Window& window) {
        State state;
        state.labels.assign(window.size(), no_cluster);
        state.counts = empty_tally(window.format());
        return state;
    }
    static void verify(const Options&, const State& state, const StreamFormat& format) {
        if (!state.counts.same_shape(empty_tally(format)))
            throw InvalidInput(Reason::bad_state, "threshold: counts of another shape");
        if (state.centres.size() != (state.started ? 2 * format.dimensions : 0))
            throw InvalidInput(Reason::bad_state, "threshold: centres of another shape");
    }
    static void verify(const Options& options, const State& state, const Window& window) {
        verify(options, state, window.format());
        if (state.labels.size() > window.size()) throw InvalidInput(Reason::bad_state, "threshold: too many labels");
    }
    static WorkEstimate step_work(const Options&, const StreamFormat&, std::uint64_t, std::uint64_t retained) {
        return {static_cast<double>(retained), "the window"};
    }
    static void step(const Options& options, State& state, Workspace&, const Window& window, const WindowChange& change,
                     StepReport<ClusterId>& report);
    static void predict(const Options&, const State& state, ConstRows rows, std::span<ClusterId> out) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = state.started ? label_of(state, rows[i * (rows.size() / out.size())]) : no_cluster;
    }
    static int cluster_count(const Options& options) { return options.clusters; }
    static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    static const FairnessTally& tally(const State& state) { return state.counts; }
    static std::span<const float> centres(const State& state) { return state.centres; }
    static double objective(const State& state) { return state.threshold; }
    static std::vector<Figure> figures(const Options&, const State& state) { return {{"threshold", state.threshold}}; }

private:
    static FairnessTally empty_tally(const StreamFormat& format) {
        std::vector<int> groups;
        for (const Attribute& attribute : format.attributes)
            groups.push_back(static_cast<int>(attribute.groups.size()));
        return FairnessTally(2, groups);
    }
    static ClusterId label_of(const State& state, float x) { return x < state.threshold ? 0 : 1; }
    static void fit(const Options& options, State& state, const Window& window) {
        const std::size_t d = window.dimensions();
        double sum = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) sum += window.features(slot)[0];
        state.threshold = sum / window.size() + options.offset;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            state.labels[slot] = label_of(state, window.features(slot)[0]);
            state.counts.add(state.labels[slot], window.groups(slot));
        }
        for (Slot slot = 0; slot < window.size(); ++slot) {
            const ClusterId label = state.labels[slot];
            for (std::size_t j = 0; j < d; ++j)
                state.centres[static_cast<std::size_t>(label) * d + j] +=
                    window.features(slot)[j] / static_cast<float>(state.counts.size(label));
        }
    }
};

inline constexpr std::array figure_texts{FigureText{"threshold", "", "mean of the first feature, and the offset"}};
inline const ModelAbout Model::about{.cost = "the threshold", .solves_window = true, .figures = figure_texts};

inline void Model::step(const Options& options, State& state, Workspace&, const Window& window,
                        const WindowChange& change, StepReport<ClusterId>& report) {
    if (options.gate != nullptr) options.gate->pass();
    report.solve = {};
    const std::vector<ClusterId> before = state.labels;
    state.labels.assign(window.size(), no_cluster);
    state.counts = empty_tally(window.format());
    state.started = window.size() >= 2;
    state.centres.assign(state.started ? 2 * window.dimensions() : 0, 0);
    if (state.started) {
        fit(options, state, window);
        report.solve.outcome = Outcome::converged;
        report.solve.objective = state.threshold;
    }
    list_all_changes(window, change, before, state.labels, report);
}
inline const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}
static_assert(ClusteringModel<Model>);

}  // namespace fairstream::threshold
