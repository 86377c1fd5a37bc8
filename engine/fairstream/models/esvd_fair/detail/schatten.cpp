#include <fairstream/models/esvd_fair/detail/schatten.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/falling_root.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::esvd_fair {
namespace {

constexpr double tolerance = 1e-9;  // relative to the limit
constexpr int most_rounds = 60;
constexpr int most_gradients = 60;    // steps of conjugate gradients in a round
constexpr double least_kept = 1e-13;  // relative to the largest eigenvalue of P
// In one round no eigenvalue of R falls below this share of the smallest one. So none becomes negative; none is
// negative in the solution.
constexpr double least_part = 0.1;

double inner(const Matrix& a, const Matrix& b) {
    double sum = 0;
    for (std::size_t e = 0; e < a.values.size(); ++e) sum += a.values[e] * b.values[e];
    return sum;
}

void add(double factor, const Matrix& x, Matrix& to) {
    for (std::size_t e = 0; e < x.values.size(); ++e) to.values[e] += factor * x.values[e];
}

// Z and related matrices for R = U diag(rho) Uᵀ, all in the basis U.
class Point {
public:
    // Scales `rho`, of length 1, to the right length.
    Point(const Matrix& start, std::span<const double> sizes, std::vector<double> rho, double s)
        : sizes_(sizes), rho_(std::move(rho)) {
        const double t = falling_root(
            [&](double tried) {
                double sum = 0;
                for (std::size_t i = 0; i < start.rows; ++i) {
                    double row = 0;
                    for (std::size_t j = 0; j < start.cols; ++j) {
                        const double z = start.at(i, j) / (1 + tried * rho_[i] * sizes[j]);
                        row += sizes[j] * z * z;
                    }
                    sum += rho_[i] * row;
                }
                return sum;
            },
            s);
        for (double& value : rho_) value *= t;
        ratio_ = s / t;
        factors_ = Matrix(start.rows, start.cols);
        z_ = start;
        for (std::size_t i = 0; i < start.rows; ++i)
            for (std::size_t j = 0; j < start.cols; ++j) {
                factors_.at(i, j) = 1 / (1 + rho_[i] * sizes[j]);
                z_.at(i, j) *= factors_.at(i, j);
            }
        turned_ = transposed(z_);
        p_ = product(scaled_columns(z_, sizes), turned_);
    }

    [[nodiscard]] const Matrix& z() const { return z_; }
    [[nodiscard]] double norm() const { return std::sqrt(squared_norm(p_)); }
    [[nodiscard]] double ratio() const { return ratio_; }
    [[nodiscard]] double least() const { return *std::ranges::min_element(rho_); }

    // Returns an approximate Newton step of R: conjugate gradients end at `part` of the gradient.
    [[nodiscard]] Matrix step(double part) const {
        Matrix gradient = p_;
        for (std::size_t i = 0; i < rho_.size(); ++i) gradient.at(i, i) -= ratio_ * rho_[i];
        const Matrix preconditioner = diagonal_of_hessian();
        const auto divided = [&](Matrix x) {
            for (std::size_t e = 0; e < x.values.size(); ++e) x.values[e] /= preconditioner.values[e];
            return x;
        };
        const double enough = part * part * squared_norm(gradient);
        Matrix x(gradient.rows, gradient.cols), rest = gradient, direction = divided(rest), conditioned = direction;
        double along = inner(rest, conditioned);
        for (int k = 0; k < most_gradients && squared_norm(rest) > enough; ++k) {
            const Matrix image = hessian(direction);
            const double length = along / inner(direction, image);
            add(length, direction, x);
            add(-length, image, rest);
            conditioned = divided(rest);
            const double next = inner(rest, conditioned);
            for (std::size_t e = 0; e < direction.values.size(); ++e)
                direction.values[e] = conditioned.values[e] + next / along * direction.values[e];
            along = next;
        }
        for (std::size_t i = 0; i < rho_.size(); ++i) x.at(i, i) += rho_[i];
        return x;
    }

private:
    // Returns minus the derivative of P - ratio R along X.
    [[nodiscard]] Matrix hessian(const Matrix& x) const {
        Matrix change = product(x, z_);
        for (std::size_t i = 0; i < change.rows; ++i)
            for (std::size_t j = 0; j < change.cols; ++j) change.at(i, j) *= factors_.at(i, j) * sizes_[j] * sizes_[j];
        const Matrix half = product(change, turned_);
        Matrix out = x;
        for (std::size_t i = 0; i < out.rows; ++i)
            for (std::size_t j = 0; j < out.cols; ++j)
                out.at(i, j) = ratio_ * x.at(i, j) + half.at(i, j) + half.at(j, i);
        return out;
    }
    [[nodiscard]] Matrix diagonal_of_hessian() const {
        Matrix scaled = factors_, squares = turned_;
        for (std::size_t i = 0; i < scaled.rows; ++i)
            for (std::size_t j = 0; j < scaled.cols; ++j) scaled.at(i, j) *= sizes_[j] * sizes_[j];
        for (double& value : squares.values) value *= value;
        const Matrix q = product(scaled, squares);
        Matrix out(q.rows, q.cols);
        for (std::size_t i = 0; i < q.rows; ++i)
            for (std::size_t j = 0; j < q.cols; ++j) out.at(i, j) = ratio_ + q.at(i, j) + q.at(j, i);
        return out;
    }

    std::span<const double> sizes_;
    std::vector<double> rho_;
    double ratio_ = 0;             // s / ||R||_F
    Matrix factors_, z_, turned_;  // 1 / (1 + rho_i d_j), Z, Zᵀ
    Matrix p_;
};

std::vector<double> of_length_one(std::vector<double> values) {
    double square = 0;
    for (const double value : values) square += value * value;
    for (double& value : values) value /= std::sqrt(square);
    return values;
}

}  // namespace

Shrunk shrink_to_schatten(const Matrix& start, std::span<const double> sizes, double limit) {
    const double s = std::sqrt(limit);
    // Rows of Z_0 outside the range of P stay 0.
    const Spectrum first = symmetric_spectrum(product(scaled_columns(start, sizes), transposed(start)));
    std::size_t kept = 0;
    while (kept < first.values.size() && first.values[kept] > least_kept * first.values[0]) ++kept;
    Shrunk out{start, 0, 0};
    std::vector<double> rho(first.values.begin(), first.values.begin() + static_cast<std::ptrdiff_t>(kept));
    double norm = 0;
    for (const double value : rho) norm += value * value;
    if (norm <= limit) return out;
    Matrix basis = columns(first.vectors, 0, kept);  // m x kept, of the eigenvectors of R
    for (;;) {
        check_interrupted();
        const Matrix turned = product(transposed(basis), start);
        const Point at(turned, sizes, of_length_one(rho), s);
        ++out.rounds;
        const double excess = at.norm() / s - 1;
        if (excess <= tolerance / 4 || out.rounds == most_rounds) {
            // Shrinks by the remaining excess, so that the limit is met.
            const double factor = excess > 0 ? 1 / std::sqrt(1 + excess) : 1;
            out.z = product(basis, at.z());
            for (double& value : out.z.values) value *= factor;
            out.multiplier = 1 / (2 * at.ratio());
            return out;
        }
        const Spectrum next = symmetric_spectrum(at.step(std::min(0.1, std::sqrt(excess))));
        rho = next.values;
        for (double& value : rho) value = std::max(value, least_part * at.least());
        basis = product(basis, next.vectors);
    }
}

}  // namespace fairstream::esvd_fair
