#include <fairstream/models/esvd_fair/fair_network.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include <fairstream/base/refuse_option.hpp>
#include <fairstream/fairness/distribution_gaps.hpp>
#include <fairstream/models/esvd_fair/detail/options.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::esvd_fair {
namespace {

constexpr double ridges[] = {1e-4, 1e-3, 1e-2, 1e-1};
constexpr int limits_tried = 51;                         // limits of the gap of means, from the present gap to 0 in
                                                         // equal steps
constexpr double spreads_over_means[] = {1e9, 100, 10};  // times the limit of means; the first keeps the spreads

void check_limits(const FairOptions& options) {
    if (!(options.means > 0 && options.means <= 1)) refuse_option("means", options.means, "(0, 1]");
    if (!(options.spreads > 0 && options.spreads <= 1)) refuse_option("spreads", options.spreads, "(0, 1]");
    if (!(options.inputs > 0 && options.inputs <= 1)) refuse_option("inputs", options.inputs, "(0, 1]");
    if (!(options.epsilon >= 0 && options.epsilon <= 1e15)) refuse_option("epsilon", options.epsilon, "[0, 1e15]");
    if (options.form == Form::paper && options.epsilon == 0)
        refuse_option("epsilon", 0, "(0, 1e15] in the paper's form");
    if (!(options.ridge >= 0 && options.ridge <= 1e15)) refuse_option("ridge", options.ridge, "[0, 1e15]");
}

void check(const Network& network, const FairOptions& options) {
    fairstream::check(network);
    if (network.outputs() != 1)
        throw InvalidInput(Reason::wrong_shape,
                           "network with " + std::to_string(network.outputs()) + " outputs: must have one output");
    check_limits(options);
    std::vector<int> layers = options.layers;
    std::ranges::sort(layers);
    if (const auto twice = std::ranges::adjacent_find(layers); twice != layers.end())
        throw InvalidInput(Reason::bad_option,
                           "layers: layer " + std::to_string(*twice) + " is named twice; name each layer once");
    for (const int layer : layers)
        if (layer < 1 || static_cast<std::size_t>(layer) > network.layers.size())
            refuse_option("layers", layer, "[1, " + std::to_string(network.layers.size()) + "]");
}

void check(const Network& network, const LabelledRows& rows) {
    if (rows.groups.size() * network.inputs() != rows.rows.rows.size())
        throw InvalidInput(Reason::wrong_shape, std::to_string(rows.groups.size()) + " groups for " +
                                                    std::to_string(rows.rows.rows.size()) + " values in rows of " +
                                                    std::to_string(network.inputs()) + ": must be one group per row");
}

Equaliser equaliser_of(const Network& network, std::size_t layer, const LabelledRows& rows, const FairOptions& options,
                       bool with_spreads) {
    const std::vector<float> inputs = Evaluation(network, 0, layer)(rows.rows.rows);
    GroupMoments moments(rows.group_count, network.layers[layer].weights.cols);
    moments.add({inputs, rows.groups, rows.rows.weights});
    return {input_moments(moments, options.epsilon, with_spreads), options.form};
}

void take(Layer& layer, Adjustment found) {
    layer.weights = std::move(found.weights);
    for (std::size_t i = 0; i < layer.bias.size(); ++i) layer.bias[i] += found.bias_shift[i];
}

// Covariances first, then means, as in Algorithm 1.
void equalise(Layer& layer, const Equaliser& equaliser, const FairOptions& options) {
    const auto limit_of = [&](double part, auto gap_of) {
        return part < 1 ? part * gap_of(layer.weights, equaliser.inputs()) : 0;
    };
    if (const double limit = limit_of(options.spreads, spread_gap); limit > 0)
        take(layer, equaliser.spreads(layer.weights, limit));
    if (const double limit = limit_of(options.means, mean_gap); limit > 0)
        take(layer, equaliser.means(layer.weights, limit));
}

// Returns the indices of the layers to equalise, first to last.
std::vector<std::size_t> indices_of(const Network& network, const FairOptions& options) {
    std::vector<std::size_t> indices;
    for (const int from_last : options.layers)
        indices.push_back(network.layers.size() - static_cast<std::size_t>(from_last));
    std::ranges::sort(indices);
    return indices;
}

// `first` is the equaliser of the first equalised layer, whose inputs do not change.
Network with_layers_equalised(Network network, const LabelledRows& rows, const FairOptions& options,
                              const Equaliser& first) {
    const std::vector<std::size_t> indices = indices_of(network, options);
    const std::size_t last = network.layers.size() - 1;
    for (const std::size_t at : indices) {
        if (at == last && options.refits)
            network = with_last_layer_refitted(std::move(network), rows.rows, options.ridge);
        if (at == indices[0])
            equalise(network.layers[at], first, options);
        else
            equalise(network.layers[at], equaliser_of(network, at, rows, options, options.spreads < 1), options);
    }
    if (options.refits && (indices.empty() || indices.back() != last))
        network = with_last_layer_refitted(std::move(network), rows.rows, options.ridge);
    return network;
}

std::size_t first_moved(const Network& network, const FairOptions& options) {
    const std::vector<std::size_t> indices = indices_of(network, options);
    return indices.empty() ? network.layers.size() - 1 : indices[0];
}

Network layers_from(const Network& network, std::size_t first) {
    return {{network.layers.begin() + static_cast<std::ptrdiff_t>(first), network.layers.end()}};
}

struct Candidate {
    Network network;
    FairOptions options;
    Fit fit;           // on held-back rows
    double above = 0;  // largest excess of a KS distance over its wish; 0: both wishes are met

    // Returns whether a network with this fit and excess is better. Of two networks that meet the wish, the one with
    // less error is better. Otherwise the one with the smaller excess is better; if these are equal, the one with the
    // smaller KS distance on held-back rows.
    [[nodiscard]] bool is_worse_than(const Fit& other, double others_above) const {
        if (above != others_above) return others_above < above;
        return above == 0 ? other.mse < fit.mse : other.ks < fit.ks;
    }
};

// Rows of two parts, and their groups, concatenated.
class BothParts {
public:
    BothParts(const LabelledRows& rows, const LabelledRows& held_back) : rows_(rows), held_back_(held_back) {
        for (const LabelledRows* part : {&rows, &held_back}) {
            groups_.insert(groups_.end(), part->groups.begin(), part->groups.end());
            weights_.insert(weights_.end(), part->rows.weights.begin(), part->rows.weights.end());
        }
    }
    [[nodiscard]] double ks_of(const Network& network) const {
        const Evaluation of(network);
        std::vector<float> outputs = of(rows_.rows.rows);
        const std::vector<float> others = of(held_back_.rows.rows);
        outputs.insert(outputs.end(), others.begin(), others.end());
        return distribution_gaps(outputs, groups_, rows_.group_count, weights_).ks;
    }

private:
    const LabelledRows &rows_, &held_back_;
    std::vector<GroupId> groups_;
    std::vector<double> weights_;  // weights of all rows, or empty
};

// Returns `ks_by_chance` of the groups in all these rows, the largest over pairs of groups; 0 if fewer than two groups
// have rows.
double largest_ks_by_chance(std::initializer_list<const LabelledRows*> parts) {
    ScoreTally tally((*parts.begin())->group_count);
    for (const LabelledRows* part : parts)
        for (std::size_t i = 0; i < part->groups.size(); ++i)
            if (part->groups[i] < part->group_count)
                tally.add(0, part->groups[i], 0, part->rows.weights.empty() ? 1 : part->rows.weights[i]);
    tally.settle();
    return prediction_fairness(tally, false).ks_by_chance;
}

// Cost of ranking a prediction, in multiply-adds.
constexpr double work_of_point = 100;

// Tries limits of the means and spreads, and ridges, and sets `best` to any better network. Adds 1 to `done` for each
// ridge; leaves out the rest if the work is ended.
void try_limits(const Network& network, const LabelledRows& rows, const LabelledRows& held_back, const KsWish& wish,
                FairOptions options, std::optional<Candidate>& best, WorkDone& done) {
    // The outputs of layers before the first equalised layer are the same for every try.
    const std::size_t kept = first_moved(network, options);
    const Evaluation before(network, 0, kept);
    const std::vector<float> inside = before(rows.rows.rows), inside_held_back = before(held_back.rows.rows);
    LabelledRows of_tail = rows, held_back_of_tail = held_back;
    of_tail.rows.rows = inside, held_back_of_tail.rows.rows = inside_held_back;
    const Network tail = layers_from(network, kept);
    const Equaliser equaliser = equaliser_of(tail, 0, of_tail, options, true);
    const BothParts all(of_tail, held_back_of_tail);
    double of_row = work_of_point;
    for (const Layer& layer : tail.layers) of_row += static_cast<double>(layer.weights.values.size());
    const double of_try = of_row * static_cast<double>(rows.groups.size() + held_back.groups.size());
    for (const double ridge : ridges) {
        if (options.refits) options.ridge = ridge;
        // If only the last layer is equalised, it is refitted once for all limits.
        const bool once = options.refits && kept + 1 == network.layers.size();
        const Network start = once ? with_last_layer_refitted(tail, of_tail.rows, ridge) : tail;
        for (int i = 0; i < limits_tried; ++i)
            for (const double ratio : spreads_over_means) {
                const double gap = 1 - static_cast<double>(i) / (limits_tried - 1);
                options.means = std::max(least_limit, gap * gap);
                options.spreads = std::min(1.0, ratio * options.means);
                if (options.spreads == 1 && ratio != spreads_over_means[0]) continue;  // already tried
                check_interrupted();
                FairOptions now = options;
                now.refits = options.refits && !once;
                const Network moved = with_layers_equalised(start, of_tail, now, equaliser);
                const Fit fit = measure(moved, held_back_of_tail);
                double above = std::max(0.0, fit.ks - wish.held_back);
                // A network that is worse on held-back rows needs no figure of all rows.
                if (wish.all < 1 && (!best || best->is_worse_than(fit, above)))
                    above = std::max(above, all.ks_of(moved) - wish.all);
                if (!best || best->is_worse_than(fit, above)) {
                    best = {network, options, fit, above};
                    std::ranges::copy(moved.layers, best->network.layers.begin() + static_cast<std::ptrdiff_t>(kept));
                }
                done.handle().settle(of_try);
                if (!done.add(1.0 / (limits_tried * std::size(spreads_over_means)))) return;
            }
        if (!options.refits) break;
    }
}

}  // namespace

Network with_inputs_equalised(Network network, const LabelledRows& rows, const FairOptions& options) {
    if (options.inputs == 1 || network.layers.size() == 1) return network;
    FairOptions limits = options;
    limits.means = options.inputs, limits.spreads = 1;
    equalise(network.layers.front(), equaliser_of(network, 0, rows, options, false), limits);
    return network;
}

void equalise(Layer& layer, const GroupMoments& inputs, const FairOptions& options) {
    check_limits(options);
    if (options.means == 1 && options.spreads == 1) return;
    const bool with_spreads = options.spreads < 1;
    equalise(layer, Equaliser(input_moments(inputs, options.epsilon, with_spreads), options.form), options);
}

Fit measure(const Network& network, const LabelledRows& rows) {
    check(network, rows);
    return measure(Evaluation(network)(rows.rows.rows), rows);
}

Fit measure(std::span<const float> outputs, const LabelledRows& rows) {
    const DistributionGaps gaps = distribution_gaps(outputs, rows.groups, rows.group_count, rows.rows.weights);
    return {mean_squared_error(outputs, rows.rows), gaps.ks, gaps.wasserstein, gaps.mean};
}

FairOptions papers_options() {
    FairOptions options;
    options.form = Form::paper;
    options.layers = {2};
    options.means = 1.0 / 15;
    options.spreads = 1.0 / 150;
    options.epsilon = 1e-5;
    return options;
}

FairNetwork equalised(const Network& network, const LabelledRows& rows, const FairOptions& options) {
    check(network, options);
    check(network, rows);
    FairNetwork out;
    out.options = options;
    out.before = measure(network, rows);
    const Network start = with_inputs_equalised(network, rows, options);
    out.network = with_layers_equalised(
        start, rows, options, equaliser_of(start, first_moved(start, options), rows, options, options.spreads < 1));
    out.after = measure(out.network, rows);
    return out;
}

std::optional<KsWish> wish_for_new_rows(double ks_at_most, const LabelledRows& rows, const LabelledRows& held_back) {
    constexpr double margin = 0.4;  // relative to `ks_by_chance`
    const double by_chance = largest_ks_by_chance({&held_back});
    if (by_chance == 0 || largest_ks_by_chance({&rows}) == 0) return std::nullopt;
    return KsWish{std::max(ks_at_most - margin * by_chance, by_chance),
                  std::max(ks_at_most, largest_ks_by_chance({&rows, &held_back}))};
}

FairNetwork equalised_to(const Network& network, const LabelledRows& rows, const LabelledRows& held_back,
                         const KsWish& wish, FairOptions options, const WorkHandle& work) {
    check(network, options);
    check(network, rows);
    check(network, held_back);
    std::optional<Candidate> best;
    const bool erases_too = options.inputs == 1 && options.form == Form::optimal && network.layers.size() > 1;
    WorkDone done(work, static_cast<double>(std::size(ridges)) * (erases_too ? 2 : 1));
    try_limits(with_inputs_equalised(network, rows, options), rows, held_back, wish, options, best, done);
    if (erases_too && !done.stopped()) {
        options.inputs = least_limit;
        try_limits(with_inputs_equalised(network, rows, options), rows, held_back, wish, options, best, done);
    }
    return {
        best->network, best->options, measure(network, rows), measure(best->network, rows), measure(network, held_back),
        best->fit};
}

}  // namespace fairstream::esvd_fair
