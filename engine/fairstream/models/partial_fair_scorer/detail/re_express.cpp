#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>
#include <fairstream/models/partial_fair_scorer/detail/model.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

// Converts weights of (1, x) to weights of (1, x') with x' = a x + b: w x = w / a (x' - b).
void re_express_terms(const MeasureChange& change, double* terms) {
    for (std::size_t j = 0; j < change.factors.size(); ++j) {
        terms[1 + j] /= change.factors[j];
        terms[0] -= terms[1 + j] * change.shifts[j];
    }
}

}  // namespace

// Leaves all scores unchanged. Thresholds and multipliers refer to scores and stay; no sum over points is kept.
void Model::re_express(const Options& options, State& state, const MeasureChange& change) {
    if (!state.started || !change.changes_features()) return;
    const std::size_t d = state.dimensions, inputs = LinearScores::count(options.group_terms, d, state.groups);
    const std::size_t units = options.form == Form::linear ? 0 : static_cast<std::size_t>(options.hidden);
    const std::size_t of_groups = options.group_terms == GroupTerms::all ? state.groups : 1;
    // Differences of other groups' terms from the first group's are converted as terms are; a term that is only an
    // intercept stays.
    for (std::size_t unit = 0; unit <= units; ++unit)
        for (std::size_t g = 0; g < of_groups; ++g)
            re_express_terms(change, state.weights.data() + unit * inputs + g * (d + 1));
}

}  // namespace fairstream::partial_fair_scorer
