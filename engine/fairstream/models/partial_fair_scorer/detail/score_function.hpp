#pragma once
/// Score functions: h_w(x, g) of Assumption 3.1.

#include <memory>
#include <span>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/numeric/matrix.hpp>
#include <fairstream/optimisation/detail/dc/curvature.hpp>

namespace fairstream::partial_fair_scorer {

/// A score function on one sample, which it borrows; its w is for the features as scaled by the sample. Sums over rows
/// are ordered, so they do not depend on threads.
class ScoreFunction {
public:
    virtual ~ScoreFunction() = default;

    [[nodiscard]] virtual std::size_t parameters() const = 0;
    /// Returns rho for which h + rho/2 |w|^2 and -h + rho/2 |w|^2 are convex in w, on average over the sample; 0 if h
    /// is linear in w.
    [[nodiscard]] virtual double weak_convexity() const = 0;
    /// Computes the scores of all rows at w; the functions below then take gradients there.
    virtual void evaluate(std::span<const double> w, std::span<double> scores) = 0;
    /// out += sum over `rows` of weights[row] grad h(row). `weights` is by row of the sample; `out` has one entry per
    /// parameter.
    virtual void add_gradients(RowRange rows, std::span<const double> weights, std::span<double> out) const = 0;
    /// Computes several such sums at once: row r goes to row bucket[r] of `out`, with weights[r], or 1 without weights.
    virtual void add_bucket_gradients(RowRange rows, std::span<const std::uint16_t> bucket,
                                      std::span<const double> weights, Matrix& out) const = 0;
    /// Returns the sum over all rows of weights[row] (grad h)(grad h)', or only blocks along its diagonal if the whole
    /// would be too large; `weights` must not be negative.
    [[nodiscard]] virtual dc::Curvature gram(std::span<const double> weights) const = 0;
};

[[nodiscard]] std::unique_ptr<ScoreFunction> make_score_function(const Options& options, const Sample& sample);
/// Returns the number of parameters, for points of `dimensions` features and `groups` groups.
[[nodiscard]] std::size_t parameter_count(const Options& options, std::size_t dimensions, std::size_t groups);
/// Returns the parameters from which a cold solve starts.
[[nodiscard]] std::vector<double> initial_parameters(const Options& options, std::size_t dimensions,
                                                     std::size_t groups);
/// Convert parameters for features as scaled by a sample to parameters for unscaled features, and back. Scores do not
/// change.
void to_raw(const Options& options, const Sample& sample, std::span<double> w);
void from_raw(const Options& options, const Sample& sample, std::span<double> w);
/// Scores points outside a sample with parameters for unscaled features. `groups` are by point, or empty if the score
/// does not depend on them.
void score_rows(const Options& options, std::span<const double> w, std::size_t dimensions, std::size_t group_count,
                ConstRows rows, std::span<const GroupId> groups, std::span<Score> out);

}  // namespace fairstream::partial_fair_scorer
