#pragma once
/// Sampling errors of the fairness figures of scores: confidence intervals for their values in the population.
///
/// The points of a group are taken for independent draws from it, the groups' sizes and the function that scores for
/// given: points that the function was fitted to show less than its errors. Weighted points count as their effective
/// number, (sum of weights)^2 / sum of their squares. Errors are taken for normal, which asks for some hundred points
/// of each group, and for some twenty of a class among the ranks that count; with a handful of those, intervals of 95 %
/// hold in some 90 of 100 samples. Results are functions of the arguments alone: random numbers,
/// where any are needed, are the same on each call.

#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {

/// Values from `low` to `high`, both included.
struct Interval {
    double low = 0, high = 1;
    [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
    bool operator==(const Interval&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.low);
        archive(2, self.high);
    }
};

/// An interval for each figure of `ScoreFairness`; it contains the measured figure and lies in the figure's range. A
/// figure that the points say nothing about has that whole range: accuracy without points, auc without positives or
/// negatives, and a gap where fewer than two groups have points (of the class).
struct ScoreIntervals {
    Interval accuracy, auc, sp, dp;
    Interval gauc{0, 0.5};
    Interval eop, eod, tail_gap, overall_gap;
    bool operator==(const ScoreIntervals&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.accuracy);
        archive(2, self.auc);
        archive(3, self.sp);
        archive(4, self.dp);
        archive(5, self.gauc);
        archive(6, self.eop);
        archive(7, self.eod);
        archive(8, self.tail_gap);
        archive(9, self.overall_gap);
    }
};

/// Works out all intervals, each of which holds the figure of the population with the chance `confidence`, in (0, 1);
/// `tally` is settled and `ranks` have passed `check`. Throws `InvalidInput` (bad_option) for another confidence.
/// O(n) for n points and a fixed number of groups, some milliseconds at least.
[[nodiscard]] ScoreIntervals score_intervals(const ScoreTally& tally, const RanksByGroup& ranks, double threshold,
                                             RankAmong among = RankAmong::group, double confidence = 0.95);

/// The gaps of `ScoreFairness`.
enum class ScoreGap : std::uint8_t { sp, dp, gauc, eop, eod, tail_gap, overall_gap };

/// Returns a value that the gap has at most in the population with the chance `confidence`, in (0, 1): what a bound on
/// the gap is compared with that shall be kept with that confidence. It is not less than the measured gap, and the end
/// of the gap's range where the points say nothing about it. Throws as `score_intervals` does.
[[nodiscard]] double upper_limit(ScoreGap gap, const ScoreTally& tally, const RanksByGroup& ranks, double threshold,
                                 RankAmong among = RankAmong::group, double confidence = 0.95);

}  // namespace fairstream
