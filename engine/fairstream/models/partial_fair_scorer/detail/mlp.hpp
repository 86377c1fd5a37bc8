#pragma once
/// Scores of a small network: h = u_0 z + sum_j v_j tanh(u_j z), z the terms of a linear score.
///
/// w is u_0, u_1, ..., u_hidden, v. With v = 0, where a solve begins, it is the linear score.

#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>

namespace fairstream::partial_fair_scorer {

class MlpScores final : public ScoreFunction {
public:
    MlpScores(const Sample& sample, GroupTerms terms, std::size_t hidden);

    [[nodiscard]] std::size_t parameters() const override { return (hidden_ + 1) * inputs_ + hidden_; }
    [[nodiscard]] double weak_convexity() const override { return weak_convexity_; }
    void evaluate(std::span<const double> w, std::span<double> scores) override;
    void add_gradients(RowRange rows, std::span<const double> weights, std::span<double> out) const override;
    void add_bucket_gradients(RowRange rows, std::span<const std::uint16_t> bucket, std::span<const double> weights,
                              Matrix& out) const override;
    /// A block for each u_j and one for v; with few rows the diagonals of those of u_j alone.
    [[nodiscard]] dc::Curvature gram(std::span<const double> weights) const override;

private:
    /// Returns sum over rows of weights[row] z z', or an estimate with the same diagonal where there are many rows.
    [[nodiscard]] Matrix unit_block(std::span<const double> weights) const;
    [[nodiscard]] Matrix unit_diagonal(std::span<const double> weights) const;
    /// Returns sum over rows of weights[row] a a', a the activations.
    [[nodiscard]] Matrix outer_block(std::span<const double> weights) const;
    /// d h / d (u_j z) of a row, j from 1.
    [[nodiscard]] double slope(std::size_t j, std::size_t row) const {
        const double a = activations_.at(j - 1, row);
        return v_[j - 1] * (1 - a * a);
    }

    const Sample& sample_;
    LinearScores linear_;
    std::size_t inputs_;  // of z
    std::size_t hidden_;
    double weak_convexity_;
    std::vector<double> v_;  // where it was evaluated
    Matrix activations_;     // hidden x n
};

}  // namespace fairstream::partial_fair_scorer
