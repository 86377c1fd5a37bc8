#include <fairstream/optimisation/detail/spectral/admm_dual.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include <lbfgs.h>

#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream {
namespace {

constexpr double least_decrease = 1e-4;  // relative decrease of the value per iteration

struct Dual {
    const Operator& m;
    const Matrix& b;
    double alpha;
    Matrix v, mv, polar, m_polar;
    std::exception_ptr failure;  // exceptions must not pass through the C library
    double least = std::numeric_limits<double>::infinity();

    // <MV, polar(MV)> is the nuclear norm of MV, and M polar(MV) is its gradient.
    double value_and_gradient(const double* at, double* gradient) {
        const std::size_t size = v.values.size();
        array(v.values) = array(std::span(at, size));
        m(v, mv);
        polar = mv;
        make_polar(polar);
        m(polar, m_polar);
        const Vector away = array(v.values) - array(b.values);
        array(std::span(gradient, size)) = away / (1 - alpha) - array(m_polar.values);
        return xt::sum(xt::square(away))() / (2 * (1 - alpha)) - xt::sum(array(mv) * array(polar))();
    }
};

lbfgsfloatval_t evaluate(void* instance, const lbfgsfloatval_t* at, lbfgsfloatval_t* gradient, int n, lbfgsfloatval_t) {
    auto& dual = *static_cast<Dual*>(instance);
    try {
        if (!dual.failure) return dual.value_and_gradient(at, gradient);
    } catch (...) {
        dual.failure = std::current_exception();
    }
    std::fill_n(gradient, n, 0.0);
    return 0;
}

// Returns whether L-BFGS must end. The library's own test treats any decrease of a negative value as small.
int follow(void* instance, const lbfgsfloatval_t*, const lbfgsfloatval_t*, lbfgsfloatval_t value, lbfgsfloatval_t,
           lbfgsfloatval_t, lbfgsfloatval_t, int, int, int) {
    auto& dual = *static_cast<Dual*>(instance);
    const double before = std::exchange(dual.least, value);
    return before - value < least_decrease * std::max(std::abs(value), 1.0) ? 1 : 0;
}

}  // namespace

void minimise_dual(const Operator& m, const Matrix& b, double alpha, Matrix& v) {
    Dual dual{m, b, alpha, Matrix(v.rows, v.cols), {}, {}, {}, nullptr, std::numeric_limits<double>::infinity()};
    lbfgs_parameter_t settings;
    lbfgs_parameter_init(&settings);
    settings.epsilon = 1e-3;
    settings.max_iterations = 200;
    // Values are copied to a vector of the library, which is aligned for SIMD loads.
    lbfgsfloatval_t* values = lbfgs_malloc(static_cast<int>(v.values.size()));
    if (values == nullptr) throw std::bad_alloc();
    std::ranges::copy(v.values, values);
    // Any return code is accepted, mostly that of a line search that ends early: the library leaves the best point so
    // far, which the caller judges.
    (void)lbfgs(static_cast<int>(v.values.size()), values, nullptr, evaluate, follow, &dual, &settings);
    std::copy_n(values, v.values.size(), v.values.begin());
    lbfgs_free(values);
    if (dual.failure) std::rethrow_exception(dual.failure);
}

}  // namespace fairstream
