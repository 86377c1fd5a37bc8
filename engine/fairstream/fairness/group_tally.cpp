#include <fairstream/fairness/group_tally.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fairstream/numeric/detail/normal.hpp>

namespace fairstream {
namespace {

/// Returns the bin of a prediction in [0, 1]; a bin includes its lower edge. Edges are rounded to float32 as
/// predictions are: 0.7, which is below seven tenths as a float32, is in the bin that begins there.
int bin_of(float prediction, int bins) {
    const auto edge = [&](int bin) { return static_cast<float>(static_cast<double>(bin) / bins); };
    int bin = std::min(static_cast<int>(double{prediction} * bins), bins - 1);
    if (bin + 1 < bins && prediction >= edge(bin + 1)) ++bin;
    return bin > 0 && prediction < edge(bin) ? bin - 1 : bin;
}

// State of a point's outcome.
enum KnownOutcome : int { negative, positive, not_known };
constexpr int known_outcomes = 3;

KnownOutcome outcome_of(const JudgedPoints& points, std::size_t i) {
    if (points.targets.empty() || std::isnan(points.targets[i])) return not_known;
    return points.targets[i] > 0 ? positive : negative;
}

ClusterId decision(bool is_selected, KnownOutcome outcome) {
    return (is_selected ? known_outcomes : 0) + outcome;
}

// The points and the weight of a cell of a tally.
struct Amount {
    std::int64_t points = 0;
    double weight = 0;
    Amount& operator+=(const Amount& more) {
        points += more.points;
        weight += more.weight;
        return *this;
    }
    friend Amount operator+(Amount a, const Amount& b) { return a += b; }
};

// Place in a tally of the counts of one group of a set, or of all points.
struct Place {
    int set = -1;  // -1: all points
    GroupId group = 0;
    [[nodiscard]] Amount amount_in(const FairnessTally& tally, ClusterId cluster) const {
        if (set < 0) return {tally.size(cluster), tally.weight(cluster)};
        return {tally.count(cluster, set, group), tally.weights(cluster, set)[group]};
    }
};

RateFigure rate_of(const Amount& part, const Amount& whole, double unit) {
    if (whole.points == 0) return {};
    const double value = std::clamp(part.weight / whole.weight, 0.0, 1.0);
    static const double z = normal_quantile(0.975);
    const double weight = whole.weight / unit;
    return {whole.points, weight, value, wilson_interval(value, weight, z), false};
}

std::array<RateFigure, group_rates> rates_of(const FairnessTally& decisions, Place place, double unit) {
    const auto amount = [&](bool is_selected, KnownOutcome outcome) {
        return place.amount_in(decisions, decision(is_selected, outcome));
    };
    const Amount true_positives = amount(true, positive), false_negatives = amount(false, positive);
    const Amount false_positives = amount(true, negative), true_negatives = amount(false, negative);
    const Amount selected = true_positives + false_positives;
    const Amount positives = true_positives + false_negatives, negatives = false_positives + true_negatives;
    const Amount undecided = amount(true, not_known);
    const Amount all = positives + negatives + undecided + amount(false, not_known);
    return {rate_of(selected + undecided, all, unit),
            rate_of(true_positives, positives, unit),
            rate_of(false_positives, negatives, unit),
            rate_of(false_negatives, positives, unit),
            rate_of(true_positives + true_negatives, positives + negatives, unit),
            rate_of(true_positives, selected, unit)};
}

Calibration calibration_of(const FairnessTally& outcomes, const FairnessTally& predicted, Place place, double unit) {
    const int bins = predicted.clusters();
    if (place.amount_in(outcomes, 2 * bins).points > 0) return {};
    Amount all, positives;
    double sum = 0, apart = 0;
    for (int bin = 0; bin < bins; ++bin) {
        const Amount of_bin = place.amount_in(outcomes, 2 * bin + positive);
        const double expected = place.amount_in(predicted, bin).weight;
        all += of_bin + place.amount_in(outcomes, 2 * bin + negative);
        positives += of_bin;
        sum += expected;
        apart += std::abs(expected - of_bin.weight);
    }
    if (all.points == 0) return {};
    const RateFigure observed = rate_of(positives, all, unit);
    const double mean = std::clamp(sum / all.weight, 0.0, 1.0);
    return {all.points, std::clamp(apart / all.weight, 0.0, 1.0), mean - observed.value,
            Interval{mean - observed.interval.high, mean - observed.interval.low}};
}

// Compares a rate over the groups that have enough points.
GroupComparison compare(const std::vector<GroupFigures>& groups, GroupRate rate, int rows = 1) {
    std::vector<RateFigure> compared;
    for (const GroupFigures& group : groups)
        if (group.rate(rate).is_compared) compared.push_back(group.rate(rate));
    return compare_rates(compared, rows);
}

// Returns the group of each attribute of a set, in order; the last attribute varies fastest.
std::vector<GroupId> split(const AttributeSet& set, std::span<const int> group_counts, GroupId group) {
    std::vector<GroupId> parts(set.size());
    for (std::size_t i = set.size(); i-- > 0;) {
        const int count = group_counts[static_cast<std::size_t>(set[i])];
        parts[i] = static_cast<GroupId>(group % count);
        group = static_cast<GroupId>(group / count);
    }
    return parts;
}

}  // namespace

std::vector<AttributeSet> attribute_sets(std::span<const int> attributes, int most) {
    std::vector<AttributeSet> sets, last{{}};
    const auto places = static_cast<int>(attributes.size());
    // Finds all sets of ascending indices into `attributes`.
    for (int size = 1; size <= std::min(most, places); ++size) {
        std::vector<AttributeSet> longer;
        for (const AttributeSet& set : last)
            for (int next = set.empty() ? 0 : set.back() + 1; next < places; ++next) {
                longer.push_back(set);
                longer.back().push_back(next);
            }
        sets.insert(sets.end(), longer.begin(), longer.end());
        last = std::move(longer);
    }
    for (AttributeSet& set : sets)
        for (int& place : set) place = attributes[static_cast<std::size_t>(place)];
    return sets;
}

std::uint64_t group_count(const StreamFormat& format, std::span<const AttributeSet> sets, std::uint64_t limit) {
    std::uint64_t all = 0;
    for (const AttributeSet& set : sets) {
        std::uint64_t groups = 1;
        for (const int attribute : set)
            groups = std::min(limit + 1, groups * format.attributes[static_cast<std::size_t>(attribute)].groups.size());
        all = std::min(limit + 1, all + groups);
    }
    return all;
}

GroupTally::GroupTally(const StreamFormat& format, std::span<const AttributeSet> sets, int bins)
    : sets_(sets.begin(), sets.end()) {
    for (const Attribute& attribute : format.attributes)
        group_counts_.push_back(static_cast<int>(attribute.groups.size()));
    std::vector<int> of_sets;
    for (const AttributeSet& set : sets) {
        int groups = 1;
        for (const int attribute : set) groups *= group_counts_[static_cast<std::size_t>(attribute)];
        of_sets.push_back(groups);
    }
    decisions_ = FairnessTally(2 * known_outcomes, of_sets, format.has_weights);
    outcomes_ = FairnessTally(2 * bins + 1, of_sets, format.has_weights);
    predicted_ = FairnessTally(bins, of_sets, true);
}

void GroupTally::update(const JudgedPoints& points, double threshold, bool adds) {
    const std::size_t n = points.predictions.size(), a = group_counts_.size(), m = sets_.size();
    std::vector<GroupId> groups(n * m);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t s = 0; s < m; ++s) {
            std::size_t group = 0;
            for (const int attribute : sets_[s]) {
                const auto at = static_cast<std::size_t>(attribute);
                group = group * static_cast<std::size_t>(group_counts_[at]) + points.groups[i * a + at];
            }
            groups[i * m + s] = static_cast<GroupId>(group);
        }
    std::vector<ClusterId> decided(n), outcome(n, no_cluster), bin(n, no_cluster);
    std::vector<double> expected(n, 0);
    bool any_known = false;
    const auto least = static_cast<float>(threshold);
    for (std::size_t i = 0; i < n; ++i) {
        const KnownOutcome known = outcome_of(points, i);
        const float p = points.predictions[i];
        decided[i] = decision(p >= least, known);
        if (known == not_known) continue;
        any_known = true;
        outcome[i] = 2 * bins();
        if (!(p >= 0 && p <= 1)) continue;
        bin[i] = bin_of(p, bins());
        outcome[i] = 2 * bin[i] + known;
        expected[i] = double{p} * (points.weights.empty() ? 1 : points.weights[i]);
    }
    const auto put = [&](FairnessTally& tally, std::span<const ClusterId> cells, std::span<const double> weights) {
        if (adds)
            tally.add(cells, groups.data(), weights);
        else
            tally.remove(cells, groups.data(), weights);
    };
    put(decisions_, decided, points.weights);
    if (!any_known) return;
    put(outcomes_, outcome, points.weights);
    put(predicted_, bin, expected);
}

GroupMetrics GroupTally::measure(const StreamFormat& format, const GroupMeasure& how, double unit) const {
    const auto figures_of = [&](Place place, std::vector<std::string> names, bool is_known) {
        GroupFigures figures{.groups = std::move(names), .is_known = is_known};
        for (ClusterId cell = 0; cell < decisions_.clusters(); ++cell) {
            const Amount amount = place.amount_in(decisions_, cell);
            figures.points += amount.points;
            figures.weight += amount.weight / unit;
            if (cell % known_outcomes == not_known) figures.without_outcome += amount.points;
        }
        figures.rates = rates_of(decisions_, place, unit);
        for (RateFigure& rate : figures.rates) rate.is_compared = is_known && rate.points >= how.least_points;
        figures.calibration = calibration_of(outcomes_, predicted_, place, unit);
        return figures;
    };
    GroupMetrics metrics;
    metrics.all = figures_of({}, {}, true);
    for (std::size_t s = 0; s < sets_.size(); ++s) {
        AttributeMetrics& of_set = metrics.attributes.emplace_back();
        for (const int a : sets_[s]) of_set.attributes.push_back(format.attributes[static_cast<std::size_t>(a)].name);
        const auto set = static_cast<int>(s);
        for (int group = 0; group < decisions_.groups(set); ++group) {
            const Place place{set, static_cast<GroupId>(group)};
            const std::vector<GroupId> parts = split(sets_[s], group_counts_, place.group);
            std::vector<std::string> names;
            bool is_known = true;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const Attribute& attribute = format.attributes[static_cast<std::size_t>(sets_[s][i])];
                names.push_back(attribute.groups[parts[i]]);
                is_known = is_known && parts[i] < attribute.known_groups();
            }
            GroupFigures figures = figures_of(place, std::move(names), is_known);
            if (sets_[s].size() > 1 && figures.points == 0) continue;
            of_set.groups.push_back(std::move(figures));
        }
        of_set.demographic_parity = compare(of_set.groups, GroupRate::selection);
        of_set.equal_opportunity = compare(of_set.groups, GroupRate::true_positive);
        of_set.equalised_odds = worse_comparison(compare(of_set.groups, GroupRate::true_positive, 2),
                                                 compare(of_set.groups, GroupRate::false_positive, 2));
        const auto judged = [&](const NamedComparison& of, double at_most) {
            return bound_status(of_set.*of.comparison, !missing_rates(of_set, of).empty(), at_most);
        };
        of_set.parity = judged(parity_comparison, how.parity_at_most);
        of_set.odds = judged(odds_comparison, how.odds_at_most);
    }
    return metrics;
}

bool GroupTally::same_shape(const GroupTally& other) const noexcept {
    return decisions_.same_shape(other.decisions_) && outcomes_.same_shape(other.outcomes_) &&
           predicted_.same_shape(other.predicted_);
}

bool GroupTally::counts_same_points(const GroupTally& other) const noexcept {
    return decisions_.counts_same_points(other.decisions_) && outcomes_.counts_same_points(other.outcomes_) &&
           predicted_.counts_same_points(other.predicted_);
}

}  // namespace fairstream
