#pragma once
/// Labelled points for the scorer's parts, scores written out term by term, and gradients by differences.

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>

#include "support/streams.hpp"

namespace fairstream::partial_fair_scorer::test {

using fairstream::test::normal;
using Vector = std::vector<double>;

/// n points of d features in `groups` groups with different means and rates of positives; one attribute. About one
/// feature in five is 0.
inline PointColumns random_points(std::size_t n, std::size_t d, std::uint32_t groups, std::uint64_t seed) {
    Random random(seed, 5);
    PointColumns points;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t group = random.below(groups);
        double margin = 0.4 * group - 0.3;
        for (std::size_t j = 0; j < d; ++j) {
            const float x = random.below(5) == 0 ? 0 : normal(random) + (j == 0 ? 0.7F * static_cast<float>(group) : 0);
            points.features.push_back(x);
            margin += static_cast<double>(x) * (j % 2 == 0 ? 0.8 : -0.5);
        }
        points.ids.push_back(i);
        points.groups.push_back(static_cast<GroupId>(group));
        points.targets.push_back(margin + static_cast<double>(normal(random)) > 0 ? 1.0F : -1.0F);
    }
    return points;
}

inline Sample sample_of(const PointColumns& points, std::size_t d, std::size_t groups) {
    return {points.view(), d, 1, 0, groups};
}
inline Sample random_sample(std::size_t n, std::size_t d, std::uint32_t groups, std::uint64_t seed) {
    return sample_of(random_points(n, d, groups, seed), d, groups);
}

/// Factor on the number of features; the new ones are all 0, so that a sample is stored without its zeros.
constexpr std::size_t padding = 6;
inline PointColumns padded(const PointColumns& points, std::size_t d) {
    PointColumns out = points;
    out.features.assign(points.ids.size() * d * padding, 0.0F);
    for (std::size_t i = 0; i < points.ids.size(); ++i)
        std::copy_n(points.features.data() + i * d, d, out.features.data() + i * d * padding);
    return out;
}

inline Vector random_vector(std::size_t n, std::uint64_t seed, double scale = 1) {
    Random random(seed, 6);
    Vector v(n);
    for (double& x : v) x = scale * static_cast<double>(normal(random));
    return v;
}

inline std::size_t group_of(const Sample& sample, std::size_t row) {
    std::size_t g = 0;
    while (row >= sample.group(g).last) ++g;
    return g;
}

inline float feature(const Sample& sample, std::size_t row, std::size_t j) {
    if (!sample.is_sparse()) return sample.features(row)[j];
    const auto columns = sample.columns(row);
    const auto at = std::ranges::find(columns, j);
    return at == columns.end() ? 0 : sample.entries(row)[at - columns.begin()];
}

/// The terms of a row: (1, z), where z are its features as the sample scales them; then for each group but the first
/// its indicator, or the indicator times (1, z).
inline Vector terms(const Sample& sample, std::size_t row, GroupTerms which) {
    Vector x{1};
    for (std::size_t j = 0; j < sample.dimensions(); ++j) x.push_back(sample.scale().z(j, feature(sample, row, j)));
    Vector z = x;
    if (which == GroupTerms::none) return z;
    for (std::size_t g = 1; g < sample.groups(); ++g)
        for (std::size_t j = 0; j < (which == GroupTerms::all ? x.size() : 1); ++j)
            z.push_back(group_of(sample, row) == g ? x[j] : 0);
    return z;
}

inline double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
}

/// h_w of a row, by the definition in the headers.
inline double plain_score(const Options& options, const Sample& sample, std::span<const double> w, std::size_t row) {
    const Vector z = terms(sample, row, options.group_terms);
    double h = dot(z, w);
    if (options.form == Form::linear) return h;
    const auto hidden = static_cast<std::size_t>(options.hidden);
    for (std::size_t j = 1; j <= hidden; ++j)
        h += w[(hidden + 1) * z.size() + j - 1] * std::tanh(dot(z, w.subspan(j * z.size(), z.size())));
    return h;
}

/// Writes out a curvature with all its zeros.
inline Matrix whole_of(const dc::Curvature& curvature) {
    Matrix out(curvature.variables(), curvature.variables());
    std::size_t first = 0;
    for (const Matrix& block : curvature.blocks) {
        for (std::size_t i = 0; i < block.rows; ++i)
            for (std::size_t j = 0; j < block.rows; ++j) {
                const double diagonal = block.cols == block.rows || i != j ? 0 : block.values[i];
                out.at(first + i, first + j) = block.cols == block.rows ? block.at(i, j) : diagonal;
            }
        first += block.rows;
    }
    return out;
}

/// Central differences. Their error is of the order of step^2 and of 1e-16 / step.
inline Vector slopes_of(const std::function<double(const Vector&)>& f, const Vector& at, double step = 1e-5) {
    Vector slopes(at.size());
    for (std::size_t j = 0; j < at.size(); ++j) {
        Vector up = at, down = at;
        up[j] += step, down[j] -= step;
        slopes[j] = (f(up) - f(down)) / (2 * step);
    }
    return slopes;
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) return HUGE_VAL;
    double most = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
        const double gap = std::abs(a[j] - b[j]);
        if (!(gap <= most)) most = gap;  // and what is no number
    }
    return most;
}

/// Returns the largest excess of f over its chords at the midpoints of random chords of many lengths: 0 if f is convex.
inline double above_chords(const std::function<double(const Vector&)>& f, const Vector& around, std::uint64_t seed,
                           double reach = 2) {
    double most = 0;
    for (std::uint64_t trial = 0; trial < 60; ++trial) {
        const double length = reach * std::pow(10.0, -static_cast<double>(trial % 4));
        const Vector from = random_vector(around.size(), seed + 7 * trial, reach),
                     along = random_vector(around.size(), seed + 7 * trial + 1, length);
        Vector a = around, b = around, middle = around;
        for (std::size_t j = 0; j < a.size(); ++j) {
            middle[j] += from[j];
            a[j] = middle[j] - along[j], b[j] = middle[j] + along[j];
        }
        most = std::max(most, f(middle) - (f(a) + f(b)) / 2);
    }
    return most;
}

}  // namespace fairstream::partial_fair_scorer::test
