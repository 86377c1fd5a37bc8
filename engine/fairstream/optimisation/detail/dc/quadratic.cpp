#include <algorithm>
#include <cmath>
#include <limits>

#include <xtensor/xview.hpp>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/optimisation/detail/dc/inner.hpp>
#include <fairstream/optimisation/detail/dc/nnls.hpp>

namespace fairstream::dc {
namespace {

/// min over d of g'd + d'Hd/2 + penalty x sum of max(0, f_i + a_i d), by its dual: multipliers in [0, penalty] that
/// minimise |A'x + g|^2 / 2 in the norm of H^-1, minus f'x. The same factors serve for other f.
class Model {
public:
    Model(const CurvatureFactors& metric, const Secants& secants, const Gradients& gradients, double penalty,
          const WorkHandle& work)
        : work_(work),
          metric_(metric),
          secants_(secants),
          a_(gradients.constraints),
          g_(array(gradients.objective)),
          penalty_(penalty) {
        Matrix rows = a_, slope(1, g_.size());
        array(slope.values) = g_;
        secants.forward(metric, rows);
        secants.forward(metric, slope);
        along_ = transposed(rows);
        multiply(rows, along_, products_);
        slope_ = array(slope.values);
        falls_ = dot(rows, slope_);
        const auto m = static_cast<double>(a_.rows), n = static_cast<double>(g_.size());
        work_.spend((m + 1) * n * n + m * m * n);
    }
    /// Returns the step. `multipliers` are the start of the search, and its result on return.
    [[nodiscard]] Vector step(const Vector& f, std::vector<double>& multipliers) const {
        Vector d = -slope_;
        if (a_.rows > 0) {
            constexpr double tolerance = 1e-12;
            const Vector b = f - falls_;
            multipliers = solve_box(products_, b, penalty_, multipliers, tolerance, work_);
            d -= dot(along_, array(multipliers));
        }
        secants_.backward(metric_, d);
        return d;
    }
    /// Returns the first-order decrease of the merit function along `d`; it is at least the decrease of the model.
    [[nodiscard]] double first_order_decrease(const Vector& f, const Vector& d) const {
        return -dot(g_, d) + penalty_ * (violation(f) - violation(f + linear(d)));
    }
    /// Returns the model's decrease of the merit function along the step with these multipliers, for which H d = -g -
    /// A'multipliers.
    [[nodiscard]] double modelled(const Vector& f, const Vector& d, const std::vector<double>& multipliers) const {
        double bend = -dot(g_, d);
        if (a_.rows > 0) bend -= dot(Vector(array(multipliers)), linear(d));
        return first_order_decrease(f, d) - bend / 2;
    }
    [[nodiscard]] Vector linear(const Vector& d) const { return dot(a_, d); }

private:
    static double violation(const Vector& f) { return xt::sum(xt::maximum(f, 0.0))(); }

    const WorkHandle work_;
    const CurvatureFactors& metric_;
    const Secants& secants_;
    const Matrix& a_;
    Vector g_;
    double penalty_;
    Vector slope_;     // L^-1 g
    Matrix along_;     // L^-1 A'
    Matrix products_;  // A H^-1 A'
    Vector falls_;     // A H^-1 g
};

Vector constraint_values(const Values& values) {
    return xt::view(array(values.plus) - array(values.minus), xt::range(1, xt::placeholders::_));
}

/// Searches for a step that lowers the merit function enough (Armijo).
class Search {
public:
    Search(Problem& problem, double penalty, const Iterate& place, std::int64_t& inner, const WorkHandle& work)
        : problem_(problem),
          penalty_(penalty),
          place_(place),
          merit_(merit(place.values)),
          inner_(inner),
          work_(work) {}

    bool accepts(const Vector& d, double first_order_decrease) {
        constexpr double share = 1e-4;
        // A decrease smaller than the rounding of the merit function is accepted without proof.
        const double rounding = 16 * std::numeric_limits<double>::epsilon() * std::abs(merit_);
        tried_.resize(place_.v.size());
        array(tried_) = array(place_.v) + d;
        problem_.evaluate(tried_, values_);
        ++inner_;
        work_.settle(problem_.work_of_values());
        return merit(values_) <=
               merit_ - share * first_order_decrease + (first_order_decrease < rounding ? rounding : 0);
    }
    [[nodiscard]] const Values& values() const { return values_; }
    /// Returns the decrease of the merit function at the point tried last.
    [[nodiscard]] double fall() const { return merit_ - merit(values_); }
    void take(Iterate& place) { std::swap(place.v, tried_), std::swap(place.values, values_); }

private:
    [[nodiscard]] double merit(const Values& values) const {
        return values.objective() + penalty_ * values.violation();
    }

    Problem& problem_;
    double penalty_;
    const Iterate& place_;
    double merit_;
    std::int64_t& inner_;
    const WorkHandle work_;
    std::vector<double> tried_;
    Values values_;
};

/// Set the penalty. It starts low, so that far from feasibility a step also follows the objective instead of jumping
/// along tangents to wherever they meet the constraints. It is raised if a step with multipliers at the penalty has not
/// halved the violation.
void begin_penalty(const IdcaOptions& options, QuadraticState& state) {
    constexpr double least = 1;
    const double known = state.multipliers.empty() ? 0 : std::ranges::max(state.multipliers);
    if (state.penalty == 0) state.penalty = std::min(options.penalty, std::max(least, 2 * known));
}
void raise_penalty(const IdcaOptions& options, double before, double after, QuadraticState& state) {
    const bool bound = !state.multipliers.empty() && std::ranges::max(state.multipliers) >= 0.99 * state.penalty;
    if (bound && after > before / 2) state.penalty = std::min(options.penalty, 2 * state.penalty);
}

/// Tries the full step, the corrected full step, and parts of the step until one lowers the merit function. Returns the
/// part taken; 0: none.
double search_along(const Model& model, const Vector& f, const std::vector<double>& multipliers, const Vector& d,
                    double first_order_decrease, int halvings, Search& search) {
    if (search.accepts(d, first_order_decrease)) return 1;
    // Constraints curve away from their tangents: solves again with the remaining violation (second-order correction).
    std::vector<double> again = multipliers;
    const Vector corrected = model.step(constraint_values(search.values()) - model.linear(d), again);
    if (f.size() > 0 && search.accepts(corrected, first_order_decrease)) return 1;
    double part = 1;
    for (int i = 0; i < halvings; ++i) {
        part /= 2;
        if (search.accepts(part * d, part * first_order_decrease)) return part;
    }
    return 0;
}

/// Renews an exact curvature in each step. Renews an estimate every few steps; meanwhile its steps correct it.
void renew_curvature(Problem& problem, const Iterate& place, QuadraticState& state, const WorkHandle& work) {
    constexpr int steps_of_an_estimate = 4;
    if (!state.curvature.is_estimate() || state.uses >= steps_of_an_estimate) {
        state.curvature = problem.curvature(state.multipliers);
        work.spend(problem.work_of_gradients());
        state.factors.reset();
        state.uses = 0;
    }
    ++state.uses;
    if (state.curvature.is_estimate()) state.secants.note(place.v, place.gradients, state.multipliers);
}

/// Drops the estimate and its secants, so that the next step starts from the curvature at its own point. Returns false
/// if the last step already started there.
bool forget_estimate(QuadraticState& state) {
    if (!state.curvature.is_estimate() || (state.uses == 1 && state.secants.empty())) return false;
    state.curvature = {};
    state.secants = {};
    return true;
}

/// Takes one step with the present penalty.
bool step(Problem& problem, const IdcaOptions& options, Iterate& place, QuadraticState& state, std::int64_t& inner,
          const WorkHandle& work) {
    constexpr double first = 1e-2, factor = 10, negligible = 1e-3, most = 1e6;  // values of the damping
    constexpr double as_modelled = 0.75;
    renew_curvature(problem, place, state, work);
    // Damping turns a step of an estimate towards directions in which the merit function falls; shortening the step
    // does not.
    const bool estimate = state.curvature.is_estimate();
    const int halvings = estimate ? 0 : 2;
    const Vector f = constraint_values(place.values);
    // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): it grows by factors, and no bound is hit exactly.
    for (double& damping = state.damping; damping <= most; damping = std::max(first, damping * factor)) {
        if (!state.factors || state.factors->damping() != damping) state.factors.emplace(state.curvature, damping);
        if (!state.factors->usable()) continue;
        if (work.stopped()) return false;
        const Model model(*state.factors, state.secants, place.gradients, state.penalty, work);
        std::vector<double> found = state.multipliers;
        const Vector d = model.step(f, found);
        const double first_order_decrease = model.first_order_decrease(f, d);
        if (!(first_order_decrease > 0)) return false;
        Search search(problem, state.penalty, place, inner, work);
        const double part = search_along(model, f, found, d, first_order_decrease, halvings, search);
        if (part == 0) continue;
        const bool gained = !estimate || search.fall() >= as_modelled * model.modelled(f, d, found);
        if (part == 1 && gained) damping = damping < negligible ? 0 : damping / factor;
        state.multipliers = std::move(found);
        const double before = place.values.violation();
        search.take(place);
        raise_penalty(options, before, place.values.violation(), state);
        return true;
    }
    return false;
}

}  // namespace

bool solve_by_quadratic(Problem& problem, const IdcaOptions& options, Iterate& place, QuadraticState& state,
                        std::int64_t& inner, const WorkHandle& work) {
    begin_penalty(options, state);
    while (!step(problem, options, place, state, inner, work)) {
        if (work.stopped()) return false;
        state.damping = 0;
        if (forget_estimate(state)) continue;
        // Near a kink of the objective, its slope and therefore the multipliers may look too small.
        if (place.values.worst() <= options.epsilon || state.penalty >= options.penalty) return false;
        state.penalty = std::min(options.penalty, 2 * state.penalty);
    }
    return true;
}

}  // namespace fairstream::dc
