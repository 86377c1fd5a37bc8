#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fairstream/numeric/detail/eigen/block_lanczos.hpp>
#include <fairstream/numeric/detail/eigen/lobpcg.hpp>
#include <fairstream/optimisation/detail/spectral/directions_of_parts.hpp>
#include <fairstream/optimisation/detail/spectral/krylov_progress.hpp>

namespace fairstream {
namespace {

// Columns beyond those asked for; the speed depends on the gap between eigenvalues after them.
constexpr std::size_t guard = 5;
// Widths of a block. With the same number of products narrow blocks go further, but wide ones use the operator better:
// a matrix in memory is read once per block of any width.
constexpr std::size_t narrow = 8, wide = 16;
// Eigenvalues within this relative distance may be one multiple eigenvalue, or those of loosely joined parts.
constexpr double close_together = 0.01;
// Least decrease of the cost that exceeds rounding and what a solution within the tolerance could still gain.
constexpr double least_fall_of_cost = 1e-3;

// Returns whether the number of eigenvalues close together is the largest that a block can find, so that there may be
// more.
bool may_miss_eigenvalues(const KrylovBasis& b, std::size_t block) {
    for (std::size_t j = 0; j + block <= b.width; ++j)
        if (b.theta[j] - b.theta[j + block - 1] <= close_together * b.theta[j]) return true;
    return false;
}

// Restarts with the Ritz vectors of the `count` largest values, or of all if there are fewer.
void keep_largest(BlockLanczos& lanczos, std::size_t count) {
    std::vector<std::size_t> which(std::min(count, lanczos.basis.used));
    std::iota(which.begin(), which.end(), std::size_t{0});
    lanczos.restart(which);
}

// Solves from a start of k columns or more by LOBPCG.
SpectralSolution solve_warm(NormalisedAffinity& m, const Matrix& q, std::size_t k, std::size_t width, Matrix start,
                            const SpectralLimits& limits, std::uint64_t seed) {
    Lobpcg lobpcg(m, q, width, std::move(start), seed);
    KrylovProgress progress(m, q, k, limits);
    SpectralSolution solution;
    for (;; ++solution.iterations) {
        lobpcg.basis.find_residuals(q);
        if (progress.has_ended(lobpcg.basis, solution)) break;
        solution.outcome = Outcome::stalled;  // no new direction: X is invariant up to the operator's rounding
        if (!lobpcg.expand(progress.small_enough_residual(lobpcg.basis))) break;
        lobpcg.improve();
    }
    progress.finish(lobpcg.basis, solution);
    return solution;
}

// Solves without a start by block Lanczos. If there may be more equal eigenvalues than a block finds, keeps the result
// and goes on with additional random columns until the cost no longer falls.
SpectralSolution solve_cold(NormalisedAffinity& m, const Matrix& q, std::size_t k, std::size_t width,
                            const SpectralLimits& limits, std::uint64_t seed) {
    const std::size_t free = m.rows() - q.cols;
    const std::size_t block = std::min(m.prefers_wide_blocks() ? wide : narrow, free);
    const std::size_t room = std::min(std::max(3 * width, width + 4 * block), free);
    BlockLanczos lanczos(m, q, width, room);
    KrylovBasis& b = lanczos.basis;
    lanczos.next = directions_of_parts(m, q, width, seed);
    if (lanczos.next.cols > 0) lanczos.append_next();
    if (b.used < room) lanczos.start_block(block, seed);
    lanczos.products_left = 0;
    KrylovProgress progress(m, q, k, limits);
    SpectralSolution solution;
    double least_cost = std::numeric_limits<double>::infinity();
    for (;; ++solution.iterations) {
        const bool closed = lanczos.fill(seed);
        keep_largest(lanczos, width + (room - width) / 3);
        b.find_residuals(q);
        const bool ended = progress.has_ended(b, solution);
        if (!ended && closed) solution.outcome = Outcome::stalled;  // X is invariant up to the operator's rounding
        if (ended && (solution.outcome == Outcome::iteration_limit || solution.iterations >= limits.iterations)) break;
        if (b.used == free) break;
        if (!closed && lanczos.products_left > 0) continue;
        if (!ended && !closed) {
            if (least_cost < std::numeric_limits<double>::infinity())
                lanczos.continue_from_residuals(k, progress.small_enough_residual(b), block);
            continue;
        }
        // No eigenvalue exceeds 1, so a cost below 0 is rounding.
        if (progress.cost() <= least_fall_of_cost || progress.cost() > least_cost - least_fall_of_cost) break;
        if (!may_miss_eigenvalues(b, block)) break;
        least_cost = progress.cost();
        lanczos.start_block(block, seed + static_cast<std::uint64_t>(solution.iterations) + 1);
    }
    progress.finish(b, solution);
    return solution;
}

}  // namespace

SpectralSolution solve_krylov(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start,
                              const SpectralLimits& limits, std::uint64_t seed) {
    const std::size_t width = std::min(k + guard, m.rows() - q.cols);
    if (start.rows == m.rows() && start.cols >= k) return solve_warm(m, q, k, width, std::move(start), limits, seed);
    return solve_cold(m, q, k, width, limits, seed);
}

}  // namespace fairstream
