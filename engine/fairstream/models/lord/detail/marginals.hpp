#pragma once
/// The set of the matrices of probabilities: nonnegative, with given sums of rows and columns.
///
/// Notation of the paper, with groups and weights added:
///   V   n x k; P(y_i = j | x_i) = W V_ij mu_j
///   mu  k, above 0, of unit length; mu_j^2 is the share of all points in cluster j
///   w   weights of the points, W their sum; 1 each and n in the paper
///   Omega(mu) = {V >= 0 : Vᵀw = mu, V mu = 1/W}
///   With groups g of weight W_g: the sum over the points of g of w_i V_i = (W_g / W) mu for every g, so that each
///   group has the same share of each cluster. This implies Vᵀw = mu, and makes the points of each group a separate
///   problem.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::lord {

/// The start of a projection, kept from the last one. It is near the result if the matrix is near the last matrix.
struct ProjectionStart {
    Matrix offsets;              ///< b minus the means of the columns: blocks x k
    std::vector<double> levels;  ///< a: n
};

class Marginals {
public:
    /// `mu`: see above. `weights`: n, above 0; empty: 1 each. `blocks`: by point, its group in [0, count); empty: one
    /// block. Each block must have a point.
    Marginals(std::vector<double> mu, std::size_t points, std::span<const double> weights = {},
              std::span<const std::uint32_t> blocks = {});

    [[nodiscard]] std::size_t points() const noexcept { return order_.size(); }
    [[nodiscard]] std::size_t clusters() const noexcept { return mu_.size(); }
    [[nodiscard]] std::size_t blocks() const noexcept { return begins_.size() - 1; }
    [[nodiscard]] std::span<const double> mu() const noexcept { return mu_; }
    [[nodiscard]] double weight(std::size_t i) const noexcept { return weights_.empty() ? 1 : weights_[i]; }
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
    /// Returns W.
    [[nodiscard]] double mass() const noexcept { return mass_; }

    [[nodiscard]] ProjectionStart start() const;
    /// Writes the matrix of the set that is nearest to u, with the squared distance of row i weighted by w_i, to `out`,
    /// which must be another matrix. Sums of columns have a relative error of at most `tolerance`. Returns the number
    /// of passes over the rows.
    ///
    /// V = max(0, U - a muᵀ - 1 bᵀ) by the Karush-Kuhn-Tucker conditions. Given b, the level a_i of each row is that of
    /// a projection onto a weighted simplex. b maximises a concave function of k numbers, whose gradient is the error
    /// of the sums of columns, by a damped semismooth Newton method.
    int project(const Matrix& u, ProjectionStart& start, Matrix& out, double tolerance = 1e-9) const;
    /// Scales the rows and columns of a matrix of positive numbers into the set, up to rounding (R. Sinkhorn, 1964;
    /// Algorithm 3).
    void scale_into(Matrix& u) const;

private:
    struct Pass {
        std::vector<double> sums;  // weighted sums of the columns
        double dual = 0;
    };
    class Newton;

    [[nodiscard]] std::span<const Slot> rows_of(std::size_t block) const {
        return std::span(order_).subspan(begins_[block], begins_[block + 1] - begins_[block]);
    }
    /// Returns the required sum of column j of a block.
    [[nodiscard]] double target(std::size_t block, std::size_t j) const { return shares_[block] * mu_[j]; }

    std::vector<double> mu_;
    std::vector<double> weights_;
    std::vector<Slot> order_;          // points by block
    std::vector<std::size_t> begins_;  // first index of each block in `order_`, and the end of the last
    std::vector<double> shares_;       // share of each block in W
    double mass_ = 0;
};

}  // namespace fairstream::lord
