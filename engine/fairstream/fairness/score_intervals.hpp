#pragma once
/// Sampling errors of the fairness figures of scores: confidence intervals for their values in the population.
///
/// The points of a group are treated as independent draws from the group; the sizes of the groups and the scoring
/// function are treated as fixed. So errors are smaller for points that the function was fitted to than for new points.
/// Weighted points count as their effective number, (sum of weights)^2 / sum of squared weights. Errors are treated as
/// normal, which needs some hundred points of each group, and some twenty of a class among the ranks that count. With
/// that many, 95 % intervals for a class hold in 92 to 96 of 100 samples. Intervals of tail_gap hold in some 90 of 100
/// if four groups of uneven size differ most at an end of the ranks; intervals near the end of a figure's range hold
/// nearly always. Results depend only on the arguments: random numbers are the same on each call.

#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {

/// Returns the interval of each figure; each contains the population's figure with probability `confidence`, in (0, 1).
/// `tally` must be settled and `ranks` must have passed `check`. Throws `InvalidInput` (bad_option) for another
/// confidence. O(n) for n points and a fixed number of groups, some milliseconds at least.
[[nodiscard]] ScoreIntervals score_intervals(const ScoreTally& tally, const RanksByGroup& ranks, double threshold,
                                             RankAmong among = RankAmong::group, double confidence = 0.95);
/// Returns the same intervals, given the figures that `score_fairness` measured with the same arguments.
[[nodiscard]] ScoreIntervals score_intervals(const ScoreFairness& measured, const ScoreTally& tally,
                                             const RanksByGroup& ranks, double threshold,
                                             RankAmong among = RankAmong::group, double confidence = 0.95);

/// The gaps of `ScoreFairness`.
enum class ScoreGap : std::uint8_t { sp, dp, gauc, eop, eod, tail_gap, overall_gap };

/// Returns an upper limit of the gap in the population, which holds with probability `confidence`, in (0, 1): to keep
/// the gap within a bound with this confidence, compare the limit with the bound. The limit is not less than the
/// measured gap; if the points carry no information, it is the end of the gap's range. Throws as `score_intervals`
/// does.
[[nodiscard]] double upper_limit(ScoreGap gap, const ScoreTally& tally, const RanksByGroup& ranks, double threshold,
                                 RankAmong among = RankAmong::group, double confidence = 0.95);

}  // namespace fairstream
