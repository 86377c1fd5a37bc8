#pragma once
/// Fair spectral clustering as an optimisation problem: (5) of F. Tonin, A. Lambert, J. A. K. Suykens, V. Cevher,
/// "Accelerating spectral clustering under fairness constraints".
///
/// Notation, of the paper:
///   K   affinity, n x n;  D   diag(K 1);  M = D^(-1/2) K D^(-1/2)
///   F   n x r, columns that H must be orthogonal to: D^(-1/2) (G - 1 zᵀ) of each attribute, one group dropped,
///       and the columns of pairs; Q  an orthonormal basis of its range
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
    /// `parts` is the connected part of each point of a graph, if known.
    explicit NormalisedAffinity(const Affinity& affinity, std::span<const ClusterId> parts = {});

    [[nodiscard]] std::size_t rows() const noexcept override { return inverse_roots_.size(); }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return affinity_.prefers_wide_blocks(); }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return affinity_.positive_semidefinite(); }
    /// Returns D^(-1/2), n; 0 for a point whose affinities sum to less than 1e-30, so that float32 can hold the
    /// embedding.
    [[nodiscard]] std::span<const double> inverse_roots() const noexcept { return inverse_roots_; }
    /// Returns D^(1/2), n; 0 where the inverse is 0.
    [[nodiscard]] std::vector<double> roots() const;
    /// Returns the parts as given. On each part that has affinities, D^(1/2) is an eigenvector of M with the largest
    /// eigenvalue, 1.
    [[nodiscard]] std::span<const ClusterId> parts() const noexcept { return parts_; }

private:
    void multiply(const Matrix& x, Matrix& out) override;

    const Affinity& affinity_;
    std::span<const ClusterId> parts_;
    std::vector<double> inverse_roots_;
    Matrix scaled_;
};

/// x = diag(factors) x.
void scale_rows(std::span<const double> factors, Matrix& x);

/// Pairs of rows that must be equal (must-link, T_i = T_j) or opposite (cannot-link, T_i = -T_j).
struct LinkedRows {
    std::vector<std::pair<Slot, Slot>> together, opposite;
};

/// Columns of F of one attribute: one for each group except the last, 0 for a group without points. Shares z are over
/// the points of known group; the rows of other points are 0.
struct AttributeColumn {
    std::size_t column = 0;  ///< column in the table of groups
    std::size_t groups = 0;  ///< number of known groups, which come first
};
/// Returns F, n x (sum of groups - 1 each, then a column for each pair). `table` is n x `stride`, row-major. Weights
/// are by point; empty: 1 each. With weights the column of an attribute is W (G - 1 zᵀ), with z shares of weight.
[[nodiscard]] Matrix constraint_columns(std::span<const GroupId> table, std::size_t stride,
                                        std::span<const AttributeColumn> attributes, const LinkedRows& links,
                                        std::span<const double> inverse_roots, std::span<const double> weights = {});

/// An iteration, which a solver reports to `SpectralWatch`. If that returns true, the solve ends as at the limit of
/// iterations.
struct SpectralIterate {
    std::int64_t iteration = 0;
    double columns_applied = 0;
    const Matrix* h = nullptr;  ///< n x k, owned by the solver; feasible for krylov, not yet for admm
    double cost = 0;            ///< k - Tr(HᵀMH)
    double residual = 0;
    std::function<Matrix()> finished;  ///< returns the solution, n x k, as if the solve ended here
};
using SpectralWatch = std::function<bool(const SpectralIterate&)>;

struct SpectralLimits {
    std::int64_t iterations = 100;
    double tolerance = 1e-3;
    SpectralWatch watch;  ///< called with each iteration; may be empty
};

/// Returns the limits of a solve that reports its iterations to `work`, and ends if `work` ends it. An iteration takes
/// `of_iteration` multiply-adds.
[[nodiscard]] SpectralLimits solver_limits(std::int64_t iterations, double tolerance, const WorkHandle& work,
                                           double of_iteration = 0);

/// Result of a solver.
struct SpectralSolution {
    Outcome outcome = Outcome::iteration_limit;
    std::int64_t iterations = 0;
    double residual = 0;  ///< compared with the tolerance
    Matrix h;             ///< n x k, or more columns: a warm start also uses those after k
    Matrix lambda;        ///< HᵀMH, k x k. For krylov of H before its last step, which needs no product, so k -
                          ///< Tr(lambda) is never below the cost of H
    Matrix within;        ///< QᵀH before polishing removed it, rank x k
};

/// Moves H to the nearest feasible matrix, polar((I - QQᵀ) H). Returns false if too few directions remain for
/// orthonormal columns.
bool polish(const Matrix& q, Matrix& h);

/// Solves (5) exactly. A `start` of k columns or more is improved by LOBPCG (A. Knyazev, 2001) on (I - QQᵀ) M (I -
/// QQᵀ), with an orthonormal basis [X P W] as in Hetmaniuk and Lehoucq, 2006. A start of fewer columns is not used:
/// block Lanczos solves, and each restart is an iteration. Both end with a power step that needs no product. The
/// residual is ||PMX - X Theta||_F / ||Theta||_F, P = I - QQᵀ.
[[nodiscard]] SpectralSolution solve_krylov(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start,
                                            const SpectralLimits& limits, std::uint64_t seed);

/// Options of Algorithm 1: ADMM on H and Y = MH, with the H-step through its dual V.
struct AdmmOptions {
    double penalty = 0.5;  ///< alpha at the start, in (0, 0.9]
    bool adapt = false;    ///< double or halve alpha by the ratio of the residuals
    bool lbfgs = false;    ///< solve the dual by L-BFGS from a random V; else one step V = (1-alpha) MH - P + alpha Y
    double shift = 0;      ///< added to the diagonal of M
};
/// State from which ADMM resumes: P = Q C.
struct AdmmState {
    Matrix c;            ///< rank x k
    double penalty = 0;  ///< 0: the penalty of the options
};
/// Solves problem (9), over H with orthonormal columns and QᵀMH = 0, and polishes H at the end. The residual is the
/// larger of ||QᵀMH||_F and of the change of Y, divided by sqrt(k).
[[nodiscard]] SpectralSolution solve_admm(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start,
                                          const AdmmOptions& options, AdmmState& state, const SpectralLimits& limits,
                                          std::uint64_t seed);

}  // namespace fairstream
