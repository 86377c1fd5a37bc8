#pragma once
/// Minimisation of a difference of convex functions under constraints of the same kind.
///
/// min f_0(v) subject to f_i(v) <= 0, i = 1, ..., m, each f_i = f_i+ - f_i-, with both parts convex and possibly
/// without a gradient in places: problem (27) of He, Huang, Yao and Lin, "Enforcing fair predicted scores on intervals
/// of percentiles by difference-of-convex constraints".

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/numeric/matrix.hpp>
#include <fairstream/optimisation/detail/dc/curvature.hpp>

namespace fairstream::dc {

/// The two parts of every function at a point; entry 0 is the objective.
struct Values {
    std::vector<double> plus, minus;

    [[nodiscard]] std::size_t constraints() const noexcept { return plus.size() - 1; }
    [[nodiscard]] double objective() const noexcept { return plus[0] - minus[0]; }
    /// Returns f_i, i in [1, m].
    [[nodiscard]] double constraint(std::size_t i) const noexcept { return plus[i] - minus[i]; }
    /// Return the largest f_i, and the sum of the violations of the constraints.
    [[nodiscard]] double worst() const noexcept;
    [[nodiscard]] double violation() const noexcept;
};

/// The interface of a problem for the methods. `evaluate` sets the point to which the other functions refer. Functions
/// are numbered from 0, the objective, to m.
class Problem {
public:
    virtual ~Problem() = default;

    [[nodiscard]] virtual std::size_t variables() const = 0;
    [[nodiscard]] virtual std::size_t constraints() const = 0;
    /// Return the multiply-adds of an evaluation, and of an evaluation of gradients.
    [[nodiscard]] virtual double work_of_values() const { return 0; }
    [[nodiscard]] virtual double work_of_gradients() const { return 0; }
    /// Evaluates all parts at `v`; copies `v` if later calls need it.
    virtual void evaluate(std::span<const double> v, Values& values) = 0;
    /// Evaluates, but may leave out an expensive objective. Entry 0 is then unchanged until `evaluate_objective` sets
    /// it at the same point; gradients of f_0 require that.
    virtual void evaluate_constraints(std::span<const double> v, Values& values) { evaluate(v, values); }
    virtual void evaluate_objective(Values&) {}
    /// out += scale times a subgradient of f_i+, or of f_i-.
    virtual void add_plus_gradient(std::size_t i, double scale, std::span<double> out) = 0;
    virtual void add_minus_gradient(std::size_t i, double scale, std::span<double> out) = 0;
    /// Sets row i - 1 to a subgradient of f_i+ (plus) and of f_i- (minus), i in [1, m]; both are m x variables.
    virtual void constraint_gradients(Matrix& plus, Matrix& minus) = 0;
    /// Returns a positive definite model of the second derivatives of f_0+ + sum_i multipliers[i - 1] f_i+.
    virtual Curvature curvature(std::span<const double> multipliers) = 0;
};

}  // namespace fairstream::dc
