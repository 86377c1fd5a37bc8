#pragma once
/// An affinity of points with weights: that of as many equal points.

#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// B = W K W, W the diagonal of the weights: entry (i, j) is the sum of the affinities between the w_i points that i
/// stands for and the w_j of j. For a vector t that is the same on equal points, B t = lambda diag(B 1) t exactly where
/// it is so for those points, and cuts and volumes of B are theirs. Where no point has an affinity to itself (a graph
/// of neighbours, with 1 between equal points), B_ii = w_i (w_i - min(w_i, 1)): a point lighter than 1 is a part of
/// one.
class WeightedAffinity final : public Affinity {
public:
    /// Borrows `points` and the weights, by row, above 0. `own_left_out`: see above.
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
    std::vector<double> own_;  // what the diagonal of B has beside W K W
    bool has_factors_ = false;
    Matrix left_, right_;  // factors of B, where K has some
};

}  // namespace fairstream
