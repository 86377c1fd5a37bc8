#pragma once
/// An affinity and its Laplacian as symmetric operators.

#include <span>
#include <vector>

#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>

namespace fairstream {

/// The operator K.
class AffinityOperator final : public SymmetricOperator {
public:
    /// Borrows `affinity`, which must outlive this.
    explicit AffinityOperator(const Affinity& affinity) : affinity_(affinity) {}
    [[nodiscard]] std::size_t rows() const noexcept override { return affinity_.rows(); }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return affinity_.prefers_wide_blocks(); }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return affinity_.positive_semidefinite(); }

private:
    void multiply(const Matrix& x, Matrix& out) override { affinity_.multiply(x, out); }

    const Affinity& affinity_;
};

/// The unnormalised Laplacian diag(K 1) - K: xᵀLx is the sum of K_ij (x_i - x_j)^2 over all pairs. It is positive
/// semidefinite if no entry of K is negative; its null space is spanned by the indicators of connected parts.
class LaplacianOperator final : public SymmetricOperator {
public:
    /// Borrows `affinity`, which must outlive this, and finds its connected parts. An affinity with factors counts as
    /// one part: its rows are expensive, and each point has an affinity to all.
    explicit LaplacianOperator(const Affinity& affinity);
    /// `parts` is the connected part of each point, as `connected_parts` returns it.
    LaplacianOperator(const Affinity& affinity, std::vector<ClusterId> parts);

    [[nodiscard]] std::size_t rows() const noexcept override { return affinity_.rows(); }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return affinity_.prefers_wide_blocks(); }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return true; }
    /// Returns K 1, n.
    [[nodiscard]] std::span<const double> degrees() const noexcept { return affinity_.degrees(); }
    [[nodiscard]] std::span<const ClusterId> parts() const noexcept { return parts_; }

private:
    void multiply(const Matrix& x, Matrix& out) override;

    const Affinity& affinity_;
    std::vector<ClusterId> parts_;
};

}  // namespace fairstream
