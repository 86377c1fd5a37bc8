#pragma once
/// Secant corrections of an estimated curvature.

#include <span>
#include <vector>

#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/optimisation/detail/dc/curvature.hpp>
#include <fairstream/optimisation/detail/dc/kkt.hpp>

namespace fairstream::dc {

/// Steps, each with the change of the Lagrangian's gradient along it. They correct an estimate of the curvature to a
/// matrix H that matches these changes, as in J. Nocedal, "Updating quasi-Newton matrices with limited storage",
/// Mathematics of Computation 35(151), 1980.
class Secants {
public:
    /// Adds the step to `v` from the point before, under these multipliers; drops the oldest steps.
    void note(std::span<const double> v, const Gradients& gradients, std::span<const double> multipliers);

    [[nodiscard]] bool empty() const { return pairs_.empty(); }

    /// Replaces each row x of `rows`, m x variables, by a longer row, so that products of two such rows are products by
    /// H^-1.
    void forward(const CurvatureFactors& estimate, Matrix& rows) const;
    /// Replaces a combination of such rows, sum of c_i times row i, by H^-1 times the sum of c_i x_i.
    void backward(const CurvatureFactors& estimate, fairstream::Vector& x) const;

private:
    struct Pair {
        fairstream::Vector step, change;
        double bend;  // product of both, above 0
    };

    std::vector<Pair> pairs_;  // oldest first
    std::vector<double> v_;    // end of the last step
    Gradients gradients_;      // gradients at the end of the last step
};

}  // namespace fairstream::dc
