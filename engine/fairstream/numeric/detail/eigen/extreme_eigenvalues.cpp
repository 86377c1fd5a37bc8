#include <fairstream/numeric/detail/eigen/extreme_eigenvalues.hpp>

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include <fairstream/numeric/detail/eigen/block_lanczos.hpp>
#include <fairstream/numeric/detail/eigen/eigenvalue_search.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

// Ritz vectors kept at each end; the error bound uses the distance between the first and the last of them.
constexpr std::size_t ritz_vectors_per_end = 4;

// Returns the numbers of the Ritz vectors of both ends in turn: the largest, the smallest, the second largest, ...
std::vector<std::size_t> both_ends(std::size_t used) {
    std::vector<std::size_t> which;
    for (std::size_t j = 0; j < ritz_vectors_per_end; ++j) which.insert(which.end(), {j, used - 1 - j});
    return which;
}

// Returns the values of one end: every second value, from the first or the second.
std::vector<double> every_second(std::span<const double> values, std::size_t first) {
    std::vector<double> some;
    for (std::size_t j = first; j < values.size(); j += 2) some.push_back(values[j]);
    return some;
}

}  // namespace

ExtremeEigenvalues extreme_eigenvalues(SymmetricOperator& a, double tolerance, std::uint64_t seed) {
    const std::size_t n = a.rows();
    assert(n > 0);
    if (n <= most_dense_rows) {
        const Spectrum all = dense_spectrum(a);
        return {all.values.back(), all.values.front(), 0};
    }
    // Narrow blocks go further with the same number of products; operators that prefer wide blocks are faster with
    // those.
    const std::size_t block = a.prefers_wide_blocks() ? 8 : 2, blocks = a.prefers_wide_blocks() ? 12 : 16;
    const Matrix q(n, 0);
    BlockLanczos lanczos(a, q, 2 * ritz_vectors_per_end, 2 * ritz_vectors_per_end + blocks * block);
    lanczos.start_block(block, seed);
    const KrylovBasis& b = lanczos.basis;
    ExtremeEigenvalues found;
    ErrorHistory history;
    for (;;) {
        check_interrupted();
        const bool closed = lanczos.fill(seed);
        lanczos.restart(both_ends(b.used));
        lanczos.basis.find_residuals(q);
        found.largest = b.theta[0], found.smallest = b.theta[1];
        const double width = found.largest - found.smallest;
        double below = error_of_sum(every_second(b.theta, 1), every_second(b.norms, 1), 1);
        if (a.positive_semidefinite()) below = std::min(below, std::max(0.0, found.smallest));
        found.error = std::max(below, error_of_sum(every_second(b.theta, 0), every_second(b.norms, 0), 1));
        if (history.has_ended(-width, found.error, tolerance * width) || closed) return found;
    }
}

}  // namespace fairstream
