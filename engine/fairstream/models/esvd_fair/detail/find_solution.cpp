#include <fairstream/models/esvd_fair/detail/find_solution.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fairstream/network/train.hpp>

namespace fairstream::esvd_fair {
namespace {

constexpr double least_compared = 30;  // least weight of a group that is compared

FairOptions fair_options_of(const Options& options, bool have_targets) {
    FairOptions limits;
    limits.means = options.means, limits.spreads = options.spreads;
    limits.inputs = options.inputs, limits.ridge = options.ridge;
    limits.refits = options.refits && have_targets;
    return limits;
}

// Mean and deviation of each column, or of the target; deviation 1 if all values are equal.
struct Scale {
    std::vector<double> mean, deviation;
};

Scale scale_of(ConstRows rows, std::size_t columns, std::span<const double> weights) {
    const std::size_t n = rows.size() / columns;
    Scale scale{std::vector<double>(columns, 0.0), std::vector<double>(columns, 0.0)};
    const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
    double mass = 0;
    for (std::size_t i = 0; i < n; ++i) mass += weight(i);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < columns; ++j) scale.mean[j] += weight(i) / mass * double{rows[i * columns + j]};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const double distance = double{rows[i * columns + j]} - scale.mean[j];
            scale.deviation[j] += weight(i) / mass * distance * distance;
        }
    for (std::size_t j = 0; j < columns; ++j) {
        // A constant column carries no information under any divisor.
        const double deviation = std::sqrt(scale.deviation[j]), rounding = 1e-6 * std::abs(scale.mean[j]);
        scale.deviation[j] = deviation > rounding && deviation > 1e-30 ? deviation : 1;
    }
    return scale;
}

std::vector<float> scaled(ConstRows rows, const Scale& scale) {
    std::vector<float> out(rows.begin(), rows.end());
    const std::size_t columns = scale.mean.size();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>((double{out[i]} - scale.mean[i % columns]) / scale.deviation[i % columns]);
    return out;
}

// Converts a network of scaled rows and targets to one of unscaled rows and targets.
void unscale(Network& network, const Scale& rows, const Scale& target) {
    re_express_inputs(network.layers.front(), rows.deviation, rows.mean);
    Layer& last = network.layers.back();
    for (double& weight : last.weights.values) weight *= target.deviation[0];
    last.bias[0] = last.bias[0] * target.deviation[0] + target.mean[0];
}
// Converts a network of unscaled rows and targets to a network of scaled rows and targets.
void scale(Network& network, const Scale& rows, const Scale& target) {
    Layer& last = network.layers.back();
    for (double& weight : last.weights.values) weight /= target.deviation[0];
    last.bias[0] = (last.bias[0] - target.mean[0]) / target.deviation[0];
    std::vector<double> factors, shifts;
    for (std::size_t j = 0; j < rows.mean.size(); ++j) {
        factors.push_back(1 / rows.deviation[j]);
        shifts.push_back(-rows.mean[j] / rows.deviation[j]);
    }
    re_express_inputs(network.layers.front(), factors, shifts);
}

// A part of the window's points.
struct Sample {
    std::vector<float> rows, targets;
    std::vector<GroupId> groups;
    std::vector<double> weights;

    [[nodiscard]] LabelledRows view(std::size_t known_groups) const {
        return {{rows, targets, weights}, groups, known_groups};
    }
};

// Splits the points into three quarters, and a held-back quarter, by a hash of their ids.
std::array<Sample, 2> parts_of(const Window& window, const LabelledRows& all) {
    std::array<Sample, 2> parts;
    const std::size_t d = window.dimensions();
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const bool held_back = (window.id(slot) * 0x9e3779b97f4a7c15U) >> 62U == 0;
        Sample& part = parts[held_back];
        part.rows.insert(part.rows.end(), window.features(slot), window.features(slot) + d);
        part.targets.push_back(all.rows.targets[slot]);
        part.groups.push_back(all.groups[slot]);
        if (!all.rows.weights.empty()) part.weights.push_back(all.rows.weights[slot]);
    }
    return parts;
}

// Sets the limits and the ridge for which new points are expected to have the wished distance.
void choose_limits(const Options& options, const Window& window, const LabelledRows& rows, const State& state,
                   FairOptions& limits, Solution& solution, const WorkHandle& work) {
    const std::array<Sample, 2> parts = parts_of(window, rows);
    solution.held_back.ks = 1;  // until a smaller distance is measured
    const LabelledRows fitted = parts[0].view(state.known_groups), held_back = parts[1].view(state.known_groups);
    const std::optional<KsWish> wish = wish_for_new_rows(options.ks_at_most, fitted, held_back);
    if (!wish) return;
    solution.aimed_ks = wish->held_back;
    const FairNetwork found = equalised_to(state.base, fitted, held_back, *wish, limits, work.part(0, 1, "limits"));
    limits = found.options;
    solution.held_back = found.held_back_after;
}

// Sets the layers before the last to those of the base network, with the gap of the inputs' means removed if the limits
// say so.
void set_first_layers(const Options& options, const Window& window, const LabelledRows& rows, const FairOptions& limits,
                      State& state) {
    const bool erases = limits.inputs < 1 && state.base.layers.size() > 1;
    if (!erases && !state.is_erased) return;
    state.network = with_inputs_equalised(state.base, rows, limits);
    state.is_erased = erases;
    sum_moments(options, window, state);
}

// Sets the network to the given one.
void restore_given_network(const Options& options, const Window& window, State& state) {
    state.network = state.base;
    if (std::exchange(state.is_erased, false)) sum_moments(options, window, state);
}

// Starts to watch arriving points against these predictions of the window.
void restart_drift_watch(const LabelledRows& rows, std::span<const float> outputs, State& state) {
    std::vector<double> masses(state.known_groups, 0.0);
    state.centres.assign(state.known_groups, 0.0);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (rows.groups[i] >= state.known_groups) continue;
        const double weight = rows.rows.weights.empty() ? 1 : rows.rows.weights[i];
        masses[rows.groups[i]] += weight;
        state.centres[rows.groups[i]] += weight * double{outputs[i]};
    }
    for (std::size_t g = 0; g < masses.size(); ++g)
        if (masses[g] > 0) state.centres[g] /= masses[g];
    for (auto* watched : {&state.outputs, &state.squares, &state.errors}) watched->assign(state.known_groups, {});
}

std::vector<float> finite_outputs(const Network& network, ConstRows rows) {
    std::vector<float> outputs = Evaluation(network)(rows);
    std::ranges::transform(outputs, outputs.begin(), [](float x) { return static_cast<float>(prediction_of(x)); });
    return outputs;
}

}  // namespace

Score prediction_of(float output) {
    constexpr float most = 1e30F;
    return std::isnan(output) ? 0.0 : double{std::clamp(output, -most, most)};
}

std::vector<GroupId> groups_of_attribute(const State& state, int attribute, std::span<const GroupId> groups,
                                         std::size_t points) {
    std::vector<GroupId> own(points, 0);
    for (std::size_t i = 0; i < points && state.attributes > 0; ++i)
        own[i] = groups[i * state.attributes + static_cast<std::size_t>(attribute)];
    return own;
}

void re_express_inputs(Layer& layer, std::span<const double> factors, std::span<const double> shifts) {
    for (std::size_t i = 0; i < layer.weights.rows; ++i)
        for (std::size_t j = 0; j < layer.weights.cols; ++j) {
            layer.weights.at(i, j) /= factors[j];
            layer.bias[i] -= layer.weights.at(i, j) * shifts[j];
        }
}

Network trained_on(const Options& options, const Window& window, const Network& from, int epochs,
                   const WorkHandle& work) {
    const PointBatch points = window.points();
    const Scale rows = scale_of(points.features, window.dimensions(), window.weights()),
                target = scale_of(points.targets, 1, window.weights());
    Network network = from;
    if (network.layers.empty()) {
        std::vector<std::size_t> widths{window.dimensions()};
        for (const int width : options.hidden) widths.push_back(static_cast<std::size_t>(width));
        widths.push_back(1);
        network = random_network(widths, Activation::relu, options.seed);
    } else {
        scale(network, rows, target);
    }
    TrainOptions training;
    training.epochs = epochs;
    training.batch = 32;
    training.decay = std::pow(0.01, 1.0 / epochs);  // down to a hundredth of the first rate
    training.seed = options.seed;
    const std::vector<float> scaled_rows = scaled(points.features, rows),
                             scaled_targets = scaled(points.targets, target);
    network = trained(std::move(network), {scaled_rows, scaled_targets, window.weights()}, training, {},
                      work.part(0, 1, "training"));
    unscale(network, rows, target);
    return network;
}

std::vector<float> last_inputs(const Network& network, ConstRows rows) {
    return Evaluation(network, 0, network.layers.size() - 1)(rows);
}

std::vector<float> with_targets(std::span<const float> inputs, std::size_t p, std::span<const float> targets) {
    const std::size_t n = inputs.size() / p;
    std::vector<float> joined(n * (p + 1), 0.0F);
    for (std::size_t i = 0; i < n; ++i) {
        std::ranges::copy(inputs.subspan(i * p, p), joined.begin() + static_cast<std::ptrdiff_t>(i * (p + 1)));
        if (!targets.empty()) joined[i * (p + 1) + p] = targets[i];
    }
    return joined;
}

void sum_moments(const Options& options, const Window& window, State& state) {
    const PointBatch points = window.points();
    const std::size_t p = state.network.layers.back().weights.cols;
    state.moments = GroupMoments(state.groups, p + 1);
    state.moments.add({with_targets(last_inputs(state.network, points.features), p, points.targets),
                       groups_of_attribute(state, options.attribute, points.groups, window.size()), window.weights()});
    state.is_stale = false;
}

std::uint32_t compared_groups(const State& state) {
    std::uint32_t count = 0;
    for (std::size_t g = 0; g < state.known_groups; ++g) count += state.moments.of(g).mass >= least_compared;
    return count;
}

void find_solution(const Options& options, const Window& window, State& state, const WorkHandle& work) {
    Solution& solution = state.solution;
    FairOptions limits = fair_options_of(options, window.format().has_targets);
    const PointBatch points = window.points();
    const std::vector<GroupId> groups = groups_of_attribute(state, options.attribute, points.groups, window.size());
    const std::vector<float> none(window.format().has_targets ? 0 : window.size());
    const LabelledRows rows{
        {points.features, none.empty() ? points.targets : none, window.weights()}, groups, state.known_groups};
    solution.held_back = {};
    solution.aimed_ks = 0;
    if (options.ks_at_most < 1) choose_limits(options, window, rows, state, limits, solution, work);
    set_first_layers(options, window, rows, limits, state);
    Layer& layer = state.network.layers.back();
    layer = state.base.layers.back();
    if (limits.refits) fit_by_least_squares(layer, state.moments.pooled(), limits.ridge);
    const GroupMoments compared = state.moments.leading(state.known_groups, layer.weights.cols);
    const InputMoments inputs = input_moments(compared, 0, limits.spreads < 1);
    solution.mean_gap = mean_gap(layer.weights, inputs);
    solution.spread_gap = limits.spreads < 1 ? spread_gap(layer.weights, inputs) : 0;
    equalise(layer, compared, limits);
    ++state.version;

    std::vector<float> outputs = finite_outputs(state.network, rows.rows.rows);
    std::vector<float> before = finite_outputs(state.base, rows.rows.rows);
    solution.before = measure(before, rows);
    solution.after = measure(outputs, rows);
    if (!window.format().has_targets) solution.before.mse = solution.after.mse = 0;
    const bool adjusts = limits.means < 1 || limits.spreads < 1 || limits.inputs < 1;
    solution.is_left = adjusts && solution.after.ks >= solution.before.ks && solution.after.mse >= solution.before.mse;
    if (solution.is_left) {
        restore_given_network(options, window, state);
        outputs = std::move(before);
        solution.after = solution.before;
        limits.means = limits.spreads = limits.inputs = 1;
    }
    solution.means = limits.means, solution.spreads = limits.spreads;
    solution.inputs = limits.inputs, solution.ridge = limits.ridge;
    ++solution.solves;
    solution.points = 0;
    state.predictions.assign(outputs.begin(), outputs.end());
    solution.groups = compared_groups(state);
    restart_drift_watch(rows, outputs, state);
}

}  // namespace fairstream::esvd_fair
