#include <algorithm>

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

// Evaluations of the problem in an outer iteration with the quadratic inner solver, with a margin.
constexpr double evaluations_of_quadratic = 6;
// Work of all solves until the points meet kappa, in solves with all iterations; later solves begin near the solutions
// of earlier solves.
constexpr double solves_of_empirical = 2;
// Work of the choice of a loss, in solves with all iterations: three quarters of the points, with each loss.
constexpr double solves_of_choice = 1.5;

// Returns the work of one evaluation: the scores and their slopes, and a sort by rank.
double evaluation(const Options& options, const StreamFormat& format, double n) {
    double groups = 1;
    if (options.group_terms != GroupTerms::none && !format.attributes.empty())
        groups = static_cast<double>(format.attributes[static_cast<std::size_t>(options.attribute)].groups.size());
    const double inputs = (1.0 + format.dimensions) * groups;
    const double parameters = options.form == Form::linear ? inputs : inputs * (options.hidden + 1);
    return n * (4 * parameters + options.rank_levels + work_of_pass_point);
}

WorkEstimate solving(const Options& options, const StreamFormat& format, double outer, const char* lower, double n) {
    const double inner = options.inner == Inner::ssg ? options.inner_iterations : evaluations_of_quadratic;
    double starts = 1;  // solves with all iterations: the first solve, or a fresh solve besides a warm solve
    if (options.loss == Loss::automatic) starts += solves_of_choice;
    const double solves = starts * (options.enforce == Enforce::empirical ? solves_of_empirical : 1);
    return {solves * (1 + outer) * inner * evaluation(options, format, n), lower};
}

}  // namespace

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t,
                              std::uint64_t retained) {
    const char* const lower = options.inner == Inner::ssg ? "solve_iterations, iterations or inner_iterations"
                                                          : "solve_iterations or iterations";
    return solving(options, format, std::max(options.solve_iterations, options.iterations), lower,
                   static_cast<double>(retained));
}

WorkEstimate Model::refine_work(const Options& options, const StreamFormat& format, std::int64_t rounds,
                                std::uint64_t retained) {
    const double outer = rounds > 0 ? static_cast<double>(rounds) : options.solve_iterations;
    return solving(options, format, outer, rounds > 0 ? "the number of rounds" : "solve_iterations",
                   static_cast<double>(retained));
}

}  // namespace fairstream::partial_fair_scorer
