#include <fairstream/models/lord/detail/similarity.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/eigen/extreme_eigenvalues.hpp>
#include <fairstream/numeric/detail/eigen/smallest_eigenvalues.hpp>

namespace fairstream::lord {
namespace {

// Errors of eigenvalues beside the width of the spectrum, and beside their sum: gamma is as far off as the one, and b,
// at most k / n, as the other.
constexpr double spread_tolerance = 1e-4, sum_tolerance = 1e-3;

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
                // A point's own entry is a sum of ones, between the equal points that it stands for.
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
    // Equal points are joined by 1: their differences are eigenvectors of -1.
    if (std::ranges::any_of(similarity.weights(), [](double w) { return w > 1; }))
        spread.smallest = std::min(spread.smallest, -similarity.scale());
    return spread;
}

namespace {

// Returns b: the k smallest eigenvalues of the Laplacian over its trace. With weights that are not alike the
// eigenvalues are taken for those of points of their mean weight: b is at most k / n, and hardly counts.
double bottom_share(const Similarity& similarity, std::size_t k, std::uint64_t seed) {
    const Affinity& affinity = similarity.affinity();
    LaplacianOperator laplacian(affinity);
    const double trace = std::accumulate(affinity.degrees().begin(), affinity.degrees().end(), 0.0);
    if (!(trace > 0)) return 0;
    const SmallestEigenvalues found =
        smallest_eigenvalues(laplacian, std::min(k, affinity.rows()), sum_tolerance, seed);
    const std::span<const double> weights = similarity.weights();
    const double mean =
        weights.empty() ? 1
                        : std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    return std::accumulate(found.values.begin(), found.values.end(), 0.0) / (mean * trace);
}

}  // namespace

double chosen_tau(const Options& options, const Similarity& similarity, double mass, std::uint64_t seed) {
    if (options.tau >= 0) return options.tau;
    if (options.tau == tau1) return std::min(2 * std::pow(mass, -0.24), 1.0);
    const double b = bottom_share(similarity, static_cast<std::size_t>(options.clusters), seed);
    return std::min(0.34 * std::exp(50 * b - 0.03 * std::log(mass)), 1.0);
}

}  // namespace fairstream::lord
