#pragma once
/// Evaluates each iteration of both forms of the exact solver, and decides when to end.

#include <vector>

#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream {

/// The progress of a solve whose H is the first k columns of X. Borrows its arguments.
class KrylovProgress {
public:
    KrylovProgress(const NormalisedAffinity& m, const Matrix& q, std::size_t k, const SpectralLimits& limits)
        : m_(m), q_(q), k_(k), limits_(limits) {}

    /// Returns the norm of a residual that is half of what the tolerance allows on average.
    [[nodiscard]] double small_enough_residual(const KrylovBasis& b) const;
    /// Returns whether the solver must end, and sets the residual, and at the end `solution.outcome`. To be called once
    /// per iteration.
    [[nodiscard]] bool has_ended(const KrylovBasis& b, SpectralSolution& solution);
    /// Returns k - Tr(HᵀMH) at the last iteration.
    [[nodiscard]] double cost() const { return costs_.back(); }
    /// Sets the remaining members of the solution.
    void finish(const KrylovBasis& b, SpectralSolution& solution) const;

private:
    [[nodiscard]] double scale_of(const KrylovBasis& b) const;
    [[nodiscard]] Matrix power_step(const KrylovBasis& b) const;
    [[nodiscard]] bool is_ended_by_watch(const KrylovBasis& b, const SpectralSolution& solution) const;
    [[nodiscard]] bool is_stalled() const;

    const NormalisedAffinity& m_;
    const Matrix& q_;
    std::size_t k_;
    const SpectralLimits& limits_;
    std::vector<double> residuals_, costs_;  // by iteration
};

}  // namespace fairstream
