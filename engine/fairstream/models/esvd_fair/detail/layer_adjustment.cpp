#include <fairstream/models/esvd_fair/layer_adjustment.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>

#include <fairstream/models/esvd_fair/detail/schatten.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/falling_root.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::esvd_fair {
namespace {

// Eigenvalues below this share of the largest are rounding errors.
constexpr double rounding = 1e-13;

// Returns tr(X A Xᵀ).
double quadratic(const Matrix& x, const Matrix& a) {
    const Matrix xa = product(x, a);
    double sum = 0;
    for (std::size_t e = 0; e < x.values.size(); ++e) sum += x.values[e] * xa.values[e];
    return sum;
}

Matrix difference(const Matrix& a, const Matrix& b) {
    Matrix out = a;
    for (std::size_t e = 0; e < out.values.size(); ++e) out.values[e] -= b.values[e];
    return out;
}

// Returns the mean of x xᵀ over all rows.
Matrix second_moment(const InputMoments& inputs) {
    Matrix out = inputs.covariance;
    for (std::size_t i = 0; i < out.rows; ++i)
        for (std::size_t j = 0; j < out.cols; ++j) out.at(i, j) += inputs.mean[i] * inputs.mean[j];
    return out;
}

Adjustment unchanged(const Matrix& weights) {
    return {weights, std::vector<double>(weights.rows, 0.0)};
}

// Returns the adjustment to new weights, with its bias shift and change.
Adjustment adjusted(const Matrix& before, Matrix after, double multiplier, const InputMoments& inputs, Form form) {
    Adjustment out = unchanged(before);
    const Matrix gap = difference(after, before);
    if (form == Form::optimal)
        for (std::size_t i = 0; i < gap.rows; ++i)
            for (std::size_t j = 0; j < gap.cols; ++j) out.bias_shift[i] -= gap.at(i, j) * inputs.mean[j];
    out.change = quadratic(gap, form == Form::optimal ? inputs.covariance : second_moment(inputs));
    out.weights = std::move(after);
    out.multiplier = multiplier;
    return out;
}

// Coordinates Z = W L V in which the change of the outputs is |Z' - Z|^2, with L Lᵀ the covariance. A matrix N of gaps
// is diagonal in them, with D the eigenvalues of L^-1 N L^-T.
struct Coordinates {
    Coordinates(const InputMoments& inputs, const Matrix& gaps) {
        // Raises the ridge if rounding errors are larger: inputs may vary very little relative to their means.
        constexpr int raises = 12;
        constexpr double raise = 10;
        Matrix lower;
        double ridge = covariance_ridge;
        for (int tries = 0; tries < raises && !factor.positive_definite(); ++tries, ridge *= raise) {
            lower = regular(inputs.covariance, ridge);
            factor = Cholesky(lower);
        }
        if (!factor.positive_definite())
            throw InvalidInput(Reason::bad_feature, "the covariance of a layer's inputs is not finite");
        Matrix half = gaps;
        factor.forward(half);  // N L^-T
        half = transposed(half);
        factor.forward(half);
        Spectrum spectrum = symmetric_spectrum(half);
        turn = std::move(spectrum.vectors);
        sizes = std::move(spectrum.values);
        const double least = sizes.empty() ? 0 : rounding * std::max(sizes.front(), 0.0);
        for (double& size : sizes) size = size > least ? size : 0;
        factor.forward(lower);  // A L^-T = L
        into = product(lower, turn);
    }
    [[nodiscard]] Matrix of(const Matrix& weights) const { return product(weights, into); }
    // Returns the weights with these coordinates.
    [[nodiscard]] Matrix weights_of(const Matrix& coordinates) const {
        Matrix out = product(coordinates, transposed(turn));
        factor.backward(out);
        return out;
    }

    Cholesky factor;
    Matrix turn, into;          // V and L V, p x p
    std::vector<double> sizes;  // D, largest first; 0 for rounding errors

private:
    static Matrix regular(const Matrix& covariance, double ridge) {
        Matrix out = covariance;
        double mean = 0;
        for (std::size_t i = 0; i < out.rows; ++i) mean += out.at(i, i) / static_cast<double>(out.rows);
        for (std::size_t i = 0; i < out.rows; ++i) out.at(i, i) += mean > 0 ? ridge * mean : 1;
        return out;
    }
};

// S with N = S Sᵀ, and its inverse or pseudo-inverse.
struct Root {
    Matrix root;     // p x r
    Matrix inverse;  // r x p
};

Root root_by_spectrum(const Matrix& gaps) {
    const Spectrum spectrum = symmetric_spectrum(gaps);
    std::vector<std::size_t> kept;
    std::vector<double> roots, inverse;
    for (std::size_t j = 0; j < spectrum.values.size(); ++j)
        if (spectrum.values[j] > rounding * spectrum.values[0]) {
            kept.push_back(j);
            roots.push_back(std::sqrt(spectrum.values[j]));
            inverse.push_back(1 / roots.back());
        }
    const Matrix q = columns(spectrum.vectors, kept);
    return {scaled_columns(q, roots), transposed(scaled_columns(q, inverse))};
}

Root root_of_means(const InputMoments& inputs) {
    const Cholesky factor(inputs.mean_gaps);
    // Rounding errors may exceed epsilon.
    if (!factor.positive_definite()) return root_by_spectrum(inputs.mean_gaps);
    Root out{inputs.mean_gaps, Matrix(inputs.mean_gaps.rows, inputs.mean_gaps.rows)};
    factor.forward(out.root);
    for (std::size_t i = 0; i < out.inverse.rows; ++i) out.inverse.at(i, i) = 1;
    factor.backward(out.inverse);  // S^-T e, a row of S^-1
    return out;
}

// Returns a singular value shrunk by (13).
double shrunk_by_mean(double size, double price, double gamma) {
    return size * price / (price + gamma);
}

// Returns the s in [0, size] with price (s - size) + 2 gamma s^3 = 0, by Newton's method from above, where the left
// side is convex and increasing.
double shrunk_by_spread(double size, double price, double gamma) {
    if (price <= 0) return 0;
    double s = size;
    for (int round = 0; round < 200; ++round) {
        const double value = price * (s - size) + 2 * gamma * s * s * s;
        const double next = s - value / (price + 6 * gamma * s * s);
        if (!(next < s)) break;
        s = next;
    }
    return s;
}

// Shrinks the singular values of W S so that the sum of their powers equals the limit. With W S = U diag(values) Vᵀ,
// the i-th value becomes `shrink(value, k_i, gamma)`, k_i = R_i A R_iᵀ, where R = Vᵀ S^-1 and A is the second moment of
// the inputs.
Adjustment shrunk_in_family(const Matrix& weights, const Root& root, const InputMoments& inputs, double limit,
                            bool fourth_powers, double (*shrink)(double size, double price, double gamma)) {
    const Svd svd = singular_values(product(weights, root.root));
    const Matrix rows = product(transposed(svd.right), root.inverse), products = product(rows, second_moment(inputs));
    std::vector<double> prices;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        double price = 0;
        for (std::size_t j = 0; j < rows.cols; ++j) price += rows.at(i, j) * products.at(i, j);
        prices.push_back(std::max(price, 0.0));
    }
    const double gamma = falling_root(
        [&](double tried) {
            double sum = 0;
            for (std::size_t i = 0; i < prices.size(); ++i) {
                const double value = shrink(svd.values[i], prices[i], tried), square = value * value;
                sum += fourth_powers ? square * square : square;
            }
            return sum;
        },
        limit);
    std::vector<double> changes;
    for (std::size_t i = 0; i < prices.size(); ++i)
        changes.push_back(shrink(svd.values[i], prices[i], gamma) - svd.values[i]);
    Matrix out = product(scaled_columns(svd.left, changes), rows);
    for (std::size_t e = 0; e < out.values.size(); ++e) out.values[e] += weights.values[e];
    return adjusted(weights, std::move(out), gamma, inputs, Form::paper);
}

}  // namespace

InputMoments input_moments(const GroupMoments& groups, double epsilon, bool with_spreads) {
    const std::size_t p = groups.dimensions();
    const Moments all = groups.pooled();
    InputMoments out{all.mean, all.covariance(), Matrix(p, p), {}};
    std::vector<std::size_t> there;
    for (std::size_t g = 0; g < groups.groups(); ++g)
        if (groups.of(g).mass > 0) there.push_back(g);
    const auto count = static_cast<double>(there.size());
    std::vector<double> mean(p, 0.0);
    for (const std::size_t g : there)
        for (std::size_t j = 0; j < p; ++j) mean[j] += groups.of(g).mean[j] / count;
    for (std::size_t i = 0; i < p; ++i) {
        for (const std::size_t g : there)
            for (std::size_t j = 0; j < p; ++j)
                out.mean_gaps.at(i, j) += count * (groups.of(g).mean[i] - mean[i]) * (groups.of(g).mean[j] - mean[j]);
        out.mean_gaps.at(i, i) += epsilon;
    }
    if (!with_spreads) return out;
    out.spread_gaps = Matrix(p, p);
    Matrix covariance(p, p);
    std::vector<Matrix> covariances;
    for (const std::size_t g : there) {
        covariances.push_back(groups.of(g).covariance());
        for (std::size_t e = 0; e < p * p; ++e) covariance.values[e] += covariances.back().values[e] / count;
    }
    // With two groups, both gaps differ only in sign.
    const std::size_t distinct = there.size() == 2 ? 1 : there.size();
    for (std::size_t k = 0; k < distinct; ++k) {
        const Matrix size =
            symmetric_function(difference(covariances[k], covariance), [](double x) { return std::abs(x); });
        for (std::size_t e = 0; e < p * p; ++e)
            out.spread_gaps.values[e] += (there.size() == 2 ? 2 : 1) * size.values[e];
    }
    return out;
}

double mean_gap(const Matrix& weights, const InputMoments& inputs) {
    return quadratic(weights, inputs.mean_gaps);
}

double spread_gap(const Matrix& weights, const InputMoments& inputs) {
    return squared_norm(product(product(weights, inputs.spread_gaps), transposed(weights)));
}

// The decomposition of N that the form needs: coordinates, or a root.
class Equaliser::Bases {
public:
    Bases(const InputMoments& inputs, const Matrix& gaps, Form form, bool spreads) {
        if (form == Form::optimal)
            coordinates.emplace(inputs, gaps);
        else
            root = spreads ? root_by_spectrum(inputs.spread_gaps) : root_of_means(inputs);
    }
    std::optional<Coordinates> coordinates;
    Root root;
};

Equaliser::Equaliser(InputMoments inputs, Form form)
    : inputs_(std::move(inputs)),
      form_(form),
      means_(std::make_unique<Bases>(inputs_, inputs_.mean_gaps, form, false)),
      spreads_(inputs_.spread_gaps.rows == 0 ? nullptr
                                             : std::make_unique<Bases>(inputs_, inputs_.spread_gaps, form, true)) {}
Equaliser::~Equaliser() = default;
Equaliser::Equaliser(Equaliser&&) noexcept = default;
Equaliser& Equaliser::operator=(Equaliser&&) noexcept = default;

// Minimises |Z' - Z|^2 subject to sum_j d_j |z'_j|^2 = limit: z'_j = z_j / (1 + gamma d_j).
Adjustment Equaliser::means(const Matrix& weights, double limit) const {
    assert(limit > 0);
    if (mean_gap(weights, inputs_) <= limit) return unchanged(weights);
    if (form_ == Form::paper) return shrunk_in_family(weights, means_->root, inputs_, limit, false, shrunk_by_mean);
    const Coordinates& at = *means_->coordinates;
    const Matrix z = at.of(weights);
    const std::vector<double> squares = column_squares(z);
    const double gamma = falling_root(
        [&](double tried) {
            double sum = 0;
            for (std::size_t j = 0; j < squares.size(); ++j) {
                const double factor = 1 / (1 + tried * at.sizes[j]);
                sum += at.sizes[j] * squares[j] * factor * factor;
            }
            return sum;
        },
        limit);
    std::vector<double> factors;
    for (const double size : at.sizes) factors.push_back(1 / (1 + gamma * size));
    return adjusted(weights, at.weights_of(scaled_columns(z, factors)), gamma, inputs_, form_);
}

Adjustment Equaliser::spreads(const Matrix& weights, double limit) const {
    assert(limit > 0 && spreads_);
    if (spread_gap(weights, inputs_) <= limit) return unchanged(weights);
    if (form_ == Form::paper) return shrunk_in_family(weights, spreads_->root, inputs_, limit, true, shrunk_by_spread);
    const Coordinates& at = *spreads_->coordinates;
    Matrix z = at.of(weights);
    const auto active = static_cast<std::size_t>(std::ranges::count_if(at.sizes, [](double d) { return d > 0; }));
    const Shrunk near = shrink_to_schatten(columns(z, 0, active), std::span(at.sizes).first(active), limit);
    copy(near.z, {z, 0, active});
    return adjusted(weights, at.weights_of(z), near.multiplier, inputs_, form_);
}

}  // namespace fairstream::esvd_fair
