#pragma once
/// What every cluster shall keep: the targets of models of clusters, under the names of their options.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Value of a target that is left to the model.
inline constexpr double automatic = -1;

/// Most combinations of the groups of balanced attributes.
inline constexpr std::size_t cell_limit = 4096;

/// All targets that are given hold together.
struct Targets {
    /// Indices of the protected attributes that are balanced, no two alike; their groups make at most `cell_limit`
    /// combinations.
    OneOrMore<int> attribute = 0;
    /// Smallest over largest group, f2, of each attribute (one value holds for all), in [0, 1]; 0: not asked for.
    OneOrMore<double> balance_at_least = 0;
    /// min_j (m_lj / n_j) / max_j (m_lj / n_j) of each attribute, n_j the points of group j in the window: the rates at
    /// which groups are selected for a cluster, smallest over largest, in [0, 1]; .8 is the four-fifths rule. 1 is
    /// attainable up to rounding whatever the window holds. `automatic`: .8 where no other target is given,
    /// otherwise 0.
    OneOrMore<double> parity_at_least = automatic;
    /// Bounds on the share of group j in every cluster, (1 - delta) r_j to r_j / (1 - delta), r_j its share of the
    /// window (Bera et al.), for each attribute, in [0, 1]; 1: none.
    OneOrMore<double> share_delta = 1;
    OneOrMore<double> share_at_least = 0;  ///< of every group of the balanced attributes in turn, or for all; in [0, 1]
    OneOrMore<double> share_at_most = 1;   ///< likewise
    int size_at_least = 0;                 ///< weight of every cluster, points that came now 1; in [0, 2^31 - 1]
    int size_at_most = 0;                  ///< likewise; 0: any number
    /// A group with fewer than this times k points in the window is left out of targets while two others count, in
    /// [0, 1e9]; 0: all count. Of two numbers it is left out below the first, and counts again from the second on.
    OneOrMore<double> rare_below = 5;
    OneOrMore<int> named_groups = -1;  ///< groups that count however rare, numbered through the balanced attributes;
                                       ///< in [-1, 65535], -1: none

    bool operator==(const Targets&) const = default;
};

/// The targets of so many clusters.
struct ClusterTargets : Targets {
    int clusters = 1;  ///< k
    bool operator==(const ClusterTargets&) const = default;
};

/// Throws `InvalidInput` (bad_option) for attributes that the stream does not have, for lists that are not of their
/// length, and for bounds that contradict each other; naming the option, its value and what it must be.
void check_targets(const ClusterTargets& targets, const StreamFormat& format);

/// Returns the parity asked for of the a-th balanced attribute: as chosen, or the default where nothing else is asked
/// for.
[[nodiscard]] double parity_target(const Targets& targets, std::size_t a);

/// Says whether anything is asked for of a stream with so many attributes.
[[nodiscard]] bool has_target(const Targets& targets, std::size_t attributes);

/// Returns the parity that is asked for by default, when nothing else is; empty: the targets say what they ask for, or
/// the stream has no protected attribute.
[[nodiscard]] std::optional<double> default_parity(const Targets& targets, const StreamFormat& format);

/// Returns the first option that asks for something of groups, such as "balance_at_least"; empty: none does.
[[nodiscard]] std::string_view option_on_groups(const Targets& targets);

/// Returns the same attributes, and groups that count, without anything asked for.
[[nodiscard]] Targets without_targets(const Targets& targets);

}  // namespace fairstream
