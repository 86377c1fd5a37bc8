#pragma once
/// A model of predictions as small as the interface allows: the line of least squares through the targets over the
/// first feature, as a network of one layer that nothing adjusts.

#include <algorithm>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/model_adapter.hpp>

namespace fairstream::ruler {

struct Options {
    int attribute = 0;
    double tilt = 1;  ///< factor of the slope
    bool operator==(const Options&) const = default;
};
const ModelKind& kind_of(const Options& options);
template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    visit(Number{"attribute", 0, 255, false, "whose groups are compared"}, o.attribute);
    visit(Number{"tilt", 0, 2, true, "factor of the slope"}, o.tilt);
}

struct State {
    Network network;  // empty while warming
    std::uint64_t version = 0;
    std::vector<Score> predictions;
    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.network);
        archive(2, self.version);
        archive(3, self.predictions);
    }
};
struct Workspace {};
struct Model {
    static constexpr std::string_view name = "ruler";
    using Options = ruler::Options;
    using State = ruler::State;
    using Workspace = ruler::Workspace;
    using Output = Score;
    static constexpr bool takes_weights = false;
    static const ModelAbout about;

    static void check(const Options& options, const StreamFormat& format) {
        check_ranges(options);
        if (static_cast<std::size_t>(options.attribute) >= format.attributes.size())
            throw InvalidInput(Reason::bad_option, "attribute: too large");
    }
    // Each step computes its line again.
    static void re_express(const Options&, State& state, const MeasureChange& change) {
        if (!change.changes_features() || state.network.layers.empty()) return;
        Layer& line = state.network.layers[0];
        line.weights.at(0, 0) /= change.factors[0];
        line.bias[0] -= line.weights.at(0, 0) * change.shifts[0];
    }
    static State start(const Options&, const Window& window) {
        State state;
        state.predictions.assign(window.size(), no_score);
        return state;
    }
    static void verify(const Options&, const State& state, const StreamFormat& format) {
        if (state.network.layers.empty()) return;
        fairstream::check(state.network);
        if (state.network.inputs() != format.dimensions || state.network.outputs() != 1)
            StateReader::fail("ruler: a network of another shape");
    }
    static void verify(const Options& options, const State& state, const Window& window) {
        verify(options, state, window.format());
        if (state.predictions.size() > window.size()) StateReader::fail("ruler: too many predictions");
    }
    static WorkEstimate step_work(const Options&, const StreamFormat&, std::uint64_t, std::uint64_t retained) {
        return {static_cast<double>(retained), "the window"};
    }
    static void step(const Options& options, State& state, Workspace&, const Window& window, const WindowChange& change,
                     StepReport<Score>& report) {
        const std::vector<Score> before = state.predictions;
        report.solve = {};
        state.predictions.assign(window.size(), no_score);
        state.network = {};
        if (window.size() >= 2) {
            state.network.layers = {line_through(options, window)};
            ++state.version;
            for (Slot slot = 0; slot < window.size(); ++slot)
                state.predictions[slot] = prediction(state, window.features(slot)[0]);
            report.solve.outcome = Outcome::converged;
        }
        list_all_changes(window, change, before, state.predictions, report);
    }
    static void predict(const Options&, const State& state, ConstRows rows, std::span<const GroupId>,
                        std::span<Score> out) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = state.network.layers.empty() ? no_score : prediction(state, rows[i * (rows.size() / out.size())]);
    }
    static bool needs_groups(const Options&) { return false; }
    static int score_attribute(const Options& options) { return options.attribute; }
    static NetworkUse network_use(const Options&) { return {.training = "least squares"}; }
    static const Network* network(const State& state) {
        return state.network.layers.empty() ? nullptr : &state.network;
    }
    static std::uint64_t network_version(const State& state) { return state.version; }
    static double objective(const State&) { return 0; }
    static std::span<const Score> outputs(const State& state) { return state.predictions; }

private:
    static Score prediction(const State& state, float x) {
        const Layer& line = state.network.layers[0];
        return line.weights.at(0, 0) * x + line.bias[0];
    }
    static Layer line_through(const Options& options, const Window& window) {
        const auto n = static_cast<double>(window.size());
        double x_mean = 0, y_mean = 0, products = 0, squares = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            x_mean += window.features(slot)[0] / n;
            y_mean += window.target(slot) / n;
        }
        for (Slot slot = 0; slot < window.size(); ++slot) {
            const double x = window.features(slot)[0] - x_mean;
            products += x * (window.target(slot) - y_mean);
            squares += x * x;
        }
        Layer line{Matrix(1, window.dimensions()), {0}};
        line.weights.at(0, 0) = squares > 0 ? options.tilt * products / squares : 0;
        line.bias[0] = y_mean - line.weights.at(0, 0) * x_mean;
        return line;
    }
};

inline const ModelAbout Model::about{.cost = "nothing", .solves_window = true};
inline const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}
static_assert(PredictingModel<Model> && !ScoringModel<Model>);

}  // namespace fairstream::ruler
