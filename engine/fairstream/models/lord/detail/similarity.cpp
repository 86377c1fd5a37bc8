#include <fairstream/models/lord/detail/similarity.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/eigen/eigenvalue_search.hpp>
#include <fairstream/numeric/detail/eigen/extreme_eigenvalues.hpp>
#include <fairstream/numeric/detail/eigen/lobpcg.hpp>
#include <fairstream/numeric/detail/eigen/smallest_eigenvalues.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::lord {
namespace {

// Tolerances of eigenvalues, relative to the width of the spectrum (the error of gamma) and to their sum (the error of
// b).
constexpr double spread_tolerance = 1e-4, sum_tolerance = 1e-3;
// Error of b that changes tau by a thousandth, because the exponent of tau has the term 50 b.
constexpr double tolerance_of_b = 2e-5;

void scale_each(std::span<const double> factors, double by, Matrix& x) {
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const double factor = factors.empty() ? by : by * factors[i];
            for (std::size_t j = 0; j < x.cols; ++j) x.at(i, j) *= factor;
        }
    });
}

}  // namespace

Similarity::Similarity(const Affinity& affinity, std::span<const double> weights)
    : affinity_(affinity), weights_(weights) {
    for (const double weight : weights) inverse_roots_.push_back(1 / std::sqrt(weight));
    const double all = std::accumulate(affinity.degrees().begin(), affinity.degrees().end(), 0.0);
    scale_ = all > 0 ? 1 / all : 0;
}

void Similarity::multiply(const Matrix& x, Matrix& out) {
    if (inverse_roots_.empty()) {
        affinity_.multiply(x, out);
        return scale_each({}, scale_, out);
    }
    Matrix scaled = x;
    scale_each(inverse_roots_, 1, scaled);
    affinity_.multiply(scaled, out);
    scale_each(inverse_roots_, scale_, out);
}

void Similarity::gradient(const Matrix& v, Matrix& out) const {
    affinity_.multiply(v, out);
    if (weights_.empty()) return scale_each({}, scale_, out);
    for_row_blocks(out.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < out.cols; ++j) out.at(i, j) *= scale_ / weights_[i];
    });
}

double Similarity::squared_norm() const {
    std::vector<double> sums(rows(), 0.0);
    for_row_blocks(rows(), [&](std::size_t first, std::size_t last) {
        AffinityRow row;
        for (std::size_t i = first; i < last; ++i) {
            affinity_.copy_row(static_cast<Slot>(i), row);
            for (std::size_t e = 0; e < row.at.size(); ++e) {
                const double weight = static_cast<double>(row.weights[e]);
                // A weighted point stands for equal points, whose affinities to each other are 1. Its own entry is the
                // sum of these affinities, which is also the sum of their squares.
                const bool own = !weights_.empty() && row.at[e] == i;
                sums[i] += own ? weight : weight * weight / (weights_.empty() ? 1 : weights_[i] * weights_[row.at[e]]);
            }
        }
    });
    return scale_ * scale_ * std::accumulate(sums.begin(), sums.end(), 0.0);
}

Spread spread_of(Similarity& similarity, std::uint64_t seed) {
    const ExtremeEigenvalues found = extreme_eigenvalues(similarity, spread_tolerance, seed);
    Spread spread{std::min(found.smallest, 0.0), std::max(found.largest, 0.0)};
    // The affinity of equal points is 1: their differences are eigenvectors with eigenvalue -1 before scaling.
    if (std::ranges::any_of(similarity.weights(), [](double w) { return w > 1; }))
        spread.smallest = std::min(spread.smallest, -similarity.scale());
    return spread;
}

namespace {

// Returns b: the sum of the k smallest eigenvalues of the Laplacian over its trace. With unequal weights, uses the
// eigenvalues of points of the mean weight: b is at most k / n, and has little effect.
double bottom_share(const Similarity& similarity, std::size_t k, std::uint64_t seed) {
    const Affinity& affinity = similarity.affinity();
    LaplacianOperator laplacian(affinity);
    const double trace = std::accumulate(affinity.degrees().begin(), affinity.degrees().end(), 0.0);
    if (!(trace > 0)) return 0;
    const std::span<const double> weights = similarity.weights();
    const double mean =
        weights.empty() ? 1
                        : std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    const double whole = mean * trace;
    const SmallestEigenvalues found =
        smallest_eigenvalues(laplacian, std::min(k, affinity.rows()), sum_tolerance, seed, tolerance_of_b * whole);
    return std::accumulate(found.values.begin(), found.values.end(), 0.0) / whole;
}

}  // namespace

double chosen_tau(const Options& options, const Similarity& similarity, double mass, std::uint64_t seed) {
    if (options.tau >= 0) return options.tau;
    if (options.tau == tau1) return std::min(2 * std::pow(mass, -0.24), 1.0);
    const double b = bottom_share(similarity, static_cast<std::size_t>(options.clusters), seed);
    return std::min(0.34 * std::exp(50 * b - 0.03 * std::log(mass)), 1.0);
}

namespace {

// S restricted to the complement of the level direction, a unit vector of length n; 0 on that direction.
class ApartFromLevel final : public SymmetricOperator {
public:
    ApartFromLevel(SymmetricOperator& s, const Matrix& level) : s_(s), level_(level) {}
    [[nodiscard]] std::size_t rows() const noexcept override { return s_.rows(); }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return s_.prefers_wide_blocks(); }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return s_.positive_semidefinite(); }

private:
    void multiply(const Matrix& x, Matrix& out) override {
        Matrix apart = x;
        project(apart);
        s_.apply(apart, out);
        project(out);
    }
    void project(Matrix& x) const {
        std::vector<double> along(x.cols);
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t j = 0; j < x.cols; ++j) along[j] += level_.at(i, 0) * x.at(i, j);
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t j = 0; j < x.cols; ++j) x.at(i, j) -= along[j] * level_.at(i, 0);
    }

    SymmetricOperator& s_;
    const Matrix& level_;
};

Matrix level_direction(const Similarity& similarity) {
    const std::span<const double> weights = similarity.weights();
    const std::size_t n = similarity.rows();
    const double mass = weights.empty() ? static_cast<double>(n) : std::accumulate(weights.begin(), weights.end(), 0.0);
    Matrix level(n, 1);
    for (std::size_t i = 0; i < n; ++i) level.at(i, 0) = std::sqrt((weights.empty() ? 1 : weights[i]) / mass);
    return level;
}

// Returns the `count` largest eigenvalues of S on the complement of the level direction, none above the exact one.
std::vector<double> largest_apart(Similarity& similarity, std::size_t count, double allowed, std::uint64_t seed) {
    // Further columns, so that no value further inside the spectrum takes the place of a missed one.
    constexpr std::size_t guards = 4;
    constexpr int most_iterations = 100;
    const Matrix level = level_direction(similarity);
    const std::size_t n = similarity.rows();
    if (n <= most_dense_rows) {
        ApartFromLevel apart(similarity, level);
        std::vector<double> values = dense_spectrum(apart).values;
        values.resize(count);
        return values;
    }
    Lobpcg search(similarity, level, count + guards, {}, seed);
    for (int i = 0; i < most_iterations; ++i) {
        check_interrupted();
        search.basis.find_residuals(level);
        const std::span<const double> norms = std::span(search.basis.norms).first(count);
        if (std::ranges::max(norms) <= allowed || !search.expand(allowed)) break;
        search.improve();
    }
    return {search.basis.theta.begin(), search.basis.theta.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

double parting_tau(Similarity& similarity, const Spread& spread, std::size_t k, std::uint64_t seed) {
    constexpr double tolerance = 0.01;  // relative to the width of the spectrum
    if (k < 2 || similarity.rows() <= k || !(spread.width() > 0)) return 0;
    const double lambda = largest_apart(similarity, k - 1, tolerance * spread.width(), seed).back();
    return std::clamp((spread.largest - lambda) / spread.width(), 0.0, 1.0);
}

}  // namespace fairstream::lord
