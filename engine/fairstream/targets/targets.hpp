#pragma once
/// The targets that every cluster must meet, under the names of their options.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Value of a target that the model chooses.
inline constexpr double automatic = -1;

/// Largest number of combinations of groups of balanced attributes.
inline constexpr std::size_t cell_limit = 4096;

/// Targets of a clustering; all that are given apply together.
struct Targets {
    /// Indices of the balanced protected attributes, no two equal; at most `cell_limit` combinations of their groups.
    OneOrMore<int> attribute = 0;
    /// Least balance of every cluster, smallest over largest group (f2), per attribute or one value for all, in [0, 1];
    /// 0: none.
    OneOrMore<double> balance_at_least = 0;
    /// Least parity of every cluster, per attribute or one value for all: min_j (m_lj / n_j) / max_j (m_lj / n_j), in
    /// [0, 1]. m_lj is the number of points of group j in cluster l, n_j that in the window. So this is the ratio of
    /// the smallest and largest rates at which groups are selected for a cluster. .8 is the four-fifths rule; 1 is
    /// attainable up to rounding in any window. `automatic`: .8 if no other target is given, otherwise 0.
    OneOrMore<double> parity_at_least = automatic;
    /// Bounds on the share of group j in every cluster, (1 - delta) r_j to r_j / (1 - delta), with r_j its share of the
    /// window (Bera et al.); per attribute or one value for all, in [0, 1]; 1: none.
    OneOrMore<double> share_delta = 1;
    OneOrMore<double> share_at_least = 0;  ///< per group of the balanced attributes in order, or for all; in [0, 1]
    OneOrMore<double> share_at_most = 1;   ///< as `share_at_least`
    int size_at_least = 0;                 ///< least weight of every cluster; a point that comes now weighs 1; in [0,
                                           ///< 2^31 - 1]
    int size_at_most = 0;                  ///< largest weight of every cluster; 0: no limit
    /// A group with fewer than this times k points in the window is left out of targets while two others count; in [0,
    /// 1e9]; 0: all groups count. With two values, a group is left out below the lower value, and counts again from the
    /// higher value on.
    OneOrMore<double> rare_below = 5;
    OneOrMore<int> named_groups = -1;  ///< groups that count however rare, numbered across the balanced attributes; in
                                       ///< [-1, 65535], -1: none

    bool operator==(const Targets&) const = default;
};

/// Targets with the number of clusters that they apply to.
struct ClusterTargets : Targets {
    int clusters = 1;  ///< k
    bool operator==(const ClusterTargets&) const = default;
};

/// Throws `InvalidInput` (bad_option) for attributes that the stream does not have, for lists of the wrong length, and
/// for bounds that contradict each other. The text has the option, its value and the rule.
void check_targets(const ClusterTargets& targets, const StreamFormat& format);

/// Returns the parity target of the a-th balanced attribute: as given, or the default if no other target is given.
[[nodiscard]] double parity_target(const Targets& targets, std::size_t a);

/// Returns whether any target is asked for on a stream with this many attributes.
[[nodiscard]] bool has_target(const Targets& targets, std::size_t attributes);

/// Returns the parity target that applies by default. Empty if a target is given, or if the stream has no protected
/// attribute.
[[nodiscard]] std::optional<double> default_parity(const Targets& targets, const StreamFormat& format);

/// Returns the first option that sets a target on groups, e.g. "balance_at_least"; empty if none does.
[[nodiscard]] std::string_view first_group_option(const Targets& targets);

/// Returns the same attributes and named groups without targets.
[[nodiscard]] Targets without_targets(const Targets& targets);

}  // namespace fairstream
