#include <fairstream/numeric/detail/eigen/smallest_eigenvalues.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <span>

#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/eigen/block_lanczos.hpp>
#include <fairstream/numeric/detail/eigen/eigenvalue_search.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

// Returns an orthonormal basis of the null space of a Laplacian: the indicators of its parts.
Matrix indicators(std::span<const ClusterId> parts) {
    std::vector<double> sizes(count_parts(parts), 0.0);
    for (const ClusterId part : parts) ++sizes[static_cast<std::size_t>(part)];
    Matrix q(parts.size(), sizes.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto part = static_cast<std::size_t>(parts[i]);
        q.at(i, part) = 1 / std::sqrt(sizes[part]);
    }
    return q;
}

// Columns between restarts, beside those kept; more columns need fewer products and more memory.
std::size_t columns_between_restarts(std::size_t block) {
    return std::max<std::size_t>(120, 6 * block);
}

// Returns the numbers of the Ritz vectors of the smallest values, smallest first.
std::vector<std::size_t> smallest_first(std::size_t used, std::size_t count) {
    std::vector<std::size_t> which;
    for (std::size_t j = 0; j < std::min(count, used); ++j) which.push_back(used - 1 - j);
    return which;
}

}  // namespace

SmallestEigenvalues smallest_eigenvalues(LaplacianOperator& laplacian, std::size_t count, double tolerance,
                                         std::uint64_t seed, double allowed) {
    // Columns beyond those asked for; the error bound uses the distance to the last of them.
    constexpr std::size_t guard = 10;
    // Relative size of values that are 0 up to rounding, in units of the largest degree, which is half the bound of the
    // largest eigenvalue.
    constexpr double rounding = 1e-12;
    const std::size_t n = laplacian.rows();
    assert(count <= n);
    SmallestEigenvalues found{std::vector<double>(count, 0.0), 0};
    const std::size_t zeros = count_parts(laplacian.parts());
    if (count <= zeros) return found;
    const std::span<double> others = std::span(found.values).subspan(zeros);
    if (n <= most_dense_rows) {
        const Spectrum all = dense_spectrum(laplacian);
        for (std::size_t j = 0; j < others.size(); ++j) others[j] = std::max(0.0, all.values[n - 1 - zeros - j]);
        return found;
    }
    const Matrix q = indicators(laplacian.parts());
    const std::size_t free = n - zeros, block = std::max<std::size_t>(others.size(), 2);
    const std::size_t width = std::min(others.size() + guard, free);
    const std::size_t room = std::min(width + columns_between_restarts(block), free);
    const double least_sum = rounding * *std::ranges::max_element(laplacian.degrees());
    BlockLanczos lanczos(laplacian, q, width, room);
    lanczos.start_block(block, seed);
    const KrylovBasis& b = lanczos.basis;
    ErrorHistory history;
    for (;;) {
        check_interrupted();
        const bool closed = lanczos.fill(seed);
        lanczos.restart(smallest_first(b.used, width + (room - width) / 3));
        lanczos.basis.find_residuals(q);
        for (std::size_t j = 0; j < others.size(); ++j) others[j] = std::max(0.0, b.theta[j]);
        const double sum = std::accumulate(others.begin(), others.end(), 0.0);
        found.error = error_of_sum(std::span(b.theta).first(width), b.norms, others.size());
        if (history.has_ended(sum, found.error, std::max(tolerance * std::max(sum, least_sum), allowed)) || closed)
            return found;
    }
}

}  // namespace fairstream
