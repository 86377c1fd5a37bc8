#pragma once
/// Scores linear in (1, x), (1, x, g) or (1, x, g, g x).
///
/// w begins with the weights of (1, x), which are those of group 0. For each further group the difference follows: of
/// the intercept, or of all weights. For two groups this is <w, (1, x, g, g x)> with g = 0 or 1. On a sample, w are
/// weights of z instead of x (`FeatureScale`); `weights_of` accepts both.

#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>

namespace fairstream::partial_fair_scorer {

class LinearScores final : public ScoreFunction {
public:
    LinearScores(const Sample& sample, GroupTerms terms) : sample_(sample), terms_(terms) {}

    [[nodiscard]] static std::size_t count(GroupTerms terms, std::size_t dimensions, std::size_t groups);
    /// Returns the index in w of a group's intercept: for group 0 the intercept itself, for another group the
    /// difference from it.
    [[nodiscard]] static std::size_t intercept(GroupTerms terms, std::size_t dimensions, std::size_t group);
    /// Computes the weights of (1, x) for the points of a group.
    static void weights_of(GroupTerms terms, std::span<const double> w, std::size_t dimensions, std::size_t group,
                           std::span<double> out);
    /// Convert w of z to w of x, and back: each part of w that has features.
    static void to_raw(GroupTerms terms, const FeatureScale& scale, std::size_t groups, std::span<double> w);
    static void from_raw(GroupTerms terms, const FeatureScale& scale, std::size_t groups, std::span<double> w);

    [[nodiscard]] std::size_t parameters() const override;
    [[nodiscard]] double weak_convexity() const override { return 0; }
    void evaluate(std::span<const double> w, std::span<double> scores) override;
    void add_gradients(RowRange rows, std::span<const double> weights, std::span<double> out) const override;
    void add_bucket_gradients(RowRange rows, std::span<const std::uint16_t> bucket, std::span<const double> weights,
                              Matrix& out) const override;
    [[nodiscard]] dc::Curvature gram(std::span<const double> weights) const override { return {{squares(weights)}}; }
    /// Returns what `gram` returns, as one matrix.
    [[nodiscard]] Matrix squares(std::span<const double> weights) const;
    /// out += the diagonal of `squares`; `out` is parameters.
    void add_squares(std::span<const double> weights, std::span<double> out) const;

    /// Adds a group's sum of weighted (1, z) to those entries of `out`, parameters, on which the group's scores depend.
    void add_group(std::size_t group, const double* sum, double* out) const;

private:
    const Sample& sample_;
    GroupTerms terms_;
};

}  // namespace fairstream::partial_fair_scorer
