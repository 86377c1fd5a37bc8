#pragma once
/// What targets demand of every cluster, for the points that there are.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fairstream/fairness/demand.hpp>
#include <fairstream/targets/group_masses.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

/// Returns the demands of targets when the groups of the stream weigh so much. The rates of parity and the shares
/// by `share_delta` are relative to the known groups, which alone the demands are about and have entries for. A group
/// that is rare (`counted_groups`) is left out.
[[nodiscard]] Demands demands_for(const ClusterTargets& targets, const GroupMasses& masses);

/// A demand on groups, and the option that asks for it.
struct NamedDemand {
    std::string_view option;  ///< bounds on shares: one of those that give them
    bool of_rates = false;    ///< a ratio of rates, not of counts
    bool by_delta = false;    ///< bounds on shares that no option says itself
    double asked = 0;         ///< `share_delta`, or the ratio
    Demand demand;
};
[[nodiscard]] std::vector<NamedDemand> named_demands(const ClusterTargets& targets, const GroupMasses& masses);

/// Returns the positions among the balanced attributes of those that a demand on groups is about.
[[nodiscard]] std::vector<std::size_t> demanded_attributes(const ClusterTargets& targets, const GroupMasses& masses);

/// Says whether each known group of the a-th balanced attribute counts: it is named, or weighs `rare_below` x k, by the
/// first number if `masses.counted` says that it counted before, otherwise by the second. All count where fewer than
/// two would.
[[nodiscard]] std::vector<bool> counted_groups(const ClusterTargets& targets, const GroupMasses& masses, std::size_t a);

/// Weighs the retained points, with the memory of the tally of those before them.
[[nodiscard]] GroupMasses masses_remembering(const Window& window, const FairnessTally& before);
/// Returns the groups that count, for `FairnessTally::remember_counted`; empty where `rare_below` is one number, which
/// needs no memory.
[[nodiscard]] std::vector<std::uint8_t> groups_to_remember(const ClusterTargets& targets, const GroupMasses& masses);
/// Returns targets for which the same groups count as for these, whether or not anybody remembers which counted before:
/// those that do are named. `masses` has that memory. Targets with one `rare_below` are returned as they are.
[[nodiscard]] Targets without_memory(const ClusterTargets& targets, const GroupMasses& masses);

}  // namespace fairstream
