#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/fairness/attainable.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream {
namespace {

constexpr std::string_view at_least = "size_at_least", at_most = "size_at_most";

std::string short_number(double value) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4).ptr;
    return {text.data(), end};
}

// Rounds a bound to a short text whose value does not lie beyond the bound.
std::string short_bound(double bound, bool is_upper) {
    const auto beyond = [&](const std::string& text) {
        double read = 0;
        std::from_chars(text.data(), text.data() + text.size(), read);
        return is_upper ? read > bound : read < bound;
    };
    std::string text = short_number(bound);
    if (beyond(text)) {
        const double half_a_digit = 0.5 * std::pow(10, std::floor(std::log10(std::abs(bound))) - 3);
        text = short_number(is_upper ? bound - half_a_digit : bound + half_a_digit);
    }
    return text;
}
std::string at_most_text(double bound) {
    return short_bound(bound, true);
}
std::string at_least_text(double bound) {
    return short_bound(bound, false);
}

std::string quoted(const std::string& name) {
    return "'" + name + "'";
}

std::string option_prefix(std::string_view option, double value) {
    return std::string(option) + " = " + number_text(value) + ": ";
}

// Returns the numbers of points of the groups that count.
std::vector<std::int64_t> counted_totals(const Demand& demand, std::span<const std::int64_t> totals) {
    std::vector<std::int64_t> counted;
    for (std::size_t j = 0; j < totals.size(); ++j)
        if (demand.weight(j) > 0) counted.push_back(totals[j]);
    return counted;
}

std::string ratio_obstacle_text(const NamedDemand& named, const Obstacle& obstacle, const Attribute& attribute,
                                std::span<const std::int64_t> totals, std::int64_t points, std::int64_t clusters) {
    const std::vector<std::int64_t> counted = counted_totals(named.demand, totals);
    const double best = named.of_rates ? attainable_parity(counted, clusters) : attainable_balance(counted, clusters);
    return option_prefix(named.option, named.demand.ratio) + std::to_string(points) + " points, " +
           std::to_string(totals[obstacle.group]) + " of them in group " + quoted(attribute.groups[obstacle.group]) +
           " of " + quoted(attribute.name) + ", allow at most " + at_most_text(best) + " in each of " +
           std::to_string(clusters) + " clusters";
}

// Notes an obstacle to bounds on shares. Only bounds given as shares can exclude the groups' shares among all points;
// bounds by `share_delta` contain them.
TargetNote share_note(const NamedDemand& named, const Obstacle& obstacle, const Attribute& attribute,
                      std::span<const std::int64_t> totals, std::int64_t points, std::int64_t clusters) {
    const bool scarce = obstacle.kind == Obstacle::Kind::scarce;
    if (scarce && totals[obstacle.group] < clusters) {
        const std::string_view option = named.by_delta ? "share_delta" : "share_at_least";
        return {option, static_cast<int>(named.demand.attribute),
                option_prefix(option, named.by_delta ? named.option_value : named.demand.lower[obstacle.group]) +
                    "only " + std::to_string(totals[obstacle.group]) + " of " + std::to_string(points) +
                    " points are in group " + quoted(attribute.groups[obstacle.group]) + " of " +
                    quoted(attribute.name) + ", too few for each of " + std::to_string(clusters) +
                    " clusters to have one"};
    }
    const std::string_view option = scarce ? "share_at_least" : "share_at_most";
    const double bound = (scarce ? named.demand.lower : named.demand.upper)[obstacle.group];
    const double share = static_cast<double>(totals[obstacle.group]) / static_cast<double>(points);
    return {option, static_cast<int>(named.demand.attribute),
            option_prefix(option, bound) + "group " + quoted(attribute.groups[obstacle.group]) + " of " +
                quoted(attribute.name) + " is " + (scarce ? at_most_text(share) : at_least_text(share)) + " of all " +
                std::to_string(points) + " points, so some cluster has at " + (scarce ? "most" : "least") +
                " that share"};
}

TargetNote size_note(const Obstacle& obstacle, const SizeDemand& demand, std::int64_t points, std::int64_t clusters) {
    const bool few = obstacle.kind == Obstacle::Kind::too_few;
    const std::string in = " in each of " + std::to_string(clusters) + " clusters";
    const std::string all = std::to_string(points) + " points ";
    return few ? TargetNote{at_least, -1,
                            option_prefix(at_least, static_cast<double>(demand.at_least)) + all + "allow at most " +
                                std::to_string(points / clusters) + in}
               : TargetNote{at_most, -1,
                            option_prefix(at_most, static_cast<double>(demand.at_most)) + all + "mean at least " +
                                std::to_string((points + clusters - 1) / clusters) + " in one of " +
                                std::to_string(clusters) + " clusters"};
}

SizeDemand size_demand(const ClusterTargets& targets) {
    return demands_for(targets, GroupMasses()).of_sizes;
}

// Returns the weights of the known groups in a cluster.
std::span<const double> known_group_weights(const FairnessTally& tally, ClusterId l, const Demand& demand) {
    const auto attribute = static_cast<int>(demand.attribute);
    return tally.weights(l, attribute).first(static_cast<std::size_t>(tally.known_groups(attribute)));
}

// Returns the cluster that misses bounds on shares by most, or none.
ClusterId worst_by_shares(const Demand& demand, const FairnessTally& tally) {
    double most = 0;
    ClusterId worst = no_cluster;
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        if (const double by = shortfall(demand, known_group_weights(tally, l, demand)); by > most) most = by, worst = l;
    return worst;
}

TargetNote missed_ratio(const NamedDemand& named, const Attribute& attribute, const FairnessTally& tally) {
    double least = std::numeric_limits<double>::infinity();
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        least = std::min(least, weighted_balance(named.demand, known_group_weights(tally, l, named.demand)));
    return {named.option, static_cast<int>(named.demand.attribute),
            option_prefix(named.option, named.demand.ratio) + "the worst cluster has " + short_number(least) + " for " +
                quoted(attribute.name)};
}

// Notes the first group of cluster l that is outside its bounds; there must be one.
TargetNote missed_share(const NamedDemand& named, const Attribute& attribute, const FairnessTally& tally, ClusterId l) {
    const Demand& demand = named.demand;
    const std::span<const double> counts = known_group_weights(tally, l, demand);
    const double size = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t j = 0; j < counts.size(); ++j) {
        const double share = counts[j] / size;
        Demand one = demand;
        one.lower.assign(counts.size(), 0), one.upper.assign(counts.size(), 1);
        one.lower[j] = demand.lower[j], one.upper[j] = demand.upper[j];
        if (shortfall(one, counts) == 0) continue;
        const bool scarce = share < demand.lower[j];
        const std::string_view option = named.by_delta ? "share_delta" : scarce ? "share_at_least" : "share_at_most";
        return {
            option, static_cast<int>(demand.attribute),
            option_prefix(option, named.by_delta ? named.option_value : (scarce ? demand.lower[j] : demand.upper[j])) +
                "group " + quoted(attribute.groups[j]) + " of " + quoted(attribute.name) + " is " +
                short_number(share) + " of cluster " + std::to_string(l) + ", " + (scarce ? "below " : "above ") +
                short_number(scarce ? demand.lower[j] : demand.upper[j])};
    }
    return {named.option, static_cast<int>(demand.attribute), std::string(named.option) + " is missed"};
}

std::string weight_text(const FairnessTally& tally, double weight) {
    return tally.is_weighted() ? "weight " + short_number(weight)
                               : std::to_string(static_cast<std::int64_t>(weight)) + " points";
}

std::vector<TargetNote> missed_sizes(const SizeDemand& demand, const FairnessTally& tally, double weight_unit) {
    std::vector<TargetNote> notes;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (ClusterId l = 0; l < tally.clusters(); ++l) {
        const double weight = tally.weight(l) / weight_unit;
        least = std::min(least, weight), most = std::max(most, weight);
    }
    const auto falls_short = [&](double weight) { return shortfall(demand, weight) > 0; };
    if (falls_short(least) && least < static_cast<double>(demand.at_least))
        notes.push_back({at_least, -1,
                         option_prefix(at_least, static_cast<double>(demand.at_least)) + "the smallest cluster has " +
                             weight_text(tally, least)});
    if (falls_short(most) && most > static_cast<double>(demand.at_most))
        notes.push_back({at_most, -1,
                         option_prefix(at_most, static_cast<double>(demand.at_most)) + "the largest cluster has " +
                             weight_text(tally, most)});
    return notes;
}

}  // namespace

std::vector<TargetNote> unattainable_targets(const ClusterTargets& targets, const StreamFormat& format,
                                             const GroupTotals& totals, std::int64_t points) {
    std::vector<TargetNote> notes;
    const std::int64_t clusters = targets.clusters;
    const SizeDemand sizes = size_demand(targets);
    if (const auto found = find_obstacle({{}, sizes}, totals, points, clusters))
        notes.push_back(size_note(*found, sizes, points, clusters));
    for (const NamedDemand& named : named_demands(targets, group_masses(totals, format.attributes))) {
        const auto found = find_obstacle({{named.demand}, {}}, totals, points, clusters, exact_split_limit);
        if (!found) continue;
        const Attribute& attribute = format.attributes[named.demand.attribute];
        const std::span<const std::int64_t> of_groups =
            std::span(totals[named.demand.attribute]).first(attribute.known_groups());
        const std::int64_t of_known = std::accumulate(of_groups.begin(), of_groups.end(), std::int64_t{0});
        if (named.demand.of_shares())
            notes.push_back(share_note(named, *found, attribute, of_groups, of_known, clusters));
        else
            notes.push_back({named.option, static_cast<int>(named.demand.attribute),
                             ratio_obstacle_text(named, *found, attribute, of_groups, of_known, clusters)});
    }
    return notes;
}

namespace {

TargetNote weight_note(const NamedDemand& named, const Obstacle& obstacle, const Attribute& attribute,
                       std::span<const double> masses) {
    const double all = std::accumulate(masses.begin(), masses.end(), 0.0);
    const bool scarce = obstacle.kind == Obstacle::Kind::scarce;
    const double share = masses[obstacle.group] / all;
    const std::string group = "group " + quoted(attribute.groups[obstacle.group]) + " of " + quoted(attribute.name);
    if (!named.demand.of_shares())
        return {named.option, static_cast<int>(named.demand.attribute),
                option_prefix(named.option, named.demand.ratio) + group + " has " + short_number(share) +
                    " of the weight of all points, which allows at most " +
                    at_most_text(weighted_balance(named.demand, masses)) + " in every cluster"};
    const std::string_view option = scarce ? "share_at_least" : "share_at_most";
    return {option, static_cast<int>(named.demand.attribute),
            option_prefix(option, (scarce ? named.demand.lower : named.demand.upper)[obstacle.group]) + group + " is " +
                (scarce ? at_most_text(share) : at_least_text(share)) +
                " of all points by weight, so some cluster has at " + (scarce ? "most" : "least") + " that share"};
}

TargetNote size_weight_note(const Obstacle& obstacle, const SizeDemand& demand, double all, std::int64_t clusters) {
    const bool few = obstacle.kind == Obstacle::Kind::too_few;
    const double average = all / static_cast<double>(clusters);
    return {few ? at_least : at_most, -1,
            option_prefix(few ? at_least : at_most, static_cast<double>(few ? demand.at_least : demand.at_most)) +
                "points of weight " + short_number(all) + " give " +
                (few ? at_most_text(average) : at_least_text(average)) + " on average in " + std::to_string(clusters) +
                " clusters"};
}

}  // namespace

std::vector<TargetNote> unattainable_targets(const ClusterTargets& targets, const Window& window) {
    const StreamFormat& format = window.format();
    if (!format.has_weights) return unattainable_targets(targets, format, group_totals(window), window.size());
    if (window.size() < static_cast<Slot>(targets.clusters)) return {};
    std::vector<TargetNote> notes;
    const GroupMasses masses = group_masses(window);
    const std::span<const double> weights = window.weights();
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0) / window.weight_unit();
    const SizeDemand sizes = size_demand(targets);
    if (const auto found = find_obstacle_of_weights({{}, sizes}, masses.by_group, all, targets.clusters))
        notes.push_back(size_weight_note(*found, sizes, all, targets.clusters));
    for (const NamedDemand& named : named_demands(targets, masses))
        if (const auto found = find_obstacle_of_weights({{named.demand}, {}}, masses.by_group, all, targets.clusters))
            notes.push_back(weight_note(named, *found, format.attributes[named.demand.attribute],
                                        masses.of(named.demand.attribute)));
    return notes;
}

std::vector<TargetNote> missed_targets(const ClusterTargets& targets, const StreamFormat& format,
                                       const FairnessTally& tally, double weight_unit) {
    if (tally.total() == 0) return {};
    std::vector<TargetNote> notes = missed_sizes(size_demand(targets), tally, weight_unit);
    for (const NamedDemand& named : named_demands(targets, group_masses(tally, weight_unit))) {
        const ClusterId worst = worst_by_shares(named.demand, tally);
        if (worst == no_cluster) continue;
        const Attribute& attribute = format.attributes[named.demand.attribute];
        notes.push_back(named.demand.of_shares() ? missed_share(named, attribute, tally, worst)
                                                 : missed_ratio(named, attribute, tally));
    }
    return notes;
}

Outcome outcome_of_labels(Outcome solved, const ClusterTargets& targets, const Window& window,
                          const FairnessTally& tally) {
    if (missed_targets(targets, window.format(), tally, window.weight_unit()).empty()) return solved;
    return unattainable_targets(targets, window).empty() ? Outcome::stalled : Outcome::unattainable;
}

Outcome outcome_of_labels(Outcome solved, const ClusterTargets& targets, const StreamFormat& format,
                          const GroupTotals& totals, std::int64_t points, const FairnessTally& tally) {
    if (missed_targets(targets, format, tally).empty()) return solved;
    return unattainable_targets(targets, format, totals, points).empty() ? Outcome::stalled : Outcome::unattainable;
}

std::vector<LeftOutGroup> left_out_groups(const ClusterTargets& targets, const GroupMasses& masses) {
    std::vector<LeftOutGroup> groups;
    for (const std::size_t a : demanded_attributes(targets, masses)) {
        const int attribute = targets.attribute[a];
        const std::vector<bool> counted = counted_groups(targets, masses, a);
        for (std::size_t j = 0; j < counted.size(); ++j)
            if (!counted[j])
                groups.push_back({attribute, static_cast<GroupId>(j),
                                  std::llround(masses.of(static_cast<std::size_t>(attribute))[j])});
    }
    return groups;
}

}  // namespace fairstream
