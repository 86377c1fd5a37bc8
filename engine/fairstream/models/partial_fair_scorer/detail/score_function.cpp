#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>
#include <fairstream/models/partial_fair_scorer/detail/mlp.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream::partial_fair_scorer {

std::unique_ptr<ScoreFunction> make_score_function(const Options& options, const Sample& sample) {
    if (options.form == Form::linear) return std::make_unique<LinearScores>(sample, options.group_terms);
    return std::make_unique<MlpScores>(sample, options.group_terms, static_cast<std::size_t>(options.hidden));
}

std::size_t parameter_count(const Options& options, std::size_t dimensions, std::size_t groups) {
    const std::size_t inputs = LinearScores::count(options.group_terms, dimensions, groups);
    const auto hidden = static_cast<std::size_t>(options.hidden);
    return options.form == Form::linear ? inputs : (hidden + 1) * inputs + hidden;
}

std::vector<double> initial_parameters(const Options& options, std::size_t dimensions, std::size_t groups) {
    std::vector<double> w(parameter_count(options, dimensions, groups), 0.0);
    if (options.form == Form::linear) return w;
    // Hidden units begin with different weights and no effect: the score is 0.
    const std::size_t inputs = LinearScores::count(options.group_terms, dimensions, groups);
    const double reach = 1 / std::sqrt(static_cast<double>(inputs));
    Draws draws(options.seed);
    for (std::size_t i = inputs; i < (static_cast<std::size_t>(options.hidden) + 1) * inputs; ++i)
        w[i] = reach * (2 * draws.unit() - 1);
    return w;
}

namespace {

/// Calls `body` with each unit's part of w: of the linear unit, and of the hidden units.
template <class Body>
void for_units(const Options& options, const Sample& sample, std::span<double> w, const Body& body) {
    const std::size_t inputs = LinearScores::count(options.group_terms, sample.dimensions(), sample.groups());
    const std::size_t hidden = options.form == Form::linear ? 0 : static_cast<std::size_t>(options.hidden);
    for (std::size_t unit = 0; unit <= hidden; ++unit) body(w.subspan(unit * inputs, inputs));
}

}  // namespace

void to_raw(const Options& options, const Sample& sample, std::span<double> w) {
    for_units(options, sample, w, [&](std::span<double> own) {
        LinearScores::to_raw(options.group_terms, sample.scale(), sample.groups(), own);
    });
}

void from_raw(const Options& options, const Sample& sample, std::span<double> w) {
    for_units(options, sample, w, [&](std::span<double> own) {
        LinearScores::from_raw(options.group_terms, sample.scale(), sample.groups(), own);
    });
}

void score_rows(const Options& options, std::span<const double> w, std::size_t dimensions, std::size_t group_count,
                ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) {
    const std::size_t inputs = LinearScores::count(options.group_terms, dimensions, group_count);
    const std::size_t hidden = options.form == Form::linear ? 0 : static_cast<std::size_t>(options.hidden);
    const std::size_t known = groups.empty() ? 1 : group_count;
    const std::vector<Units> units = units_of(hidden);
    Matrix linear(known, dimensions + 1);
    std::vector<Matrix> weights;  // by group and units
    for (std::size_t g = 0; g < known; ++g) {
        LinearScores::weights_of(options.group_terms, w.first(inputs), dimensions, g, {linear.row(g), dimensions + 1});
        for (const Units own : units)
            weights.push_back(weights_of_units(own, options.group_terms, w, inputs, dimensions, g));
    }
    std::vector<double> active(width_of(hidden)), v(active.size(), 0.0);
    std::ranges::copy(w.last(hidden), v.begin());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t g = groups.empty() ? 0 : groups[i];
        const float* const row = rows.data() + i * dimensions;
        kernels().row_products(row, 1, dimensions, linear.row(g) + 1, linear.at(g, 0), &out[i]);
        for (std::size_t u = 0; u < units.size(); ++u)
            activate(units[u], weights[g * units.size() + u], row, nullptr, dimensions, active.data() + units[u].first);
        out[i] += std::inner_product(v.begin(), v.end(), active.begin(), 0.0);
    }
}

}  // namespace fairstream::partial_fair_scorer
