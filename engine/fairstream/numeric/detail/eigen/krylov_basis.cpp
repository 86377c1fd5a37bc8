#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>

#include <utility>

#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

void KrylovBasis::append(SymmetricOperator& a, const Matrix& w) {
    a.apply(w, scratch_);
    copy(w, {s, used, w.cols});
    copy(scratch_, {as, used, w.cols});
    used += w.cols;
}

void KrylovBasis::multiply_by(const Matrix& c) {
    for (Matrix* basis : {&s, &as}) {
        scratch_.reshape(basis->rows, c.cols);
        multiply({*basis, 0, c.rows}, c, scratch_);
        copy(scratch_, {*basis, 0, c.cols});
    }
    used = c.cols;
}

void KrylovBasis::find_residuals(const Matrix& q) {
    residual.reshape(s.rows, width);
    for_row_blocks(s.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < width; ++j) residual.at(i, j) = as.at(i, j) - s.at(i, j) * theta[j];
    });
    project_out(q, residual);
    norms = column_squares(residual);
    array(norms) = xt::sqrt(array(norms));
}

Matrix orthonormal_start(const Matrix& q, Matrix x, std::size_t n, std::size_t width, std::uint64_t seed) {
    if (x.rows != n) x = Matrix(n, 0);
    Random random(seed);
    x = new_directions({q}, std::move(x));
    if (x.cols > width) x = columns(x, 0, width);
    while (x.cols < width) {
        Matrix more(n, width - x.cols);
        // A sum of uniform numbers; any distribution without a preferred direction in this basis would do.
        for (double& value : more.values) value = random.unit() + random.unit() + random.unit() - 1.5;
        more = new_directions({q, x}, std::move(more));
        x = joined_columns(x, more);
    }
    return x;
}

}  // namespace fairstream
