#pragma once
/// The dual of the H-step of ADMM.

#include <functional>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// Sets out = M x.
using Operator = std::function<void(const Matrix& x, Matrix& out)>;

/// Minimises phi*(V) - ||M V||_* over V (Proposition 3.2 and 3.3 of Tonin et al.), phi*(V) = ||V - B||^2 / (2 (1 -
/// alpha)) with B = alpha Y - P, by L-BFGS from `v`, until the gradient is below 1e-3 of V or the value falls by less
/// than 1e-4 of itself. Each evaluation is two applications of M.
void minimise_dual(const Operator& m, const Matrix& b, double alpha, Matrix& v);

}  // namespace fairstream
