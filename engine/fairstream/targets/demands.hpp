#pragma once
/// The demands on every cluster that follow from targets, for given points.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fairstream/fairness/demand.hpp>
#include <fairstream/targets/group_masses.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

/// Returns the demands of targets for groups of these weights. Demands cover only known groups. The rates of parity and
/// the shares by `share_delta` are relative to the known groups. A rare group (`counted_groups`) is left out.
[[nodiscard]] Demands demands_for(const ClusterTargets& targets, const GroupMasses& masses);

/// A demand on groups, with the option that asks for it.
struct NamedDemand {
    std::string_view option;  ///< for bounds on shares, one of the options that give them
    bool of_rates = false;    ///< a ratio of rates instead of counts
    bool by_delta = false;    ///< bounds on shares that follow only from `share_delta`
    double option_value = 0;  ///< value of `share_delta`, or the ratio
    Demand demand;
};
[[nodiscard]] std::vector<NamedDemand> named_demands(const ClusterTargets& targets, const GroupMasses& masses);

/// Returns the positions, among the balanced attributes, of the attributes with a demand on groups.
[[nodiscard]] std::vector<std::size_t> demanded_attributes(const ClusterTargets& targets, const GroupMasses& masses);

/// Returns whether each known group of the a-th balanced attribute counts: it is named, or its weight is at least
/// `rare_below` x k. If `rare_below` has two values, the first applies to a group that counted before
/// (`masses.counted`), the second to any other group. If fewer than two groups would count, all do.
[[nodiscard]] std::vector<bool> counted_groups(const ClusterTargets& targets, const GroupMasses& masses, std::size_t a);

/// Returns the weights of the retained points' groups, with the memory of the tally `before`: which groups counted at
/// the last step.
[[nodiscard]] GroupMasses masses_with_memory(const Window& window, const FairnessTally& before);
/// Returns which groups count, for `FairnessTally::remember_counted`. Empty if `rare_below` has one value, which needs
/// no memory.
[[nodiscard]] std::vector<std::uint8_t> groups_to_remember(const ClusterTargets& targets, const GroupMasses& masses);
/// Returns targets that name the groups that count now, so that the same groups count without memory. `masses` must
/// have that memory. Targets with one value of `rare_below` are returned unchanged.
[[nodiscard]] Targets without_memory(const ClusterTargets& targets, const GroupMasses& masses);

}  // namespace fairstream
