#pragma once
/// Recomputes the claim of `Outcome::converged` from the points and the state alone, using none of the models' own code
/// except `predict` and the scale of the scorer's features.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>

#include "support/marginal_set.hpp"

namespace fairstream::test {

/// Returns the smallest over the largest count of a group in any cluster, 0 for no points.
inline double least_balance(std::span<const ClusterId> labels, int clusters, const Window& window, int attribute) {
    const auto a = static_cast<std::uint32_t>(attribute);
    const std::size_t groups = window.format().attributes[a].groups.size();
    std::vector<double> counts(static_cast<std::size_t>(clusters) * groups, 0);
    for (Slot slot = 0; slot < labels.size(); ++slot)
        if (labels[slot] != no_cluster)
            counts[static_cast<std::size_t>(labels[slot]) * groups + window.group(slot, a)] += 1;
    double least = 1;
    for (auto row = counts.begin(); row != counts.end(); row += static_cast<std::ptrdiff_t>(groups)) {
        const auto [low, high] = std::minmax_element(row, row + static_cast<std::ptrdiff_t>(groups));
        least = std::min(least, *high > 0 ? *low / *high : 0);
    }
    return least;
}

using Columns = std::vector<std::vector<double>>;

inline double dot(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}
/// Removes the component along the orthonormal `basis` from x.
inline void project_out_of(const Columns& basis, std::vector<double>& x) {
    for (const std::vector<double>& b : basis) {
        const double along = dot(b, x);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] -= along * b[i];
    }
}

/// Returns ||P M H - H HᵀMH||_F / ||HᵀMH||_F for the embedding in the state: 0 at a solution of problem (5). M comes
/// from the radial affinity of bandwidth `sigma`; P projects onto the orthogonal complement of the attribute's groups.
/// Infinite unless the columns of H are orthonormal, and orthogonal to the groups' columns, to 1e-6.
inline double spectral_residual(const fair_spectral::State& state, std::size_t k, const Window& window, int attribute,
                                double sigma) {
    const std::size_t n = window.size(), d = window.dimensions();
    if (!state.started) return std::numeric_limits<double>::infinity();
    Columns m(n, std::vector<double>(n));
    std::vector<double> degree(n, 0);
    for (Slot i = 0; i < n; ++i)
        for (Slot j = 0; j < n; ++j) {
            double distance = 0;
            for (std::size_t f = 0; f < d; ++f) {
                const double difference = double{window.features(i)[f]} - double{window.features(j)[f]};
                distance += difference * difference;
            }
            m[i][j] = std::exp(-distance / (2 * sigma * sigma));
            degree[i] += m[i][j];
        }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) m[i][j] /= std::sqrt(degree[i] * degree[j]);
    const auto a = static_cast<std::uint32_t>(attribute);
    const std::size_t groups = window.format().attributes[a].groups.size();
    Columns fair;
    for (GroupId g = 0; g + 1U < groups; ++g) {
        double share = 0;
        for (Slot i = 0; i < n; ++i) share += (window.group(i, a) == g) / static_cast<double>(n);
        std::vector<double> column(n);
        for (Slot i = 0; i < n; ++i) column[i] = ((window.group(i, a) == g) - share) / std::sqrt(degree[i]);
        project_out_of(fair, column);
        const double norm = std::sqrt(dot(column, column));
        for (double& x : column) x /= norm;
        fair.push_back(std::move(column));
    }
    Columns h(k, std::vector<double>(n)), mh(k, std::vector<double>(n));
    for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t i = 0; i < n; ++i) h[c][i] = state.embedding.at(i, c) * std::sqrt(degree[i]);
        for (std::size_t i = 0; i < n; ++i) mh[c][i] = dot(m[i], h[c]);
    }
    double off = 0, theta = 0, residual = 0;
    for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t e = 0; e < k; ++e) off = std::max(off, std::abs(dot(h[c], h[e]) - (c == e ? 1.0 : 0.0)));
        for (const std::vector<double>& f : fair) off = std::max(off, std::abs(dot(h[c], f)));
        std::vector<double> rest = mh[c];
        project_out_of(fair, rest);
        for (std::size_t e = 0; e < k; ++e) {
            const double value = dot(h[e], mh[c]);
            theta += value * value;
            for (std::size_t i = 0; i < n; ++i) rest[i] -= value * h[e][i];
        }
        residual += dot(rest, rest);
    }
    return off > 1e-6 ? std::numeric_limits<double>::infinity() : std::sqrt(residual / theta);
}

/// Returns the affinities of a graph of nearest neighbours with self-tuning weights, for points that are all distinct.
inline Matrix neighbour_affinities(const Window& window) {
    const std::size_t n = window.size();
    Matrix distance(n, n);
    for (Slot i = 0; i < n; ++i)
        for (Slot j = 0; j < n; ++j)
            for (std::size_t f = 0; f < window.dimensions(); ++f)
                distance.at(i, j) += std::pow(double{window.features(i)[f]} - double{window.features(j)[f]}, 2);
    // By point: its neighbours by rising distance, after itself.
    std::vector<std::vector<std::size_t>> order(n, std::vector<std::size_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) order[i][j] = j;
        std::ranges::sort(order[i], {}, [&](std::size_t j) { return j == i ? -1 : distance.at(i, j); });
    }
    const std::size_t neighbours = static_cast<std::size_t>(std::log2(n)) + 1;
    const auto scale = [&](std::size_t i) {
        return std::sqrt(distance.at(i, order[i][std::min<std::size_t>(7, neighbours)]));
    };
    Matrix k(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t at = 1; at <= neighbours; ++at) {
            const std::size_t j = order[i][at];
            k.at(i, j) = k.at(j, i) = std::exp(-distance.at(i, j) / (scale(i) * scale(j)));
        }
    return k;
}

/// Returns ||P(V - G / L) - V|| / ||V||: 0 if the state's V solves (17) under level marginals in every group of the
/// attribute. G = 4 (VVᵀ - S) V is the gradient of ||S - VVᵀ||^2, L = 4 (3/n + ||S||), and P the projection onto these
/// marginals. Infinite unless V has them, to 1e-6.
inline double gradient_movement(const lord::State& state, std::size_t k, const Window& window, int attribute) {
    constexpr double nowhere = std::numeric_limits<double>::infinity();
    const std::size_t n = window.size();
    if (!state.started || state.v.rows != n || state.v.cols != k) return nowhere;
    MarginalSet set(equal_roots(k), n);
    for (Slot i = 0; i < n; ++i) set.blocks[i] = window.group(i, static_cast<std::uint32_t>(attribute));
    if (!(set.violation(state.v) <= 1e-6)) return nowhere;
    Matrix s = neighbour_affinities(window);
    double sum = 0, norm = 0;  // no eigenvalue is above the largest sum of a row
    for (const double value : s.values) sum += value;
    for (std::size_t i = 0; i < n; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < n; ++j) row += s.at(i, j) /= sum;
        norm = std::max(norm, row);
    }
    const Matrix rise = plain_product(s, state.v), along = plain_product(state.v, plain_gram(state.v, state.v));
    Matrix u = state.v;
    for (std::size_t at = 0; at < u.values.size(); ++at)
        u.values[at] += (rise.values[at] - along.values[at]) / (3 / static_cast<double>(n) + norm);
    const Matrix next = set.project_slowly(u, 1e-10);
    return std::sqrt(set.squared_distance(next, state.v) / set.inner(state.v, state.v));
}

/// Returns the mean logistic loss of the window's points by `predict`, plus the ridge on `own`, the weights of the
/// features as the sample scales them.
inline double logistic_loss(const partial_fair_scorer::Options& options, partial_fair_scorer::State state,
                            const Window& window, const partial_fair_scorer::Sample& sample,
                            const std::vector<double>& own) {
    state.weights = own;
    partial_fair_scorer::to_raw(options, sample, state.weights);
    std::vector<Score> scores(window.size());
    partial_fair_scorer::Model::predict(options, state, window.points().features, window.points().groups, scores);
    double loss = 0, squares = 0;
    for (Slot slot = 0; slot < window.size(); ++slot)
        loss += std::log1p(std::exp(window.target(slot) > 0 ? -scores[slot] : scores[slot])) / window.size();
    for (const double w : own) squares += w * w;
    return loss + options.ridge / 2 * squares;
}

/// Returns the length of that loss's gradient, by differences. Infinite while warming.
inline double loss_gradient(const partial_fair_scorer::Options& options, const partial_fair_scorer::State& state,
                            const Window& window) {
    if (!state.started) return std::numeric_limits<double>::infinity();
    const partial_fair_scorer::Sample sample(window.points(), window.dimensions(), window.attributes(),
                                             static_cast<std::size_t>(options.attribute), state.groups);
    std::vector<double> own = state.weights;
    partial_fair_scorer::from_raw(options, sample, own);
    double squares = 0;
    for (double& w : own) {
        constexpr double step = 1e-5;
        const double middle = w;
        w = middle + step;
        const double above = logistic_loss(options, state, window, sample, own);
        w = middle - step;
        const double below = logistic_loss(options, state, window, sample, own);
        w = middle;
        const double slope = (above - below) / (2 * step);
        squares += slope * slope;
    }
    return std::sqrt(squares);
}

}  // namespace fairstream::test
