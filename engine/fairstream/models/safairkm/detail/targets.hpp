#pragma once
/// The demands of the options on every cluster, for the points that there are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fairstream/fairness/demand.hpp>
#include <fairstream/models/safairkm/detail/cells.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::safairkm {

/// Returns the parity asked for of the a-th balanced attribute: as chosen, or the default where nothing else is asked
/// for.
[[nodiscard]] double parity_target(const Options& options, std::size_t a);

/// Sets the targets of options that have them under these names to those of others.
template <class From, class To> void copy_targets(const From& from, To& to) {
    to.balance_at_least = from.balance_at_least;
    to.parity_at_least = from.parity_at_least;
    to.share_delta = from.share_delta;
    to.share_at_least = from.share_at_least;
    to.share_at_most = from.share_at_most;
    to.size_at_least = from.size_at_least;
    to.size_at_most = from.size_at_most;
}
/// Copies these and what they are about: the clusters, the attributes, the groups that count, and the seed.
template <class From, class To> void copy_clusters_and_targets(const From& from, To& to) {
    to.clusters = from.clusters;
    to.attribute = from.attribute;
    copy_targets(from, to);
    to.rare_below = from.rare_below;
    to.named_groups = from.named_groups;
    to.seed = from.seed;
}

/// Returns the options without targets; the number of swaps stays.
[[nodiscard]] Options without_targets(Options options);

/// Returns the demands of the options when the groups of the stream weigh so much. The rates of parity and the shares
/// by `share_delta` are relative to the known groups, which alone the demands are about and have entries for. A group
/// that is rare (`counted_groups`) is left out.
[[nodiscard]] Demands demands_for(const Options& options, const GroupMasses& masses);

/// A demand on groups, and the option that asks for it.
struct NamedDemand {
    std::string_view option;  ///< bounds on shares: one of those that give them
    bool of_rates = false;    ///< a ratio of rates, not of counts
    bool by_delta = false;    ///< bounds on shares that no option says itself
    double asked = 0;         ///< `share_delta`, or the ratio
    Demand demand;
};
[[nodiscard]] std::vector<NamedDemand> named_demands(const Options& options, const GroupMasses& masses);

/// Returns the positions among the balanced attributes of those that a demand on groups is about.
[[nodiscard]] std::vector<std::size_t> demanded_attributes(const Options& options, const GroupMasses& masses);

/// Says whether each known group of the a-th balanced attribute counts: it is named, or weighs `rare_below` x k, by the
/// first number if `masses.counted` says that it counted before, otherwise by the second. All count where fewer than
/// two would.
[[nodiscard]] std::vector<bool> counted_groups(const Options& options, const GroupMasses& masses, std::size_t a);

/// Weighs the retained points, with the memory of the tally of those before them.
[[nodiscard]] GroupMasses masses_remembering(const Window& window, const FairnessTally& before);
/// Returns the groups that count, for `FairnessTally::remember_counted`; empty where `rare_below` is one number, which
/// needs no memory.
[[nodiscard]] std::vector<std::uint8_t> groups_to_remember(const Options& options, const GroupMasses& masses);
/// Returns `named_groups` and beside them all other groups that count for `rare_below`.
[[nodiscard]] OneOrMore<int> named_and_counted(const Options& options, const GroupMasses& masses);

/// Returns options under which the same groups count as under these, whether or not anybody remembers which counted
/// before: those that do are named. `masses` has that memory. Options with one `rare_below` are returned as they are.
template <class AnyOptions>
[[nodiscard]] AnyOptions without_memory(const AnyOptions& options, const GroupMasses& masses) {
    AnyOptions same = options;
    if (options.rare_below.size() == 1) return same;
    Options targets;
    copy_clusters_and_targets(options, targets);
    same.named_groups = named_and_counted(targets, masses);
    same.rare_below = options.rare_below[1];
    return same;
}

}  // namespace fairstream::safairkm
