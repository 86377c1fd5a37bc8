#pragma once
/// Fair spectral clustering as an optimisation problem: (5) of F. Tonin, A. Lambert, J. A. K. Suykens, V. Cevher,
/// "Accelerating spectral clustering under fairness constraints".
///
/// Notation, of the paper:
///   K   affinity, n x n;  D   diag(K 1);  M = D^(-1/2) K D^(-1/2)
///   F   n x r, columns that H must be orthogonal to: D^(-1/2) (G - 1 zᵀ) of each attribute, one group dropped,
///       and those of pairs; Q  an orthonormal basis of its range
///   H   n x k: maximises Tr(Hᵀ M H) subject to Hᵀ H = I and Fᵀ H = 0
///   T = D^(-1/2) H, the embedding: its rows are clustered

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <fairstream/base/outcome.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// M as an operator.
class NormalisedAffinity final : public SymmetricOperator {
public:
    /// Borrows `affinity`, which must outlive this.
    /// `parts`: the connected part of each point of a graph, where they are known.
    explicit NormalisedAffinity(const Affinity& affinity, std::span<const ClusterId> parts = {});

    [[nodiscard]] std::size_t rows() const noexcept override { return inverse_roots_.size(); }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return affinity_.prefers_wide_blocks(); }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return affinity_.positive_semidefinite(); }
    /// D^(-1/2), n; 0 for a point without affinities (below 1e-30 in all, so that float32 holds the embedding).
    [[nodiscard]] std::span<const double> inverse_roots() const noexcept { return inverse_roots_; }
    /// D^(1/2), n; 0 where the inverse is.
    [[nodiscard]] std::vector<double> roots() const;
    /// The parts as given. On each part that has affinities D^(1/2) is an eigenvector of M, of its largest
    /// eigenvalue, 1.
    [[nodiscard]] std::span<const ClusterId> parts() const noexcept { return parts_; }

private:
    void multiply(const Matrix& x, Matrix& out) override;

    const Affinity& affinity_;
    std::span<const ClusterId> parts_;
    std::vector<double> inverse_roots_;
    Matrix scaled_;
};

/// Sets x to diag(factors) x.
void scale_rows(std::span<const double> factors, Matrix& x);

/// Rows that shall lie together (must-link, T_i = T_j) or opposite each other (cannot-link, T_i = -T_j).
struct LinkedRows {
    std::vector<std::pair<Slot, Slot>> together, opposite;
};

/// Columns of F of one attribute: one for each group but the last, 0 for a group without points. Shares z are of the
/// points whose group is known, the rows of others 0.
struct AttributeColumn {
    std::size_t column = 0;  ///< of the groups' table
    std::size_t groups = 0;  ///< that are known, the first ones
};
/// Returns F, n x (sum of groups - 1 each, then a column for each pair). `table` is n x `stride`, row-major.
/// Weights are by point, empty: 1 each; the column of an attribute is then W (G - 1 zᵀ), z shares of weight.
[[nodiscard]] Matrix constraint_columns(std::span<const GroupId> table, std::size_t stride,
                                        std::span<const AttributeColumn> attributes, const LinkedRows& links,
                                        std::span<const double> inverse_roots, std::span<const double> weights = {});

/// An iteration as a solver reports it to `SpectralWatch`, which ends the solve by returning true, as the limit of
/// iterations does.
struct SpectralIterate {
    std::int64_t iteration = 0;
    double columns_applied = 0;
    const Matrix* h = nullptr;  ///< n x k, the solver's own; feasible for krylov, not yet for admm
    double cost = 0;            ///< k - Tr(HᵀMH) of it
    double residual = 0;
    std::function<Matrix()> finished;  ///< n x k: what the solution would be if it ended here
};
using SpectralWatch = std::function<bool(const SpectralIterate&)>;

struct SpectralLimits {
    std::int64_t iterations = 100;
    double tolerance = 1e-3;
    SpectralWatch watch;  ///< empty: nothing is reported
};

/// Returns the limits of a solve that tells `work` of its iterations, and ends where it is asked to.
/// Each takes so many multiply-adds.
[[nodiscard]] SpectralLimits solver_limits(std::int64_t iterations, double tolerance, const WorkHandle& work,
                                           double of_iteration = 0);

/// Result of a solver.
struct SpectralSolution {
    Outcome outcome = Outcome::iteration_limit;
    std::int64_t iterations = 0;
    double residual = 0;  ///< what the tolerance is compared with
    Matrix h;             ///< n x k, or more columns: those after k are where a warm start goes on from
    Matrix lambda;        ///< HᵀMH, k x k. Of krylov: that of H before its last step, which costs no product, so that
                          ///< k - Tr(lambda) is never below the cost of H
    Matrix within;        ///< QᵀH before polishing removed it, rank x k
};

/// Moves H to the nearest feasible one, polar((I - QQᵀ) H). Returns false when it has too few directions left to be
/// orthonormal.
bool polish(const Matrix& q, Matrix& h);

/// Solves (5) exactly. A `start` of k columns or more is improved by LOBPCG (A. Knyazev, 2001) on (I - QQᵀ) M (I -
/// QQᵀ), the orthonormal basis [X P W] kept as in Hetmaniuk and Lehoucq, 2006; a smaller one is not used, and block
/// Lanczos solves, each restart an iteration. Both end with a power step that needs no product. The residual is ||PMX -
/// X Theta||_F / ||Theta||_F, P = I - QQᵀ.
[[nodiscard]] SpectralSolution solve_krylov(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start,
                                            const SpectralLimits& limits, std::uint64_t seed);

/// Options of Algorithm 1: ADMM on H and Y = MH, the H-step through its dual V.
struct AdmmOptions {
    double penalty = 0.5;  ///< alpha at the start, in (0, 0.9]
    bool adapt = false;    ///< double or halve alpha by the ratio of the residuals
    bool lbfgs = false;    ///< solve the dual by L-BFGS from a random V; else one step V = (1-alpha) MH - P + alpha Y
    double shift = 0;      ///< added to the diagonal of M
};
/// State from which ADMM goes on: P = Q C.
struct AdmmState {
    Matrix c;            ///< rank x k
    double penalty = 0;  ///< 0: that of the options
};
/// Solves problem (9), over H of orthonormal columns with QᵀMH = 0, and polishes H at the end. The residual is the
/// larger of ||QᵀMH||_F and of the change of Y, over sqrt(k).
[[nodiscard]] SpectralSolution solve_admm(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start,
                                          const AdmmOptions& options, AdmmState& state, const SpectralLimits& limits,
                                          std::uint64_t seed);

}  // namespace fairstream
