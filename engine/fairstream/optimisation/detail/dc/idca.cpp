#include <fairstream/optimisation/detail/dc/idca.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <fairstream/optimisation/detail/dc/inner.hpp>

namespace fairstream::dc {
namespace {

/// Runs one outer iteration and returns whether it moved. The problem is then evaluated at `place.v`.
bool iterate(Problem& problem, const IdcaOptions& options, Iterate& place, QuadraticState& state, std::int64_t& inner,
             const WorkHandle& work) {
    const bool by_ssg = options.inner == Inner::ssg;
    const bool moved = by_ssg ? solve_by_ssg(problem, options, place, inner, work)
                              : solve_by_quadratic(problem, options, place, state, inner, work);
    // Only an accepted quadratic step ends at the point that was evaluated last.
    if (by_ssg || !moved) {
        problem.evaluate(place.v, place.values);
        ++inner;
        work.spend(problem.work_of_values());
    }
    return moved;
}

/// Keeps the feasible point of least residual so far, or the least infeasible point until one is feasible, and knows
/// whether there was progress lately. Near a kink steps oscillate at some distance from the solution. More data points
/// reduce that distance; more iterations do not.
class Best {
public:
    explicit Best(double epsilon) : epsilon_(epsilon) {}

    void note(const Iterate& place, const IdcaResult& result) {
        const bool feasible = result.infeasibility <= epsilon_;
        if (feasible_ && !feasible) return;
        if (feasible && !feasible_) least_ = mark_ = std::numeric_limits<double>::infinity();
        feasible_ = feasible;
        const double amiss = feasible ? result.kkt.residual() : result.infeasibility;
        if (amiss < progress * mark_) mark_ = amiss, at_ = result.outer;
        if (feasible && result.objective < lowest_ - least_relative_decrease * std::abs(result.objective))
            lowest_ = result.objective, at_ = result.outer;
        if (amiss < least_) least_ = amiss, v_ = place.v, kkt_ = result.kkt, objective_ = result.objective;
    }
    [[nodiscard]] bool stalled(std::int64_t outer) const { return outer - at_ >= patience; }
    /// Returns to the best point if it is not the last one.
    void restore(Problem& problem, Iterate& place, IdcaResult& result) {
        if (v_.empty() || v_ == place.v) return;
        place.v = std::move(v_);
        problem.evaluate(place.v, place.values);
        ++result.inner;
        result.kkt = std::move(kkt_), result.objective = objective_;
        result.infeasibility = result.kkt.infeasibility;
    }

private:
    static constexpr double progress = 0.9;                  // relative to the residual at the last progress
    static constexpr double least_relative_decrease = 1e-4;  // least decrease of the objective that counts as progress
    static constexpr std::int64_t patience = 10;

    double epsilon_;
    bool feasible_ = false;
    double least_ = std::numeric_limits<double>::infinity(), mark_ = least_, lowest_ = least_, objective_ = 0;
    std::int64_t at_ = 0;
    std::vector<double> v_;
    Kkt kkt_;
};

}  // namespace

IdcaResult minimise(Problem& problem, std::vector<double>& v, const IdcaOptions& options,
                    std::span<const double> multipliers, const IdcaTrace& trace, const WorkHandle& work) {
    IdcaResult result;
    Iterate place{v, {}, {}};
    Best best(options.epsilon);
    QuadraticState state;
    state.multipliers.assign(multipliers.begin(), multipliers.end());
    const bool quadratic = options.inner == Inner::quadratic;
    const auto assess = [&] {
        take_gradients(problem, place.gradients);
        result.objective = place.values.objective();
        result.kkt = kkt(place.values, place.gradients, options.near, work);
        work.settle(problem.work_of_gradients());
        result.infeasibility = result.kkt.infeasibility;
        if (quadratic) best.note(place, result);
        if (trace) trace(result);
    };
    problem.evaluate(place.v, place.values);
    ++result.inner;
    assess();
    ResidualShare share(options.tolerance, options.outer);
    while (result.kkt.residual() > options.tolerance && result.outer < options.outer) {
        if (state.multipliers.size() != problem.constraints()) state.multipliers = result.kkt.multipliers;
        ++result.outer;
        const bool moved = iterate(problem, options, place, state, result.inner, work);
        if (moved) assess();
        if (!moved || (quadratic && best.stalled(result.outer))) {
            if (!work.stopped()) result.end = End::stalled;
            break;
        }
        if (!work.report_progress(share.after(result.outer, result.kkt.residual()), result.outer, options.outer)) break;
    }
    if (quadratic) best.restore(problem, place, result);
    if (result.kkt.residual() <= options.tolerance) result.end = End::converged;
    v = std::move(place.v);
    return result;
}

}  // namespace fairstream::dc
