#pragma once
/// The families of constraints by their definitions: sums over points, sorting and bisection.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>

#include "samples.hpp"

namespace fairstream::partial_fair_scorer::test {

inline double sigma(const Options& options, double x) {
    x /= options.width;
    return options.surrogate == Surrogate::clipped ? std::clamp(x + 0.5, 0.0, 1.0) : 1 / (1 + std::exp(-x));
}

inline double share(const Options& options, RowRange rows, std::span<const double> scores, double theta) {
    double sum = 0;
    for (std::size_t row = rows.first; row < rows.last; ++row) sum += sigma(options, scores[row] - theta);
    return sum / static_cast<double>(rows.size());
}

/// Returns the share of the intervals `ranks` that lies below `upto`.
inline double inside(const std::vector<RankInterval>& ranks, double upto) {
    double in = 0, all = 0;
    for (const RankInterval& interval : ranks) {
        in += std::min(upto, interval.to) - std::min(upto, interval.from);
        all += interval.to - interval.from;
    }
    return in / all;
}

/// Returns the ends of { s in [first rank, last rank] : level <= inside(s) <= level + kappa }, by bisection.
inline std::pair<double, double> allowed(const std::vector<RankInterval>& ranks, double level, double kappa) {
    const auto end = [&](auto&& before) {
        double from = ranks.front().from, to = ranks.back().to;
        if (!before(from)) return from;
        for (int i = 0; i < 60; ++i) (before((from + to) / 2) ? from : to) = (from + to) / 2;
        return to;
    };
    return {end([&](double s) { return inside(ranks, s) < level - 1e-12; }),
            end([&](double s) { return inside(ranks, s) <= level + kappa + 1e-12; })};
}

// In the order of groups, then levels, "at least" before "at most"; trivial constraints are left out.
inline Vector statistical_parity_by_hand(const Options& options, const Sample& sample, std::span<const double> scores,
                                         std::span<const double> thetas) {
    Vector f;
    const RanksByGroup ranks = ranks_of(options, sample.groups());
    for (std::size_t g = 0; g < sample.groups(); ++g)
        for (int q = 0; q < options.rank_levels && sample.group(g).size() > 0; ++q) {
            const double level = (1 - options.kappa) * q / (options.rank_levels - 1);
            const auto [low, high] = allowed(ranks[g], level, options.kappa);
            const double s = share(options, sample.group(g), scores, thetas[static_cast<std::size_t>(q)]);
            if (low > 0) f.push_back(low - s);
            if (high < 1) f.push_back(s - high);
        }
    return f;
}

inline Vector parity_at_threshold_by_hand(const Options& options, const Sample& sample,
                                          std::span<const double> scores) {
    Vector f;
    const RanksByGroup ranks = ranks_of(options, sample.groups());
    const auto length = [&](std::size_t g) {
        double sum = 0;
        for (const RankInterval& interval : ranks[g]) sum += interval.to - interval.from;
        return sum;
    };
    const auto compare = [&](RowRange (Sample::*rows)(std::size_t) const noexcept) {
        for (std::size_t a = 0; a < sample.groups(); ++a)
            for (std::size_t b = 0; b < sample.groups(); ++b) {
                const RowRange of_a = (sample.*rows)(a), of_b = (sample.*rows)(b);
                if (a == b || of_a.size() == 0 || of_b.size() == 0) continue;
                const double gap = inside(ranks[a], share(options, of_a, scores, options.threshold)) -
                                   inside(ranks[b], share(options, of_b, scores, options.threshold));
                f.push_back((gap - options.kappa) * (length(a) + length(b)) / 2);
            }
    };
    if (options.metric == Metric::pdp) compare(&Sample::group);
    if (options.metric != Metric::pdp) compare(&Sample::positives);
    if (options.metric == Metric::eod || options.metric == Metric::eod_in_class) compare(&Sample::negatives);
    return f;
}

inline Vector group_auc_by_hand(const Options& options, const Sample& sample, std::span<const double> scores) {
    Vector f;
    const RanksByGroup ranks = ranks_of(options, sample.groups());
    std::vector<Vector> counted(sample.groups());
    for (std::size_t g = 0; g < sample.groups(); ++g) {
        const RowRange rows = sample.group(g);
        Vector falling(scores.begin() + static_cast<std::ptrdiff_t>(rows.first),
                       scores.begin() + static_cast<std::ptrdiff_t>(rows.last));
        std::ranges::sort(falling, std::greater{});
        const double n = static_cast<double>(falling.size());
        for (std::size_t i = 0; i < falling.size(); ++i) {
            const double at = static_cast<double>(i);  // its 1-based number is in (ceil(alpha n), ceil(beta n)]
            if (at >= std::ceil(ranks[g][0].from * n) && at < std::ceil(ranks[g][0].to * n))
                counted[g].push_back(falling[i]);
        }
    }
    for (std::size_t a = 0; a < sample.groups(); ++a)
        for (std::size_t b = 0; b < sample.groups(); ++b) {
            if (a == b || counted[a].empty() || counted[b].empty()) continue;
            double sum = 0;
            for (const double x : counted[a])
                for (const double y : counted[b]) sum += sigma(options, x - y);
            f.push_back(sum / static_cast<double>(counted[a].size() * counted[b].size()) - 0.5 - options.kappa);
        }
    return f;
}

inline Vector by_hand(const Options& options, const Sample& sample, std::span<const double> scores,
                      std::span<const double> thetas) {
    if (options.metric == Metric::psp) return statistical_parity_by_hand(options, sample, scores, thetas);
    if (options.metric == Metric::gauc) return group_auc_by_hand(options, sample, scores);
    return parity_at_threshold_by_hand(options, sample, scores);
}

}  // namespace fairstream::partial_fair_scorer::test
