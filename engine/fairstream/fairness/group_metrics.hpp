#pragma once
/// Figures of predictions by group, with the definitions of fairlearn and holisticai: rates of each group, of each
/// intersection of groups and of all points, and the distances between them.
///
/// A point is selected if its prediction is at least the threshold, and positive if its outcome is above 0. A
/// difference is the largest rate of a group minus the smallest; a ratio is the smallest over the largest; equalised
/// odds take the worse of the true and the false positive rate. These definitions are those of `fairlearn.metrics`,
/// except where there is nothing to measure. A group without positives has no true positive rate (fairlearn: 0) and is
/// left out of differences. There is no ratio of 0 to 0 (fairlearn: NaN). If a rate is missing, the difference of the
/// other groups is a lower bound of the difference over all groups: it may show that a bound is exceeded, but never
/// that it is met.
///
/// Intervals have a confidence of 95 %. A rate has Wilson's interval (E. B. Wilson, "Probable inference, the law of
/// succession, and statistical inference", JASA 22, 1927); the total weight of the points counts as their number. The
/// interval of a difference between the largest and the smallest rate holds for all pairs of groups at once. Each pair
/// has Newcombe's hybrid score interval (R. G. Newcombe, "Interval estimation for the difference between independent
/// proportions", Statistics in Medicine 17, 1998, method 10) at a level of 1 - 0.05 / pairs (Bonferroni). It becomes an
/// interval of the absolute difference: [low, high] becomes [max(0, low), max(high, -low)]. The lower end is the
/// largest lower end of a pair, the upper end the largest upper end. So if one of many groups is far off only by
/// chance, the interval allows for it.

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
    selection,       ///< selected share of all points
    true_positive,   ///< selected share of the positive points
    false_positive,  ///< selected share of the other points with an outcome
    false_negative,  ///< unselected share of the positive points
    accuracy,        ///< share of the points with an outcome that are selected and positive, or neither
    precision,       ///< positive share of the selected points with an outcome
};
inline constexpr std::size_t group_rates = 6;
/// Names in reports, by `GroupRate`.
inline constexpr std::array<std::string_view, group_rates> group_rate_names{
    "selection_rate", "true_positive_rate", "false_positive_rate", "false_negative_rate", "accuracy", "precision"};

struct RateFigure {
    std::int64_t points = 0;  ///< denominator of the rate; 0: there is no rate, and the figures below are 0
    double weight = 0;        ///< present weight of those points
    double value = 0;         ///< weighted rate, in [0, 1]
    Interval interval{0, 0};  ///< at 95 %
    /// True if the rate takes part in differences and ratios: its group is known, and `points` is at least
    /// `least_points`.
    bool is_compared = false;
    bool operator==(const RateFigure&) const = default;
};

/// Calibration of predictions as probabilities of a positive outcome.
struct Calibration {
    std::int64_t points = 0;  ///< points with an outcome; 0: there is no calibration, and the figures below are 0
    /// Expected calibration error, in [0, 1]: the weighted mean, over bins of equal width, of the distance between the
    /// mean prediction and the share of positives (M. P. Naeini et al., "Obtaining well calibrated probabilities using
    /// Bayesian binning", AAAI 2015). Chance alone makes it positive, and more so with fewer points.
    double error = 0;
    double gap = 0;  ///< mean prediction minus the share of positives, in [-1, 1]
    /// 95 % interval of the gap for fixed predictions, by Wilson's interval of the share of positives.
    Interval gap_interval{0, 0};
    bool operator==(const Calibration&) const = default;
};

/// Figures of a group, of an intersection of groups, or of all points.
struct GroupFigures {
    std::vector<std::string> groups = {};  ///< group names, one per attribute that splits the points; empty: all points
    bool is_known = true;                  ///< whether `groups` names no unknown group
    std::int64_t points = 0;
    std::int64_t without_outcome = 0;  ///< points without an outcome, which count only in the selection rate
    double weight = 0;                 ///< present weight of the points
    std::array<RateFigure, group_rates> rates = {};
    /// Covers no points if a point with an outcome has a prediction outside [0, 1].
    Calibration calibration = {};

    [[nodiscard]] const RateFigure& rate(GroupRate of) const { return rates[static_cast<std::size_t>(of)]; }
    bool operator==(const GroupFigures&) const = default;
};

/// Distance between the groups of a set, over the rates that count (`missing_rates` lists the groups left out).
struct GroupComparison {
    std::int32_t groups = 0;  ///< number of groups compared; for equalised odds, the larger number of the two rates;
                              ///< below 2: the figures below are not set
    double difference = 0;    ///< in [0, 1]
    Interval interval{0, 0};  ///< interval of the difference, at 95 %
    std::optional<double> ratio{};  ///< in [0, 1]; empty for a ratio of 0 to 0
    [[nodiscard]] bool is_measured() const noexcept { return groups >= 2; }
    bool operator==(const GroupComparison&) const = default;
};

/// The position of a difference relative to its bound.
enum class BoundStatus : std::uint8_t {
    none,        ///< there is no bound
    within,      ///< at most the bound, and no group's rate is missing
    unclear,     ///< above the bound, but not significantly: the interval begins at the bound or below
    left,        ///< significantly above the bound
    unmeasured,  ///< there is no difference: fewer than two groups have a rate that counts; or the difference is at
                 ///< most the bound, but a group's rate is missing
};
[[nodiscard]] std::string_view to_string(BoundStatus status) noexcept;

/// Figures of the groups of an attribute, or of the intersections of the groups of several attributes.
struct AttributeMetrics {
    std::vector<std::string> attributes;  ///< one, or those whose groups are intersected
    /// Figures by group. Intersections without points are left out; the group of the last attribute varies fastest.
    std::vector<GroupFigures> groups;
    GroupComparison demographic_parity;  ///< comparison of selection rates
    GroupComparison equal_opportunity;   ///< comparison of true positive rates
    GroupComparison equalised_odds;      ///< the worse of true and false positive rates
    BoundStatus parity = BoundStatus::none;
    BoundStatus odds = BoundStatus::none;
    bool operator==(const AttributeMetrics&) const = default;
};

/// All figures of predictions by group.
struct GroupMetrics {
    GroupFigures all;
    std::vector<AttributeMetrics> attributes;  ///< single attributes first, then pairs, and so on
    bool operator==(const GroupMetrics&) const = default;
};

/// Names of the comparisons in reports; the suffixes are `_difference`, `_ratio`, `_interval`, `_groups` and
/// `_missing`.
struct NamedComparison {
    std::string_view name;
    GroupComparison AttributeMetrics::*comparison;
    std::string_view meaning;
    std::span<const GroupRate> rates;  ///< the comparison is the worst over these rates
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

/// A group's rate that is missing in a comparison.
struct MissingRate {
    GroupRate rate;
    const GroupFigures* group;
};
/// Returns the rates missing in a comparison. A known group with points has a missing rate if there is no rate, or if
/// it is of fewer than `least_points` points. Pointers are into `attribute`.
[[nodiscard]] std::vector<MissingRate> missing_rates(const AttributeMetrics& attribute, const NamedComparison& of);
/// Returns "true positive rate of b; false positive rate of c, d and 5 more", safe for a log; empty if none is missing.
[[nodiscard]] std::string missing_rates_text(const AttributeMetrics& attribute, const NamedComparison& of);

/// Returns Wilson's score interval of a share `value` in [0, 1] of `points` points, for a normal quantile z.
[[nodiscard]] Interval wilson_interval(double value, double points, double z);

/// Compares a rate over the groups that have it. `rows` is the number of rates compared together, of which only the
/// largest difference is judged: 2 for equalised odds. More rates make the interval wider. O(groups^2).
[[nodiscard]] GroupComparison compare_rates(std::span<const RateFigure> rates, int rows = 1);
/// Returns the worse of two comparisons made with `rows` = 2; if only one is measured, this one. The result has a ratio
/// only if each measured comparison has one.
[[nodiscard]] GroupComparison worse_comparison(const GroupComparison& a, const GroupComparison& b);
/// Judges a difference by its bound; 0: no bound. `lacks_rates`: the comparison has `missing_rates`.
[[nodiscard]] BoundStatus bound_status(const GroupComparison& comparison, bool lacks_rates, double at_most) noexcept;

/// Returns the largest difference of one comparison over all attributes and intersections; null if none is measured.
[[nodiscard]] const GroupComparison* largest_comparison(const GroupMetrics& metrics,
                                                        GroupComparison AttributeMetrics::*comparison);
/// Returns whether every attribute and intersection has this comparison and no rate is missing, so that the largest
/// difference covers all groups.
[[nodiscard]] bool is_complete(const GroupMetrics& metrics, const NamedComparison& of);
/// Returns the worst status of a bound over all attributes and intersections.
[[nodiscard]] BoundStatus worst_status(const GroupMetrics& metrics, BoundStatus AttributeMetrics::*status);

}  // namespace fairstream
