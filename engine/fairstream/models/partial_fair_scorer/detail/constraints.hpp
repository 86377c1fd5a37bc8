#pragma once
/// The families of fairness constraints, as functions of scores and thresholds.

#include <memory>
#include <span>
#include <vector>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/models/partial_fair_scorer/detail/tails.hpp>

namespace fairstream::partial_fair_scorer {

/// f_i = f_i+ - f_i- <= 0, i in [0, count()), both parts convex in the scores and thresholds.
class Constraints {
public:
    virtual ~Constraints() = default;

    [[nodiscard]] virtual std::size_t count() const = 0;
    /// Returns the number of thresholds that are variables.
    [[nodiscard]] virtual std::size_t thresholds() const = 0;
    /// Evaluates all f_i+ and f_i- at scores and thresholds, which are borrowed until the next call. `plus` and `minus`
    /// have count() entries.
    virtual void evaluate(std::span<const double> scores, std::span<const double> thetas, std::span<double> plus,
                          std::span<double> minus) = 0;

    // The functions below are for the scores and thresholds evaluated last.
    virtual void add_slopes(std::size_t i, Side side, double scale, Slopes& out) const = 0;
    /// Computes the gradients of all f_i+ and f_i-, count() x (parameters + thresholds).
    virtual void gradients(const ScoreFunction& function, Matrix& plus, Matrix& minus) const = 0;
    /// Adds a model of the second derivatives of multiplier x f_i+: by the scores to `rows`, by theta to `thetas` (m),
    /// and by theta and w to `mixed` (m x parameters).
    virtual void add_curvatures(std::size_t i, double multiplier, const ScoreFunction& function, std::span<double> rows,
                                std::span<double> thetas, Matrix& mixed) const = 0;
    /// Returns the largest difference between a tail's share by the surrogate and by the indicator; 0 without tails.
    [[nodiscard]] virtual double surrogate_gap(std::span<const double> scores,
                                               std::span<const double> thetas) const = 0;
    /// Returns thresholds that fit these scores; each lies between the thresholds that fit the single groups.
    [[nodiscard]] virtual std::vector<double> fitting_thresholds(std::span<const double> scores) const = 0;
};

/// Makes the constraints of the options. Groups without points are left out. `sample` is borrowed.
[[nodiscard]] std::unique_ptr<Constraints> make_constraints(const Options& options, const Sample& sample);
/// Returns the ranks that count, by group.
[[nodiscard]] RanksByGroup ranks_of(const Options& options, std::size_t groups);
/// Returns the share of a group within these ranks.
[[nodiscard]] double length(const std::vector<RankInterval>& ranks);
/// Returns the least share, over the groups, of a group within its ranks.
[[nodiscard]] double shortest_ranks(const Options& options, std::size_t groups);
/// Returns whether shares are compared at the decision threshold, so that a shift of all scores changes them.
[[nodiscard]] bool compares_at_threshold(const Options& options);
/// Returns the number of thresholds that are variables, for any points.
[[nodiscard]] std::size_t threshold_count(const Options& options);

}  // namespace fairstream::partial_fair_scorer
