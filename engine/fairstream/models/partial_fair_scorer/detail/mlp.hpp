#pragma once
/// Scores of a small network: h = u_0 z + sum_j v_j tanh(u_j z), with z the terms of a linear score.
///
/// w is u_0, u_1, ..., u_hidden, v. On a sample, the u are weights of scaled features, as in a linear score. With v =
/// 0, where a solve begins, h is the linear score.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>

namespace fairstream::partial_fair_scorer {

/// Hidden units that are processed together: all, or as many as fit into registers.
struct Units {
    std::size_t first, count;
    std::size_t width;  ///< count rounded up to the kernels' multiple
};
[[nodiscard]] std::vector<Units> units_of(std::size_t hidden);
/// Returns the width of all units.
[[nodiscard]] std::size_t width_of(std::size_t hidden);
/// Returns the units' weights of 1 and x for the points of a group: (d + 1) x width, from w with `inputs` entries per
/// unit.
[[nodiscard]] Matrix weights_of_units(Units units, GroupTerms terms, std::span<const double> w, std::size_t inputs,
                                      std::size_t dimensions, std::size_t group);
/// Computes the activations of a point, `units.width`, with these weights. `columns` are those of the nonzero features;
/// null: `features` has all.
void activate(Units units, const Matrix& weights, const float* features, const std::uint32_t* columns,
              std::size_t count, double* active);

class MlpScores final : public ScoreFunction {
public:
    MlpScores(const Sample& sample, GroupTerms terms, std::size_t hidden);

    [[nodiscard]] std::size_t parameters() const override { return (hidden_ + 1) * inputs_ + hidden_; }
    [[nodiscard]] double weak_convexity() const override { return weak_convexity_; }
    void evaluate(std::span<const double> w, std::span<double> scores) override;
    void add_gradients(RowRange rows, std::span<const double> weights, std::span<double> out) const override;
    void add_bucket_gradients(RowRange rows, std::span<const std::uint16_t> bucket, std::span<const double> weights,
                              Matrix& out) const override;
    /// Returns a block for each u_j and one for v; with few rows, only the diagonals of the blocks of u_j.
    [[nodiscard]] dc::Curvature gram(std::span<const double> weights) const override;

private:
    /// Adds the gradient of a row times its weight to the units' sums: (d + 2) x width, for v, 1 and x.
    void add_row(Units units, std::size_t row, double weight, double* sums) const;
    /// Adds a group's sums to a gradient.
    void add_sums(Units units, std::size_t group, const double* sums, double* out) const;

    /// Returns the sum over rows of weights[row] z z', or with many rows an estimate with the same diagonal.
    [[nodiscard]] Matrix unit_block(std::span<const double> weights) const;
    [[nodiscard]] Matrix unit_diagonal(std::span<const double> weights) const;
    /// Returns the sum over rows of weights[row] a a', with a the activations.
    [[nodiscard]] Matrix outer_block(std::span<const double> weights) const;
    /// Returns d h / d (u_j z) of a row, j from 1.
    [[nodiscard]] double slope(std::size_t j, std::size_t row) const {
        const double a = activations_.at(row, j - 1);
        return v_[j - 1] * (1 - a * a);
    }

    const Sample& sample_;
    GroupTerms terms_;
    LinearScores linear_;
    std::size_t inputs_;  // number of inputs z
    std::size_t hidden_;
    double weak_convexity_;
    std::vector<double> v_;  // at the w evaluated last, padded with zeros to the width of all units
    Matrix activations_;     // n x padded width
};

}  // namespace fairstream::partial_fair_scorer
