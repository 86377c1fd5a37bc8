#include <fairstream/numeric/detail/eigen/block_lanczos.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xview.hpp>

#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream {
namespace {

// Products after which a random block has shown its part in outlying eigenvalues.
constexpr int products_to_show = 20;
// Width of a random block that extends an invariant S.
constexpr std::size_t extending_block = 8;

}  // namespace

void BlockLanczos::start_block(std::size_t block, std::uint64_t seed) {
    const std::size_t columns_left = std::min(block, room() - basis.used);
    next = orthonormal_start(joined_columns(q, columns(basis.s, 0, basis.used)), {}, basis.s.rows, columns_left, seed);
    products_left = products_to_show;
}

void BlockLanczos::continue_from_residuals(std::size_t count, double small_enough_residual, std::size_t block) {
    std::vector<std::size_t> active;
    for (std::size_t j = 0; j < count && active.size() < block; ++j)
        if (basis.norms[j] > small_enough_residual) active.push_back(j);
    if (Matrix w = new_directions({q, basis.all()}, columns(basis.residual, active)); w.cols > 0) next = std::move(w);
}

void BlockLanczos::append_next() {
    const std::size_t first = basis.used, added = next.cols;
    --products_left;
    basis.append(a, next);
    const Matrix to_new = gram(basis.all(), {basis.as, first, added});
    xt::view(array(t), xt::range(0, basis.used), xt::range(first, basis.used)) = array(to_new);
    xt::view(array(t), xt::range(first, basis.used), xt::range(0, basis.used)) = xt::transpose(array(to_new));
    next = new_directions({q, basis.all()}, columns(basis.as, first, added));
}

bool BlockLanczos::fill(std::uint64_t seed) {
    for (;;) {
        while (next.cols > 0 && basis.used + next.cols <= room()) {
            check_interrupted();
            append_next();
        }
        if (next.cols > 0) return false;
        if (basis.used >= basis.width) return true;
        start_block(extending_block, seed + basis.used);
    }
}

void BlockLanczos::restart(std::span<const std::size_t> which) {
    Matrix square(basis.used, basis.used);
    array(square) = xt::view(array(t), xt::range(0, basis.used), xt::range(0, basis.used));
    const Spectrum ritz = symmetric_spectrum(square);
    basis.multiply_by(columns(ritz.vectors, which));
    basis.theta.clear();
    for (const std::size_t j : which) basis.theta.push_back(ritz.values[j]);
    xt::view(array(t), xt::range(0, basis.used), xt::range(0, basis.used)) = xt::diag(array(basis.theta));
}

}  // namespace fairstream
