#pragma once
/// The similarities S of weighted points, and the parts of their spectrum that tau and the steps need.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/lord/lord.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>

namespace fairstream::lord {

/// S = D^(-1/2) B D^(-1/2) / 1ᵀB1, with B the affinities of the points as in `WeightedAffinity` and D their weights: a
/// point of weight 2 counts as two equal points. Without weights S = K / 1ᵀK1.
class Similarity final : public SymmetricOperator {
public:
    /// Borrows both. `weights` are those with which `affinity` is made; empty: 1 each.
    Similarity(const Affinity& affinity, std::span<const double> weights);

    [[nodiscard]] std::size_t rows() const noexcept override { return affinity_.rows(); }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return affinity_.prefers_wide_blocks(); }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return affinity_.positive_semidefinite(); }
    /// out = D^(-1) B v / 1ᵀB1: S v, where each row stands for as many equal rows as its weight.
    void gradient(const Matrix& v, Matrix& out) const;
    /// Returns 1 / 1ᵀB1; 0 if no point is similar to another.
    [[nodiscard]] double scale() const noexcept { return scale_; }
    /// Returns ||S||_F^2; with weights, S is here the matrix of all the equal points for which weighted points stand.
    [[nodiscard]] double squared_norm() const;
    [[nodiscard]] const Affinity& affinity() const noexcept { return affinity_; }
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }

private:
    void multiply(const Matrix& x, Matrix& out) override;

    const Affinity& affinity_;
    std::span<const double> weights_;
    std::vector<double> inverse_roots_;  // empty without weights
    double scale_ = 0;
};

/// Both ends of the spectrum of S. With weights, S is here the matrix of all the equal points for which weighted points
/// stand.
struct Spread {
    double smallest = 0, largest = 0;
    [[nodiscard]] double width() const noexcept { return largest - smallest; }
    [[nodiscard]] double norm() const noexcept { return std::max(largest, -smallest); }
};
[[nodiscard]] Spread spread_of(Similarity& similarity, std::uint64_t seed);

/// Returns the tau of the options; if they name a rule of the paper (section 4.5), computes tau by the rule.
[[nodiscard]] double chosen_tau(const Options& options, const Similarity& similarity, double mass, std::uint64_t seed);

/// Returns the least tau, in [0, 1], at which k clusters can part; 0 if k < 2, or if there are at most k points. They
/// can part if B-LoRD's objective rises from level probabilities in k - 1 directions. Moves U with Uᵀ1 = 0 and U mu = 0
/// change the objective by Tr(UᵀSU) + gamma ||U||^2. The objective rises in k - 1 directions if gamma is above -lambda,
/// with lambda the (k - 1)-th largest eigenvalue of S on the complement of 1. The result is not below the exact tau,
/// and at most 0.01 above it.
[[nodiscard]] double parting_tau(Similarity& similarity, const Spread& spread, std::size_t k, std::uint64_t seed);

}  // namespace fairstream::lord
