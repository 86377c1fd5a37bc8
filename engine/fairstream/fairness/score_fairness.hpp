#pragma once
/// Fairness of scores among the ranks that count.
/// Y. He, Y. Huang, Y. Yao, Q. Lin, "Enforcing fair predicted scores on intervals of percentiles by
/// difference-of-convex constraints", arXiv:2505.12530.
///
/// The rank of a score in its group is the share of the group above it (Definition 4.1): 0 is the top. A point occupies
/// the ranks from its rank to its rank plus its share of the group's weight. Tied points of a group occupy their ranks
/// together and evenly, as if ties were broken at random. So a point at the edge of an interval is partly inside it.
/// The figures are those of the paper's formula (62); for distinct scores this differs from counting whole points by at
/// most one point's share.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fairstream/fairness/score_tally.hpp>

namespace fairstream {

/// Ranks [from, to), 0 <= from < to <= 1.
struct RankInterval {
    double from = 0, to = 1;
    bool operator==(const RankInterval&) const = default;
};

/// The ranks that count: for each group a union of disjoint intervals by ascending rank (Remark 5.3). A single entry
/// holds for all groups.
using RanksByGroup = std::vector<std::vector<RankInterval>>;

/// Throws `InvalidInput` (bad_option) if an interval is empty, outside [0, 1] or not after the previous interval, if a
/// group has no interval, or if the number of entries is neither one nor the number of groups.
void check(const RanksByGroup& ranks, std::size_t groups);

/// The population in which a point's rank is taken, for figures of one class of the target.
enum class RankAmong : std::uint8_t {
    group,            ///< all points of its group, as in Definitions A.2 and A.3
    group_and_class,  ///< points of its group and class, as in the training problems (50) and (56)
};

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

/// A confidence interval for each figure of `ScoreFairness`; it contains the measured figure and is within the figure's
/// range. If the points carry no information on a figure, its interval is the whole range: accuracy without points, auc
/// without positives or negatives, and a gap if fewer than two groups have points (of the class).
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

/// Fairness figures of scores. Each gap is the largest over pairs of groups that have points, 0 with fewer than two
/// such groups; for a class only points of that class count.
struct ScoreFairness {
    std::int64_t points = 0;
    double accuracy = 0;     ///< weighted share of points with (score > threshold) == positive
    double auc = 0;          ///< positives against negatives over all groups, ties count half; 0.5 if either is missing
    double sp = 0;           ///< SP^I, (6): largest gap of the tails within the ranks, in [0, 1]
    double dp = 0;           ///< DP^I, (10): gap of the tails at the threshold, in [0, 1]
    double gauc = 0;         ///< GAUC^I, (37): in [0, 0.5]
    double eop = 0;          ///< EOP^I, (42): DP^I of the positives, in [0, 1]
    double eod = 0;          ///< EOD^I, (45): the larger of eop and DP^I of the negatives, in [0, 1]
    double tail_gap = 0;     ///< largest gap of Pr(score > theta | group) over theta whose rank (Definition 4.1) in
                             ///< either group counts
    double overall_gap = 0;  ///< as tail_gap, over all theta: SP^I for I = [0, 1], the Kolmogorov-Smirnov distance
    /// 95 % confidence intervals for the figures of the population; empty if they were not computed. Not saved.
    std::optional<ScoreIntervals> intervals{};
    /// Names of the known groups that have points but none of the class: eop and eod do not cover groups without
    /// positives, eod does not cover groups without negatives. Set in what an engine publishes and reports; not saved.
    std::vector<std::string> without_positives{}, without_negatives{};
    bool operator==(const ScoreFairness&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.points);
        archive(2, self.accuracy);
        archive(3, self.auc);
        archive(4, self.sp);
        archive(5, self.dp);
        archive(6, self.gauc);
        archive(7, self.eop);
        archive(8, self.eod);
        archive(9, self.tail_gap);
        archive(10, self.overall_gap);
    }
};

/// Measures all figures. `tally` must be settled and `ranks` must have passed `check`. O(n) for n points and a fixed
/// number of groups.
[[nodiscard]] ScoreFairness score_fairness(const ScoreTally& tally, const RanksByGroup& ranks, double threshold,
                                           RankAmong among = RankAmong::group);

/// Sets the names of the known groups that have points but none of a class. `tally` must be settled; `groups` has a
/// name for each of its groups.
void name_groups_without(const ScoreTally& tally, const std::vector<std::string>& groups, ScoreFairness& fairness);

}  // namespace fairstream
