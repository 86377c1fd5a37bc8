#pragma once
/// A training problem as a difference-of-convex program in v = (w, theta).

#include <memory>

#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>
#include <fairstream/models/partial_fair_scorer/detail/loss.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>
#include <fairstream/optimisation/detail/dc/problem.hpp>

namespace fairstream::partial_fair_scorer {

/// Borrows the sample. If h is not linear in w, rho/2 |w|^2 is added to both parts of every function, (78). This rho is
/// the rho of h times the steepness of the function in the scores, which is about 1 for losses and 1 / width for
/// shares.
class ScoreProblem final : public dc::Problem {
public:
    ScoreProblem(const Options& options, const Sample& sample);

    [[nodiscard]] std::size_t parameters() const { return function_->parameters(); }
    [[nodiscard]] std::size_t variables() const override { return parameters() + constraints_->thresholds(); }
    [[nodiscard]] std::size_t constraints() const override { return constraints_->count(); }
    [[nodiscard]] double work_of_values() const override;
    [[nodiscard]] double work_of_gradients() const override;
    void evaluate(std::span<const double> v, dc::Values& values) override;
    void evaluate_constraints(std::span<const double> v, dc::Values& values) override;
    void evaluate_objective(dc::Values& values) override;
    void add_plus_gradient(std::size_t i, double scale, std::span<double> out) override;
    void add_minus_gradient(std::size_t i, double scale, std::span<double> out) override;
    void constraint_gradients(Matrix& plus, Matrix& minus) override;
    dc::Curvature curvature(std::span<const double> multipliers) override;

    /// Returns the scores by row at the v evaluated last.
    [[nodiscard]] std::span<const double> scores() const { return scores_; }
    /// Returns the largest difference between a tail's share by the surrogate and its share of the points, at the v
    /// evaluated last.
    [[nodiscard]] double surrogate_gap() const { return constraints_->surrogate_gap(scores_, thetas_); }
    /// Returns v with these parameters and thresholds that fit their scores. Changes the scores: evaluate before
    /// calling other functions.
    [[nodiscard]] std::vector<double> with_fitting_thresholds(std::span<const double> w);

private:
    /// Returns rho of function i.
    [[nodiscard]] double added_convexity(std::size_t i) const {
        return i == 0 ? weak_convexity_ : weak_convexity_ / width_;
    }
    void add_convexity(std::size_t i, dc::Values& values) const;
    void add_loss_gradient(Side side, double scale, std::span<double> out);
    void add_constraint_gradient(std::size_t i, Side side, double scale, std::span<double> out);

    const Sample& sample_;
    double ridge_, width_;
    std::unique_ptr<ScoreFunction> function_;
    std::unique_ptr<LossFunction> loss_;
    std::unique_ptr<Constraints> constraints_;
    double weak_convexity_;
    std::vector<double> w_, thetas_, scores_;
    LossParts parts_;
    Slopes slopes_;
};

}  // namespace fairstream::partial_fair_scorer
