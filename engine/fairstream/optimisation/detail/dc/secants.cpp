#include <fairstream/optimisation/detail/dc/secants.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fairstream::dc {
namespace {

double product(const Vector& a, const double* b) {
    return std::inner_product(a.begin(), a.end(), b, 0.0);
}

void add_multiple(const Vector& of, double by, double* out) {
    for (std::size_t j = 0; j < of.size(); ++j) out[j] += by * of(j);
}

}  // namespace

void Secants::note(std::span<const double> v, const Gradients& gradients, std::span<const double> multipliers) {
    constexpr std::size_t most = 10;
    // Along a step on which a function has negative curvature, or across a kink, there is no curvature to match.
    constexpr double least = 1e-8;
    if (v_.size() == v.size() && gradients_.constraints.rows == gradients.constraints.rows) {
        Pair pair{array(v) - array(v_), array(gradients.objective) - array(gradients_.objective), 0};
        for (std::size_t i = 0; i < multipliers.size(); ++i)
            for (std::size_t j = 0; multipliers[i] > 0 && j < v.size(); ++j)
                pair.change(j) += multipliers[i] * (gradients.constraints.at(i, j) - gradients_.constraints.at(i, j));
        pair.bend = dot(pair.step, pair.change);
        if (pair.bend > least * std::sqrt(dot(pair.step, pair.step) * dot(pair.change, pair.change))) {
            if (pairs_.size() == most) pairs_.erase(pairs_.begin());
            pairs_.push_back(std::move(pair));
        }
    }
    v_.assign(v.begin(), v.end());
    gradients_ = gradients;
}

// With s a step, y the change of the gradient along it and b = s'y: H^-1 = (I - s y' / b) G (I - y s' / b) + s s' / b,
// where G is the inverse without this pair. So x'H^-1 z is the product by G of the reduced x and z, plus (s'x)(s'z) /
// b.
void Secants::forward(const CurvatureFactors& estimate, Matrix& rows) const {
    if (pairs_.empty()) return estimate.forward(rows);
    const std::size_t n = rows.cols;
    Matrix longer(rows.rows, n + pairs_.size());
    for (std::size_t r = 0; r < rows.rows; ++r)
        for (std::size_t i = pairs_.size(); i-- > 0;) {
            const Pair& pair = pairs_[i];
            const double along = product(pair.step, rows.row(r));
            add_multiple(pair.change, -along / pair.bend, rows.row(r));
            longer.at(r, n + i) = along / std::sqrt(pair.bend);
        }
    estimate.forward(rows);
    for (std::size_t r = 0; r < rows.rows; ++r) std::copy_n(rows.row(r), n, longer.row(r));
    rows = std::move(longer);
}

void Secants::backward(const CurvatureFactors& estimate, Vector& x) const {
    if (pairs_.empty()) return estimate.backward(x);
    const std::size_t n = x.size() - pairs_.size();
    Vector found = Vector::from_shape({n});
    std::copy_n(x.begin(), n, found.begin());
    estimate.backward(found);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const Pair& pair = pairs_[i];
        const double by = x(n + i) / std::sqrt(pair.bend) - product(pair.change, found.data()) / pair.bend;
        add_multiple(pair.step, by, found.data());
    }
    x = std::move(found);
}

}  // namespace fairstream::dc
