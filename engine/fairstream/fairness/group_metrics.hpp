#pragma once
/// Figures of predictions by group, as users of fairlearn and holisticai know them: rates of each group, of each
/// intersection of groups and of all points, and how far apart they are.
///
/// A point is selected when its prediction says so, and positive when its outcome does. Definitions are those of
/// fairlearn (`fairlearn.metrics`): a difference is the largest rate of a group less the smallest, a ratio the smallest
/// over the largest; equalised odds take the worse of the true and the false positive rate. They depart from it where
/// nothing is there to measure: a group without positives has no true positive rate, where fairlearn has 0, and is left
/// out of its differences, and a ratio of 0 to 0 is not given, where fairlearn has NaN. A difference that lacks a rate
/// is a lower bound of the difference of all, so that it may leave a bound, but is never within one.
///
/// Intervals are at 95 %. Those of a rate are Wilson's (E. B. Wilson, "Probable inference, the law of succession, and
/// statistical inference", JASA 22, 1927), of as many points as the points weigh. Those of a difference of the largest
/// and the smallest rate hold for all pairs of groups at once: each pair has Newcombe's hybrid score interval (R. G.
/// Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17, 1998,
/// method 10) at a level of 1 - 0.05 / pairs (Bonferroni), made one of the difference's size: [low, high] becomes
/// [max(0, low), max(high, -low)]. The ends are the largest of the pairs' ends. So a group that is far off by chance
/// alone, as one of many is, does not pass for one that is.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {

/// A share of the points of a group.
enum class GroupRate : std::uint8_t {
    selection,       ///< of all: selected
    true_positive,   ///< of the positive: selected
    false_positive,  ///< of the not positive: selected
    false_negative,  ///< of the positive: not selected
    accuracy,        ///< of those with an outcome: selected and positive, or neither
    precision,       ///< of the selected with an outcome: positive
};
inline constexpr std::size_t group_rates = 6;
/// Names in reports, by rate.
inline constexpr std::array<std::string_view, group_rates> group_rate_names{
    "selection_rate", "true_positive_rate", "false_positive_rate", "false_negative_rate", "accuracy", "precision"};

struct RateFigure {
    std::int64_t points = 0;  ///< that it is a share of; 0: there is no such rate, and the figures below are 0
    double weight = 0;        ///< of those points, now
    double value = 0;         ///< in [0, 1], by weight
    Interval interval{0, 0};  ///< at 95 %
    /// Says whether the rate counts in differences and ratios: of a known group that has `least_points` such points.
    bool is_compared = false;
    bool operator==(const RateFigure&) const = default;
};

/// How well predictions are met, as chances of a positive outcome.
struct Calibration {
    std::int64_t points = 0;  ///< with an outcome; 0: there is no calibration, and the figures below are 0
    /// Expected calibration error, in [0, 1]: the mean over bins of equal width, by their weight, of how far the mean
    /// prediction is from the share of positives (M. P. Naeini et al., "Obtaining well calibrated probabilities using
    /// Bayesian binning", AAAI 2015). It is above 0 by chance alone, and more so the fewer points there are.
    double error = 0;
    double gap = 0;  ///< mean prediction less the share of positives, in [-1, 1]
    /// Interval of the gap, at 95 %, the predictions being as they are: Wilson's of the share of positives.
    Interval gap_interval{0, 0};
    bool operator==(const Calibration&) const = default;
};

/// The points of a group, of an intersection of groups, or all.
struct GroupFigures {
    std::vector<std::string> groups = {};  ///< names, one for each attribute that splits the points; none: all points
    bool is_known = true;                  ///< whether no group of these is that of points whose group is not known
    std::int64_t points = 0;
    std::int64_t without_outcome = 0;  ///< of the points: they count in the selection rate alone
    double weight = 0;                 ///< of the points, now
    std::array<RateFigure, group_rates> rates = {};
    /// None where a prediction of a point with an outcome is outside [0, 1].
    Calibration calibration = {};

    [[nodiscard]] const RateFigure& rate(GroupRate of) const { return rates[static_cast<std::size_t>(of)]; }
    bool operator==(const GroupFigures&) const = default;
};

/// How far apart the groups of a set are: those whose rates count (`missing_rates` has the others).
struct GroupComparison {
    std::int32_t groups = 0;        ///< that are compared, of equalised odds by the rate that more have; below 2: no
                                    ///< figures
    double difference = 0;          ///< in [0, 1]
    Interval interval{0, 0};        ///< of the difference, at 95 %
    std::optional<double> ratio{};  ///< in [0, 1]; none for 0 to 0
    [[nodiscard]] bool is_measured() const noexcept { return groups >= 2; }
    bool operator==(const GroupComparison&) const = default;
};

/// Says whether a difference keeps to its bound.
enum class BoundStatus : std::uint8_t {
    none,        ///< there is no bound
    within,      ///< it is at most the bound, and no group's rate is missing
    unclear,     ///< it is above, but by no more than its sampling error: the interval begins at the bound or below
    left,        ///< it is above, by more than its sampling error
    unmeasured,  ///< there is no difference, as fewer than two groups have such a rate that counts; or it is at most
                 ///< the bound, but of a group's rate that is missing nothing is known
};
[[nodiscard]] std::string_view to_string(BoundStatus status) noexcept;

/// The groups of an attribute, or the intersections of the groups of several.
struct AttributeMetrics {
    std::vector<std::string> attributes;  ///< one, or those that are intersected
    /// By group; of intersections those that have points, the group of the last attribute varying fastest.
    std::vector<GroupFigures> groups;
    GroupComparison demographic_parity;  ///< of selection rates
    GroupComparison equal_opportunity;   ///< of true positive rates
    GroupComparison equalised_odds;      ///< the worse of true and false positive rates
    BoundStatus parity = BoundStatus::none;
    BoundStatus odds = BoundStatus::none;
    bool operator==(const AttributeMetrics&) const = default;
};

/// All figures of predictions by group.
struct GroupMetrics {
    GroupFigures all;
    std::vector<AttributeMetrics> attributes;  ///< first single attributes, then pairs, and so on
    bool operator==(const GroupMetrics&) const = default;
};

/// Names of the comparisons, in reports: `_difference`, `_ratio`, `_interval`, `_groups` and `_missing` follow.
struct NamedComparison {
    std::string_view name;
    GroupComparison AttributeMetrics::*comparison;
    std::string_view meaning;
    std::span<const GroupRate> rates;  ///< that it is the worst of
};
inline constexpr std::array compared_selection{GroupRate::selection};
inline constexpr std::array compared_odds{GroupRate::true_positive, GroupRate::false_positive};
inline constexpr NamedComparison parity_comparison{"demographic_parity", &AttributeMetrics::demographic_parity,
                                                   "selection rate of a group", compared_selection};
inline constexpr NamedComparison opportunity_comparison{"equal_opportunity", &AttributeMetrics::equal_opportunity,
                                                        "true positive rate of a group",
                                                        std::span(compared_odds).first(1)};
inline constexpr NamedComparison odds_comparison{"equalised_odds", &AttributeMetrics::equalised_odds,
                                                 "true or false positive rate of a group, whichever is worse",
                                                 compared_odds};
inline constexpr std::array<NamedComparison, 3> group_comparisons{parity_comparison, opportunity_comparison,
                                                                  odds_comparison};

/// Returns "sex x race" for the attributes, or the groups, of an intersection.
[[nodiscard]] std::string crossed(std::span<const std::string> names);

/// A group's rate that a comparison lacks.
struct MissingRate {
    GroupRate rate;
    const GroupFigures* group;
};
/// Returns the rates that a comparison lacks: of known groups that have points, those without a rate and those with a
/// rate of fewer than `least_points` points. Pointers are into `attribute`.
[[nodiscard]] std::vector<MissingRate> missing_rates(const AttributeMetrics& attribute, const NamedComparison& of);
/// Returns "true positive rate of b; false positive rate of c, d and 5 more", safe for a log; empty: none is missing.
[[nodiscard]] std::string missing_rates_text(const AttributeMetrics& attribute, const NamedComparison& of);

/// Wilson's score interval of a share, `value` in [0, 1] of `points` points, z deviations to either side.
[[nodiscard]] Interval wilson_interval(double value, double points, double z);

/// Compares a rate of groups that have such. `rows` is how many such comparisons are made at once, of which the largest
/// is to be judged. O(groups^2).
[[nodiscard]] GroupComparison compare_rates(std::span<const RateFigure> rates, int rows = 1);
/// Returns the worse of two comparisons that were made at once, or the one that is measured. There is a ratio only
/// where each comparison that is measured has one.
[[nodiscard]] GroupComparison worse_of(const GroupComparison& a, const GroupComparison& b);
/// Judges a difference by the bound that it should keep; 0: there is none. `lacks_rates`: the comparison has
/// `missing_rates`.
[[nodiscard]] BoundStatus judge(const GroupComparison& comparison, bool lacks_rates, double at_most) noexcept;

/// Returns the largest difference over all attributes and intersections of one comparison; none where none is measured.
[[nodiscard]] const GroupComparison* largest_of(const GroupMetrics& metrics,
                                                GroupComparison AttributeMetrics::*comparison);
/// Says whether every attribute and intersection is measured by a comparison, and none lacks a rate, so that the
/// largest difference is that of all.
[[nodiscard]] bool is_complete(const GroupMetrics& metrics, const NamedComparison& of);
/// Returns the worst of the statuses of a bound.
[[nodiscard]] BoundStatus worst_of(const GroupMetrics& metrics, BoundStatus AttributeMetrics::*status);

}  // namespace fairstream
