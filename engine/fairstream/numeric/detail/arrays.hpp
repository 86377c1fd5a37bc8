#pragma once
/// Arrays for formulas: xtensor's, in double, row-major.
///
/// No public header includes this one, because a source takes two seconds longer to compile with xtensor. An expression
/// must be assigned to an array or a number in the statement that forms it, never kept by `auto`: its operands may be
/// gone.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

using Vector = xt::xtensor<double, 1>;

/// Borrow a matrix as an array of shape (rows, cols).
inline auto array(Matrix& x) {
    return xt::adapt(x.values.data(), x.values.size(), xt::no_ownership(), std::array<std::size_t, 2>{x.rows, x.cols});
}
inline auto array(const Matrix& x) {
    return xt::adapt(x.values.data(), x.values.size(), xt::no_ownership(), std::array<std::size_t, 2>{x.rows, x.cols});
}
/// Borrow values as an array of shape (size).
inline auto array(std::span<double> x) {
    return xt::adapt(x.data(), x.size(), xt::no_ownership(), std::array<std::size_t, 1>{x.size()});
}
inline auto array(std::span<const double> x) {
    return xt::adapt(x.data(), x.size(), xt::no_ownership(), std::array<std::size_t, 1>{x.size()});
}
inline auto array(std::vector<double>& x) {
    return array(std::span<double>(x));
}
inline auto array(const std::vector<double>& x) {
    return array(std::span<const double>(x));
}

}  // namespace fairstream
