#pragma once
/// f1 and f2 of a labelling, from the points alone.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>

namespace fairstream::safairkm {

/// A window that holds just these points, point i in slot i.
inline Window window_of(const StreamFormat& format, const PointColumns& points) {
    Window window(format, {.capacity = static_cast<Slot>(points.ids.size())});
    window.apply(points.view());
    return window;
}

/// Squared distance of a point to one of k centres, k x d.
template <class Number>
double squared_distance(const Window& window, Slot slot, std::span<const Number> centres, std::size_t l) {
    double total = 0;
    for (std::size_t j = 0; j < window.dimensions(); ++j)
        total += std::pow(double{window.features(slot)[j]} - double{centres[l * window.dimensions() + j]}, 2);
    return total;
}

/// Means of the members, k x d; an empty cluster takes its mean from `otherwise`, or 0.
inline std::vector<double> means(const Window& window, std::span<const ClusterId> labels, std::size_t k,
                                 std::span<const double> otherwise = {}) {
    const std::size_t d = window.dimensions();
    std::vector<double> mean(k * d), size(k);
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const auto l = static_cast<std::size_t>(labels[slot]);
        ++size[l];
        for (std::size_t j = 0; j < d; ++j) mean[l * d + j] += window.features(slot)[j];
    }
    for (std::size_t at = 0; at < k * d; ++at)
        mean[at] = size[at / d] > 0 ? mean[at] / size[at / d] : otherwise.empty() ? 0 : otherwise[at];
    return mean;
}

inline double cost(const Window& window, std::span<const ClusterId> labels, std::size_t k) {
    const std::vector<double> mean = means(window, labels, k);
    double total = 0;
    for (Slot slot = 0; slot < window.size(); ++slot)
        total += squared_distance<double>(window, slot, mean, static_cast<std::size_t>(labels[slot]));
    return total / window.size();
}

/// Members of (cluster, group), k x J.
inline std::vector<std::int64_t> group_counts(const Window& window, std::span<const ClusterId> labels, std::size_t k,
                                              std::uint32_t attribute) {
    const std::size_t groups = window.format().attributes[attribute].groups.size();
    std::vector<std::int64_t> counts(k * groups);
    for (Slot slot = 0; slot < window.size(); ++slot)
        ++counts[static_cast<std::size_t>(labels[slot]) * groups + window.group(slot, attribute)];
    return counts;
}

/// Smallest over largest group in the worst of these rows, J counts each.
inline double least_ratio(const std::vector<std::int64_t>& counts, std::size_t groups) {
    double least = 1;
    for (std::size_t row = 0; row < counts.size(); row += groups) {
        const auto [low, high] = std::minmax_element(counts.begin() + static_cast<std::ptrdiff_t>(row),
                                                     counts.begin() + static_cast<std::ptrdiff_t>(row + groups));
        least = std::min(least, *high == 0 ? 0 : static_cast<double>(*low) / static_cast<double>(*high));
    }
    return least;
}

inline double balance(const Window& window, std::span<const ClusterId> labels, std::size_t k, std::uint32_t attribute) {
    return least_ratio(group_counts(window, labels, k, attribute), window.format().attributes[attribute].groups.size());
}

/// The smallest over the largest rate at which groups are selected for a cluster.
inline double parity(const Window& window, std::span<const ClusterId> labels, std::size_t k, std::uint32_t attribute) {
    const std::size_t groups = window.format().attributes[attribute].groups.size();
    const std::vector<std::int64_t> counts = group_counts(window, labels, k, attribute);
    const std::vector<ClusterId> one(window.size());
    const std::vector<std::int64_t> totals = group_counts(window, one, 1, attribute);
    double least = 1;
    for (std::size_t row = 0; row < counts.size(); row += groups) {
        std::vector<double> rates;
        for (std::size_t j = 0; j < groups; ++j)
            rates.push_back(static_cast<double>(counts[row + j]) / static_cast<double>(totals[j]));
        const auto [low, high] = std::ranges::minmax(rates);
        least = std::min(least, high == 0 ? 0 : low / high);
    }
    return least;
}

/// Returns the highest possible balance of any clustering.
inline double best_balance(const Window& window, std::uint32_t attribute) {
    return balance(window, std::vector<ClusterId>(window.size()), 1, attribute);
}

}  // namespace fairstream::safairkm
