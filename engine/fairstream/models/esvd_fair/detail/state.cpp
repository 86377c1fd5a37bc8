#include <algorithm>
#include <cmath>
#include <string>

#include <fairstream/models/esvd_fair/detail/model.hpp>
#include <fairstream/models/esvd_fair/detail/options.hpp>
#include <fairstream/models/verify_state.hpp>
#include <fairstream/targets/check_attributes.hpp>

namespace fairstream::esvd_fair {
namespace {

void refuse(const std::string& why) {
    throw InvalidInput(Reason::bad_option, why);
}

void check_network(const Network& network, const StreamFormat& format) {
    if (network.inputs() != format.dimensions)
        refuse("network: it has " + std::to_string(network.inputs()) + " inputs: must be " +
               std::to_string(format.dimensions) + ", the number of prepared features");
    if (network.outputs() != 1)
        refuse("network: it has " + std::to_string(network.outputs()) + " outputs: must have one output");
    if (network.layers.back().activation != Activation::identity)
        refuse("network: its last layer must have no activation (identity)");
}

constexpr StateCheck expect(Model::name);

bool within(std::initializer_list<double> values, double low, double high) {
    return std::ranges::all_of(values, [&](double x) { return x >= low && x <= high; });
}

bool has_sizes_of(const Network& network, const Options& options, std::size_t dimensions) {
    std::vector<std::size_t> widths{dimensions};
    if (options.network.has_value())
        for (const Layer& layer : options.network->layers) widths.push_back(layer.weights.rows);
    else {
        for (const int width : options.hidden) widths.push_back(static_cast<std::size_t>(width));
        widths.push_back(1);
    }
    if (network.layers.size() + 1 != widths.size()) return false;
    for (std::size_t l = 0; l < network.layers.size(); ++l)
        if (network.layers[l].weights.cols != widths[l] || network.layers[l].weights.rows != widths[l + 1] ||
            network.layers[l].activation > Activation::sigmoid)
            return false;
    return network.layers.back().activation == Activation::identity;
}

// Weights after changes of the measure may exceed the range of given weights.
bool is_finite(const Layer& layer) {
    const auto all = [](const auto& values) {
        return std::ranges::all_of(values, [](double x) { return std::abs(x) <= 1e100; });
    };
    return layer.weights.values.size() == layer.weights.rows * layer.weights.cols &&
           layer.bias.size() == layer.weights.rows && all(layer.weights.values) && all(layer.bias);
}

bool are_moments_of(const GroupMoments& moments, std::size_t groups, std::size_t dimensions) {
    if (moments.groups() != groups) return false;
    for (std::size_t g = 0; g < groups; ++g) {
        const Moments& of = moments.of(g);
        if (of.mean.size() != dimensions || of.scatter.rows != dimensions || of.scatter.cols != dimensions ||
            of.scatter.values.size() != dimensions * dimensions || !(of.mass >= 0 && of.mass <= 1e100) ||
            !(of.rounding >= 0))
            return false;
        const auto finite = [](double x) { return std::isfinite(x); };
        if (!std::ranges::all_of(of.mean, finite) || !std::ranges::all_of(of.scatter.values, finite)) return false;
    }
    return true;
}

void verify_network(const Options& options, const State& state, const StreamFormat& format) {
    expect(std::ranges::all_of(state.network.layers, is_finite) && std::ranges::all_of(state.base.layers, is_finite),
           "a weight is out of range");
    expect(
        has_sizes_of(state.network, options, format.dimensions) && has_sizes_of(state.base, options, format.dimensions),
        "the network does not match the options");
    const Layer& last = state.network.layers.back();
    expect(are_moments_of(state.moments, state.groups, last.weights.cols + 1), "the moments are impossible");
    expect(state.outputs.size() == state.known_groups && state.errors.size() == state.known_groups &&
               state.squares.size() == state.known_groups && state.centres.size() == state.known_groups,
           "the watched means do not match the groups");
    expect(std::ranges::all_of(state.outputs, &ChangeDetector::is_sound) &&
               std::ranges::all_of(state.squares, &ChangeDetector::is_sound) &&
               std::ranges::all_of(state.errors, &ChangeDetector::is_sound) &&
               std::ranges::all_of(state.centres, [](double x) { return std::abs(x) <= 1e31; }),
           "a watched mean is out of range");
}

// Returns the state for a stream of this format before its first point.
State state_of(const Options& options, const StreamFormat& format) {
    State state;
    state.dimensions = format.dimensions;
    state.attributes = static_cast<std::uint32_t>(format.attributes.size());
    if (state.attributes == 0) return state;
    const Attribute& attribute = format.attributes[static_cast<std::size_t>(options.attribute)];
    state.groups = static_cast<std::uint32_t>(attribute.groups.size());
    state.known_groups = static_cast<std::uint32_t>(attribute.known_groups());
    return state;
}

}  // namespace

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    check_attributes(options.attribute, format);
    if (options.network.has_value())
        check_network(*options.network, format);
    else if (!format.has_targets)
        refuse(
            "network: esvd_fair needs targets in the stream to train a network, or a trained network (network = "
            "@FILE)");
    if (options.ks_at_most == 0) refuse("ks_at_most = 0: must be above 0, and above the distance that chance causes");
    if (options.ks_at_most < 1 && !format.has_targets)
        refuse("ks_at_most = " + number_text(options.ks_at_most) + ": needs targets in the stream, to measure errors");
}

State Model::start(const Options& options, const Window& window) {
    State state = state_of(options, window.format());
    state.predictions.assign(window.size(), no_score);
    return state;
}

void Model::verify(const Options& options, const State& state, const StreamFormat& format) {
    const State own = state_of(options, format);
    expect(state.dimensions == own.dimensions && state.attributes == own.attributes && state.groups == own.groups &&
               state.known_groups == own.known_groups,
           "it belongs to another stream");
    if (state.started)
        verify_network(options, state, format);
    else
        expect(
            state.network.layers.empty() && state.base.layers.empty() && state.outputs.empty() && state.errors.empty(),
            "there is a network before the start");
    const Solution& s = state.solution;
    expect(within({s.points, s.next, s.since_alarm}, 0, 1e300) && within({s.means, s.spreads, s.inputs}, 0, 1) &&
               within({s.ridge}, 0, 1e15) && within({s.mean_gap}, -1e300, 1e300) && within({s.spread_gap}, 0, 1e300) &&
               within({s.aimed_ks}, 0, 1),
           "a figure of the solution is out of range");
    for (const Fit& fit : {s.before, s.after, s.held_back})
        expect(within({fit.mse, fit.wasserstein, fit.mean_gap}, 0, 1e300) && within({fit.ks}, 0, 1 + 1e-9),
               "a figure of the fit is out of range");
    expect(std::ranges::all_of(state.predictions,
                               [&](Score score) { return state.started ? std::isfinite(score) : score == no_score; }),
           "a prediction is not finite");
}

void Model::verify(const Options& options, const State& state, const Window& window) {
    verify(options, state, window.format());
    expect(state.predictions.size() == window.size(), "the predictions do not match the window");
}

double Model::objective(const State& state) {
    return state.started ? state.solution.after.mse : 0;
}

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    const Solution& s = state.solution;
    std::vector<Figure> all{
        {"mse_before", s.before.mse}, {"mse_after", s.after.mse}, {"ks_before", s.before.ks}, {"ks_after", s.after.ks}};
    if (options.ks_at_most < 1) all.insert(all.end(), {{"held_back_ks", s.held_back.ks}, {"aimed_ks", s.aimed_ks}});
    all.push_back({"c_e", s.means * s.mean_gap});
    if (s.spreads < 1) all.push_back({"c_v", s.spreads * s.spread_gap});
    for (const Figure& figure : {Figure{"means", s.means}, Figure{"spreads", s.spreads}, Figure{"inputs", s.inputs},
                                 Figure{"left", s.is_left ? 1.0 : 0.0}, Figure{"solves", static_cast<double>(s.solves)},
                                 Figure{"alarms", static_cast<double>(s.alarms)}, Figure{"since_solved", s.points}})
        all.push_back(figure);
    return all;
}

}  // namespace fairstream::esvd_fair
