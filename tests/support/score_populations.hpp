#pragma once
/// Made-up populations of scored points, to sample from and to measure as a whole.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/numeric/detail/normal.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {

/// The score at a rank in (0, 1); it falls as the rank rises.
using ScoreAtRank = std::function<double(double)>;

/// Normal scores.
inline ScoreAtRank normal_scores(double mean, double deviation = 1) {
    return [=](double rank) { return mean - deviation * normal_quantile(rank); };
}

/// Scores of a group in which every score has a rank larger by `gap` than in `normal_scores(0)`, except in the
/// outermost tenths; gap <= 0.1.
inline ScoreAtRank level_gap(double gap) {
    return [=](double rank) {
        double low = 0, high = 1;
        for (int i = 0; i < 40; ++i) {
            const double u = (low + high) / 2;
            (u + gap * std::min(1.0, 10 * std::min(u, 1 - u)) < rank ? low : high) = u;
        }
        return -normal_quantile(std::clamp((low + high) / 2, 1e-12, 1 - 1e-12));
    };
}

struct ScorePopulation {
    std::string name;
    std::vector<ScoreAtRank> groups;
    double step = 0;              ///< scores are rounded to multiples of it; 0: no rounding
    double class_step = 0;        ///< difference between groups of the positive class's log odds
    bool uneven_weights = false;  ///< points weigh 1 or 3

    [[nodiscard]] double score(std::size_t group, double rank) const {
        const double score = groups[group](rank);
        return step > 0 ? step * std::round(score / step) : score;
    }
    /// Returns the probability of the positive class at a score.
    [[nodiscard]] double positive(std::size_t group, double score) const {
        return 1 / (1 + std::exp(-1.5 * score + class_step * static_cast<double>(group)));
    }
    /// Returns the population as one tally, with groups in the ratio of `sizes`: a point of each class at each of
    /// `parts` ranks.
    [[nodiscard]] ScoreTally exact_tally(int parts, const std::vector<int>& sizes) const {
        ScoreTally tally(groups.size());
        for (std::size_t k = 0; k < groups.size(); ++k)
            for (int i = 0; i < parts; ++i) {
                const double at = score(k, (i + 0.5) / parts), chance = positive(k, at);
                tally.add(at, static_cast<GroupId>(k), true, sizes[k] * chance);
                tally.add(at, static_cast<GroupId>(k), false, sizes[k] * (1 - chance));
            }
        tally.settle();
        return tally;
    }
    /// Returns independently drawn points, `sizes` of each group.
    [[nodiscard]] ScoreTally sample(const std::vector<int>& sizes, Random& random) const {
        ScoreTally tally(groups.size());
        for (std::size_t k = 0; k < groups.size(); ++k)
            for (int i = 0; i < sizes[k]; ++i) {
                const double at = score(k, std::max(random.unit(), 1e-12));
                const bool class_of = random.unit() < positive(k, at);
                tally.add(at, static_cast<GroupId>(k), class_of, uneven_weights && random.below(2) ? 3 : 1);
            }
        tally.settle();
        return tally;
    }
};

}  // namespace fairstream::test
