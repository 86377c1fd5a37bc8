#include <fairstream/targets/group_masses.hpp>

#include <utility>

namespace fairstream {

GroupTotals group_totals(const FairnessTally& tally) {
    std::vector<std::vector<std::int64_t>> totals;
    for (int a = 0; a < tally.attributes(); ++a) {
        totals.emplace_back(static_cast<std::size_t>(tally.groups(a)));
        for (ClusterId l = 0; l < tally.clusters(); ++l)
            for (std::size_t j = 0; j < totals.back().size(); ++j) totals.back()[j] += tally.counts(l, a)[j];
    }
    return totals;
}

GroupTotals group_totals(std::span<const GroupId> table, std::span<const Attribute> attributes) {
    GroupTotals totals;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
        totals.emplace_back(attributes[a].groups.size());
        for (std::size_t at = a; at < table.size(); at += attributes.size()) ++totals[a][table[at]];
    }
    return totals;
}

GroupTotals group_totals(const Window& window) {
    return group_totals(window.points().groups, window.format().attributes);
}

GroupMasses::GroupMasses(std::span<const std::vector<std::int64_t>> totals, std::vector<int> known_groups)
    : known(std::move(known_groups)) {
    for (const std::vector<std::int64_t>& of_groups : totals) by_group.emplace_back(of_groups.begin(), of_groups.end());
}

GroupMasses group_masses(const FairnessTally& tally, double weight_unit) {
    GroupMasses masses;
    masses.counted.assign(tally.counted().begin(), tally.counted().end());
    for (int a = 0; a < tally.attributes(); ++a) {
        masses.known.push_back(tally.known_groups(a));
        masses.by_group.emplace_back(static_cast<std::size_t>(tally.groups(a)));
        std::vector<double>& of_groups = masses.by_group.back();
        for (ClusterId l = 0; l < tally.clusters(); ++l)
            for (std::size_t j = 0; j < of_groups.size(); ++j) of_groups[j] += tally.weights(l, a)[j];
        for (double& mass : of_groups) mass /= weight_unit;
    }
    return masses;
}

GroupMasses group_masses(const Window& window) {
    FairnessTally tally = empty_tally(1, window.format());
    const std::vector<ClusterId> together(window.size());
    tally.add(together, window.points().groups.data(), window.weights());
    return group_masses(tally, window.weight_unit());
}

GroupMasses group_masses(const GroupTotals& totals, std::span<const Attribute> attributes) {
    std::vector<int> known;
    for (const Attribute& attribute : attributes) known.push_back(static_cast<int>(attribute.known_groups()));
    return {std::span(totals), std::move(known)};
}

}  // namespace fairstream
