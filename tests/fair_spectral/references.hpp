#pragma once
/// Slow but reliable solvers of problem (5) of Tonin et al., "Accelerating spectral clustering under fairness
/// constraints", for comparison with the engine's solvers. The interface uses standard types only, as Eigen and Spectra
/// compile slowly.
///
/// All matrices are row-major: M is n x n and symmetric, F is n x r, H is n x k. Columns of F may be 0 or linearly
/// dependent. Sizes must fit: 1 <= k <= n - rank(F).

#include <cstddef>
#include <functional>
#include <vector>

namespace fairstream::test {

struct Reference {
    std::vector<double> h;       ///< n x k, orthonormal columns
    std::vector<double> values;  ///< k, contribution of each column to the objective, largest first
    double cost = 0;             ///< k - Tr(Hᵀ M H)
    std::size_t products = 0;    ///< number of products of M with a vector, as counted by `s_fsc`
    bool converged = true;
};

/// o-FSC (M. Kleindessner et al., "Guarantees for spectral clustering with fairness constraints", 2019): a basis Z of
/// the null space of Fᵀ, and the dense eigenvectors of Zᵀ M Z. O(n^3) time and O(n^2) memory.
[[nodiscard]] Reference o_fsc(std::size_t n, const std::vector<double>& m, const std::vector<double>& f, std::size_t k);

/// out = M x, n each.
using Product = std::function<void(const double* x, double* out)>;

/// s-FSC (J. Wang et al., "Scalable spectral clustering with group fairness constraints", 2023): Lanczos with implicit
/// restarts on P (M + shift I) P, P the projector onto the null space of Fᵀ. With a shift above 1 the wanted
/// eigenvalues are its largest, and range(F) at 0 is not among them. `tolerance` is relative, of an eigenvalue's
/// residual; k < n.
[[nodiscard]] Reference s_fsc(std::size_t n, const Product& m, const std::vector<double>& f, std::size_t k,
                              double shift = 2, double tolerance = 1e-10);

/// Problem (9), what ADMM solves: H of orthonormal columns with FᵀMH = 0 and the largest ||M H||_F^2, the top
/// eigenvectors of P'M^2P', P' the projector onto the null space of FᵀM. `m` includes the shift; values are those of
/// M^2.
[[nodiscard]] Reference problem_nine(std::size_t n, const std::vector<double>& m, const std::vector<double>& f,
                                     std::size_t k);

/// Returns the eigenvalues of a symmetric matrix, largest first.
[[nodiscard]] std::vector<double> eigenvalues(std::size_t n, const std::vector<double>& a);

}  // namespace fairstream::test
