#pragma once
/// The orthonormal basis, with its products, that both forms of the exact solver use.

#include <fairstream/models/fair_spectral/detail/problem.hpp>
#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream::fair_spectral {

/// Orthonormal columns S, all orthogonal to Q, and MS. The first `width` of them are X, the approximation: XᵀMX =
/// diag(theta).
struct KrylovBasis {
    std::size_t width;
    Matrix s, ms;          // n x room
    std::size_t used = 0;  // columns
    std::vector<double> theta;
    Matrix residual;                       // (I - QQᵀ)(MX - X Theta), n x width
    std::vector<double> norms;             // of its columns
    std::vector<double> residuals, costs;  // by iteration, of the first k columns

    KrylovBasis(std::size_t n, std::size_t columns, std::size_t room) : width(columns), s(n, room), ms(n, room) {}

    [[nodiscard]] Block all() { return {s, 0, used}; }
    [[nodiscard]] Block all_products() { return {ms, 0, used}; }
    /// Appends the columns of w to S and those of M w to MS.
    void append(NormalisedAffinity& m, const Matrix& w);
    /// Replaces S by S C and MS by MS C.
    void turn(const Matrix& c);
    void find_residuals(const Matrix& q);

private:
    Matrix scratch_;
};

/// Returns the scale of residuals: the root mean square of the first k theta, at least 1e-6. Eigenvalues are near 1 on
/// graphs with clusters, and far below where all is joined to all.
[[nodiscard]] double scale_of(const KrylovBasis& b, std::size_t k);
/// Returns whether the solver ends here, and sets `solution.outcome` if it does. To be called once per iteration.
[[nodiscard]] bool has_ended(KrylovBasis& b, const NormalisedAffinity& m, const Matrix& q, std::size_t k,
                             const SolverLimits& limits, Solution& solution);
/// Fills in the rest of the solution.
void finish(const KrylovBasis& b, const NormalisedAffinity& m, const Matrix& q, std::size_t k, Solution& solution);

/// Solves from a start of k columns or more, by LOBPCG.
[[nodiscard]] Solution solve_warm(NormalisedAffinity& m, const Matrix& q, std::size_t k, std::size_t width,
                                  Matrix start, const SolverLimits& limits, std::uint64_t seed);
/// Solves without a start, by block Lanczos with thick restarts.
[[nodiscard]] Solution solve_cold(NormalisedAffinity& m, const Matrix& q, std::size_t k, std::size_t width,
                                  const SolverLimits& limits, std::uint64_t seed);

}  // namespace fairstream::fair_spectral
