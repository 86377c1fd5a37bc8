#pragma once
/// Pairs of strongly convex quadratics for SA2GD, with all theoretical quantities in closed form.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fairstream/optimisation/sa2gd.hpp>

namespace fairstream::test {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

template <class F> [[nodiscard]] Vector vector_of(F&& at) {
    return {at(0), at(1), at(2)};
}
template <class F> [[nodiscard]] Matrix matrix_of(F&& at) {
    const auto row = [&](std::size_t i) { return vector_of([&](std::size_t j) { return at(i, j); }); };
    return {row(0), row(1), row(2)};
}
[[nodiscard]] inline double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
[[nodiscard]] inline Vector minus(const Vector& a, const Vector& b) {
    return vector_of([&](std::size_t i) { return a[i] - b[i]; });
}
[[nodiscard]] inline Vector times(const Matrix& m, const Vector& v) {
    return vector_of([&](std::size_t i) { return dot(m[i], v); });
}
[[nodiscard]] inline Matrix times(const Matrix& a, const Matrix& b) {
    return matrix_of(
        [&](std::size_t i, std::size_t j) { return a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]; });
}
[[nodiscard]] inline double trace(const Matrix& m) {
    return m[0][0] + m[1][1] + m[2][2];
}
[[nodiscard]] inline double length(const Vector& v) {
    return std::sqrt(dot(v, v));
}
[[nodiscard]] inline Vector at(std::span<const double> x) {
    return {x[0], x[1], x[2]};
}
[[nodiscard]] inline double determinant(const Vector& a, const Vector& b, const Vector& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}
/// The solution of m x = v for a symmetric m, by Cramer's rule.
[[nodiscard]] inline Vector solve(const Matrix& m, const Vector& v) {
    const double whole = determinant(m[0], m[1], m[2]);
    return {determinant(v, m[1], m[2]) / whole, determinant(m[0], v, m[2]) / whole, determinant(m[0], m[1], v) / whole};
}

/// The symmetric matrix with these eigenvalues whose eigenvectors are the axes, mirrored at the plane normal to v.
[[nodiscard]] inline Matrix symmetric(const Vector& eigenvalues, const Vector& v) {
    const Matrix mirror = matrix_of([&](std::size_t i, std::size_t j) {
        return (i == j ? 1.0 : 0.0) - (dot(v, v) == 0 ? 0 : 2 * v[i] * v[j] / dot(v, v));
    });
    const Matrix scaled = matrix_of([&](std::size_t i, std::size_t j) { return eigenvalues[i] * mirror[i][j]; });
    return times(mirror, scaled);
}

/// f(x) = (x - centre)' H (x - centre) / 2.
struct Quadratic {
    Matrix hessian;
    Vector centre;
    double noise = 0;  ///< each coordinate of a drawn gradient is off by an independent uniform in [-noise, noise]

    [[nodiscard]] Vector gradient(const Vector& x) const { return times(hessian, minus(x, centre)); }
    /// Variance of a coordinate of a drawn gradient.
    [[nodiscard]] double variance() const { return noise * noise / 3; }
    [[nodiscard]] sa2gd::Gradient drawn() const {
        return [this](std::span<const double> x, Draws& draws, std::span<double> out) {
            const Vector exact = gradient(at(x));
            for (std::size_t i = 0; i < 3; ++i) out[i] = exact[i] + noise * (2 * draws.unit() - 1);
        };
    }
};

/// Two of them, whose Hessians have their eigenvalues in [c, lipschitz].
struct QuadraticPair {
    Quadratic a, b;
    double c, lipschitz;

    [[nodiscard]] Matrix hessian(double lambda) const {
        return matrix_of(
            [&](std::size_t i, std::size_t j) { return lambda * a.hessian[i][j] + (1 - lambda) * b.hessian[i][j]; });
    }
    /// x_*: the one x where lambda H_a (x - centre_a) + (1 - lambda) H_b (x - centre_b) = 0.
    [[nodiscard]] Vector minimiser(double lambda) const {
        const Vector of_a = times(a.hessian, a.centre), of_b = times(b.hessian, b.centre);
        return solve(hessian(lambda),
                     vector_of([&](std::size_t i) { return lambda * of_a[i] + (1 - lambda) * of_b[i]; }));
    }
};

/// The exact mean and covariance of an iterate over all draws: a step x <- x - alpha (grad f(x) + noise) is linear.
struct Moments {
    Vector mean;
    Matrix covariance{};

    void step(const Quadratic& f, double alpha) {
        const Vector g = f.gradient(mean);
        mean = vector_of([&](std::size_t i) { return mean[i] - alpha * g[i]; });
        const Matrix shrink =
            matrix_of([&](std::size_t i, std::size_t j) { return (i == j ? 1.0 : 0.0) - alpha * f.hessian[i][j]; });
        covariance = times(times(shrink, covariance), shrink);
        for (std::size_t i = 0; i < 3; ++i) covariance[i][i] += alpha * alpha * f.variance();
    }
    void iterate(const QuadraticPair& pair, const sa2gd::Options& options, double alpha) {
        for (std::int64_t r = 0; r < options.steps_a; ++r) step(pair.a, alpha);
        for (std::int64_t r = 0; r < options.steps_b; ++r) step(pair.b, alpha);
    }
};

/// S(x) - S(x_*), which is half of (x - x_*)' H (x - x_*).
class Gap {
public:
    Gap(const QuadraticPair& pair, double lambda)
        : minimiser_(pair.minimiser(lambda)), hessian_(pair.hessian(lambda)) {}

    [[nodiscard]] double of(const Vector& x) const {
        const Vector off = minus(x, minimiser_);
        return dot(off, times(hessian_, off)) / 2;
    }
    [[nodiscard]] double expected(const Moments& x) const {
        return of(x.mean) + trace(times(hessian_, x.covariance)) / 2;
    }
    /// Returns the standard deviation of the gap if x were Gaussian. Uniform noise gives less: its fourth moments are
    /// smaller.
    [[nodiscard]] double deviation(const Moments& x) const {
        const Matrix product = times(hessian_, x.covariance);
        const Vector pull = times(hessian_, minus(x.mean, minimiser_));
        return std::sqrt(trace(times(product, product)) / 2 + dot(pull, times(x.covariance, pull)));
    }

private:
    Vector minimiser_;
    Matrix hessian_;
};

/// alpha_t of Theorem 5.1.
[[nodiscard]] inline double theorem_step(const QuadraticPair& pair, const sa2gd::Options& options, std::int64_t t) {
    return 2 / (pair.c * static_cast<double>(t + 1) * static_cast<double>(options.steps_a + options.steps_b));
}

}  // namespace fairstream::test
