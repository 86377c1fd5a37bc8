#pragma once
/// Sampling errors of the fairness figures of scores: confidence intervals for their values in the population.
///
/// The points of a group are taken for independent draws from it, the groups' sizes and the function that scores for
/// given: points that the function was fitted to show less than its errors. Weighted points count as their effective
/// number, (sum of weights)^2 / sum of their squares. Errors are taken for normal, which asks for some hundred points
/// of each group, and for some twenty of a class among the ranks that count. Where there are that many, intervals of
/// 95 % of a class hold in 92 to 96 of 100 samples; those of tail_gap hold in some 90 where four uneven groups differ
/// most at an end of the ranks, and those near the end of a figure's range nearly always. Results are functions of the
/// arguments alone: random numbers, where any are needed, are the same on each call.

#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {

/// Works out all intervals, each of which holds the figure of the population with the chance `confidence`, in (0, 1);
/// `tally` is settled and `ranks` have passed `check`. Throws `InvalidInput` (bad_option) for another confidence.
/// O(n) for n points and a fixed number of groups, some milliseconds at least.
[[nodiscard]] ScoreIntervals score_intervals(const ScoreTally& tally, const RanksByGroup& ranks, double threshold,
                                             RankAmong among = RankAmong::group, double confidence = 0.95);
/// The same where `score_fairness` has measured these scores already, by the same arguments.
[[nodiscard]] ScoreIntervals score_intervals(const ScoreFairness& measured, const ScoreTally& tally,
                                             const RanksByGroup& ranks, double threshold,
                                             RankAmong among = RankAmong::group, double confidence = 0.95);

/// The gaps of `ScoreFairness`.
enum class ScoreGap : std::uint8_t { sp, dp, gauc, eop, eod, tail_gap, overall_gap };

/// Returns a value that the gap has at most in the population with the chance `confidence`, in (0, 1): what a bound on
/// the gap is compared with that shall be kept with that confidence. It is not less than the measured gap, and the end
/// of the gap's range where the points say nothing about it. Throws as `score_intervals` does.
[[nodiscard]] double upper_limit(ScoreGap gap, const ScoreTally& tally, const RanksByGroup& ranks, double threshold,
                                 RankAmong among = RankAmong::group, double confidence = 0.95);

}  // namespace fairstream
