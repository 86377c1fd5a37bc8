#pragma once
/// The dual of the H-step of ADMM.

#include <functional>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// Sets out = M x.
using Operator = std::function<void(const Matrix& x, Matrix& out)>;

/// Minimises phi*(V) - ||M V||_* over V (Propositions 3.2 and 3.3 of Tonin et al.), with phi*(V) = ||V - B||^2 / (2 (1
/// - alpha)) and B = alpha Y - P. Runs L-BFGS from `v` until the gradient is below 1e-3 of V or the value falls by less
/// than 1e-4 of itself. Each evaluation takes two products with M.
void minimise_dual(const Operator& m, const Matrix& b, double alpha, Matrix& v);

}  // namespace fairstream
