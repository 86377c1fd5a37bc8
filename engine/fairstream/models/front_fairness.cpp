#include <fairstream/models/front_fairness.hpp>

#include <algorithm>
#include <string>

#include <fairstream/base/number_text.hpp>

namespace fairstream {
namespace {

ClusterTargets asking_for(const ClusterTargets& targets, FrontMeasure measure, const OneOrMore<double>& ratio) {
    ClusterTargets asking{without_targets(targets), targets.clusters};
    (measure == FrontMeasure::parity ? asking.parity_at_least : asking.balance_at_least) = ratio;
    return asking;
}

std::span<const double> known_weights(const FairnessTally& tally, ClusterId l, const Demand& demand) {
    const auto attribute = static_cast<int>(demand.attribute);
    return tally.weights(l, attribute).first(static_cast<std::size_t>(tally.known_groups(attribute)));
}

double least_ratio(const Demand& demand, const FairnessTally& tally) {
    double least = 1;
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        least = std::min(least, weighted_balance(demand, known_weights(tally, l, demand)));
    return least;
}

}  // namespace

void check_has_groups(const StreamFormat& format) {
    if (format.attributes.empty())
        throw InvalidInput(Reason::bad_option,
                           "the points have no protected attribute: a front needs groups to balance");
}

void check_range(const char* name, double value, double low, double high) {
    if (value >= low && value <= high) return;
    throw InvalidInput(Reason::bad_option, std::string(name) + " = " + number_text(value) + ": must be " +
                                               number_text(low) + " to " + number_text(high));
}

void check_front_limits(int stages, int rounds, int point_limit, double gap) {
    check_range("rounds", rounds, 0, 1e6);
    check_range("stages", stages, 0, 1e6);
    check_range("point_limit", point_limit, 1, 1e6);
    if (!(gap >= 0 && gap < 1))
        throw InvalidInput(Reason::bad_option, "gap = " + number_text(gap) + ": must be at least 0 and below 1");
}

void check_front_points(const ClusterTargets& targets, std::span<const Attribute> attributes, const GroupMasses& masses,
                        std::size_t points) {
    if (points < static_cast<std::size_t>(targets.clusters))
        throw InvalidInput(Reason::not_ready, "clusters = " + std::to_string(targets.clusters) +
                                                  ": must be at most the number of points, " + std::to_string(points));
    for (std::size_t a = 0; a < targets.attribute.size(); ++a) {
        const auto index = static_cast<std::size_t>(targets.attribute[a]);
        const Attribute& attribute = attributes[index];
        const std::vector<bool> counted = counted_groups(targets, masses, a);
        for (std::size_t j = 0; j < counted.size(); ++j)
            if (counted[j] && masses.of(index)[j] == 0)
                throw InvalidInput(Reason::not_ready, "group '" + attribute.groups[j] + "' of '" + attribute.name +
                                                          "' has no point: every clustering has balance 0");
        if (counted.size() < 2)
            throw InvalidInput(Reason::not_ready,
                               "'" + attribute.name + "' has one group only: balance needs at least two");
    }
}

std::vector<LeftOutGroup> left_out_groups(const ClusterTargets& targets, FrontMeasure measure,
                                          const GroupMasses& masses) {
    return left_out_groups(asking_for(targets, measure, 1.0), masses);
}

FrontFairness::FrontFairness(const ClusterTargets& targets, FrontMeasure measure, const GroupMasses& masses)
    : targets_(targets), measure_(measure) {
    all_ = demands_for(asking_for(targets_, measure_, 1.0), masses);
    const bool relative = measure_ == FrontMeasure::balance && all_.of_groups.size() > 1;
    for (const Demand& demand : all_.of_groups) {
        const double best = weighted_balance(demand, masses.of(demand.attribute));
        unit_.push_back(relative ? best : 1);
        most_ = std::min(most_, best / unit_.back());
    }
    by_swaps_ = measure_ == FrontMeasure::balance && left_out_groups(targets_, measure_, masses).empty();
}

double FrontFairness::of(const FairnessTally& tally) const {
    double least = 1;
    for (std::size_t i = 0; i < unit_.size(); ++i)
        least = std::min(least, least_ratio(all_.of_groups[i], tally) / unit_[i]);
    return least;
}

std::vector<double> FrontFairness::by_attribute(const FairnessTally& tally) const {
    std::vector<double> ratios;
    for (const Demand& demand : all_.of_groups) ratios.push_back(least_ratio(demand, tally));
    return ratios;
}

ClusterTargets FrontFairness::at_least(double fairness) const {
    std::vector<double> ratios;
    for (const double unit : unit_) ratios.push_back(fairness * unit);
    return asking_for(targets_, measure_, OneOrMore<double>(std::move(ratios)));
}

}  // namespace fairstream
