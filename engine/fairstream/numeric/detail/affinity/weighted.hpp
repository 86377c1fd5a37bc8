#pragma once
/// The affinity of weighted points, each of which stands for as many equal points as its weight.

#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// B = W K W, with W the diagonal of the weights: entry (i, j) sums the affinities between the w_i single points that i
/// stands for and the w_j single points of j. For a vector t with equal values on equal points, B t = lambda diag(B 1)
/// t holds if and only if the same equation holds for the affinity of the single points. Cuts and volumes of B equal
/// those of the single points. If no point has an affinity to itself (a graph of neighbours, with 1 between equal
/// points), B_ii = w_i (w_i - min(w_i, 1)), because a point lighter than 1 is part of one point.
class WeightedAffinity final : public Affinity {
public:
    /// Borrows `points` and the weights, by row, above 0. `own_left_out`: no point has an affinity to itself, see
    /// above.
    WeightedAffinity(const Affinity& points, std::span<const double> weights, bool own_left_out);

    [[nodiscard]] bool positive_semidefinite() const noexcept override { return points_.positive_semidefinite(); }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return points_.prefers_wide_blocks(); }
    void multiply(const Matrix& x, Matrix& out) const override;
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override;
    void copy_row(Slot i, AffinityRow& out) const override;
    [[nodiscard]] std::optional<AffinityFactors> factors() const override;
    [[nodiscard]] std::vector<double> diagonal() const override;

private:
    [[nodiscard]] Matrix weighted(const Matrix& x) const;

    const Affinity& points_;
    std::span<const double> weights_;
    std::vector<double> own_;  // diagonal of B - W K W
    bool has_factors_ = false;
    Matrix left_, right_;  // factors of B, if K has factors
};

}  // namespace fairstream
