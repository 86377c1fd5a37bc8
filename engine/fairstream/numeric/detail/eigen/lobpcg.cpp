#include <fairstream/numeric/detail/eigen/lobpcg.hpp>

#include <utility>
#include <vector>

#include <xtensor/xview.hpp>

#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream {

Lobpcg::Lobpcg(SymmetricOperator& matrix, const Matrix& orthogonal_to, std::size_t width, Matrix start,
               std::uint64_t seed)
    : a(matrix), q(orthogonal_to), basis(matrix.rows(), width, 3 * width) {
    basis.append(a, orthonormal_start(q, std::move(start), a.rows(), width, seed));
    const Spectrum ritz = symmetric_spectrum(gram(basis.all(), basis.all_products()));
    basis.multiply_by(ritz.vectors);
    basis.theta = ritz.values;
}

bool Lobpcg::expand(double small_enough_residual) {
    std::vector<std::size_t> active;
    for (std::size_t j = 0; j < basis.width; ++j)
        if (basis.norms[j] > small_enough_residual) active.push_back(j);
    const Matrix w = new_directions({q, basis.all()}, columns(basis.residual, active));
    if (w.cols > 0) basis.append(a, w);
    return w.cols > 0;
}

void Lobpcg::improve() {
    const Spectrum ritz = symmetric_spectrum(gram(basis.all(), basis.all_products()));
    const Matrix c = columns(ritz.vectors, 0, basis.width);
    Matrix way = c;
    xt::view(array(way), xt::range(0, basis.width), xt::all()) = 0;
    basis.multiply_by(joined_columns(c, new_directions({c}, std::move(way))));
    basis.theta.assign(ritz.values.begin(), ritz.values.begin() + static_cast<std::ptrdiff_t>(basis.width));
}

}  // namespace fairstream
