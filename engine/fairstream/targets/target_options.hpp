#pragma once
/// The options of targets, by name.

#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

inline constexpr std::string_view parity_help =
    "smallest over largest selection rate of the groups for every cluster, by attribute; a group's rate is the share "
    "of its points that the cluster has";

/// Visits the options of targets except `attribute`, which models visit themselves because it means more to some of
/// them.
template <class Self, class Visit> void visit_targets(Self& o, Visit& visit) {
    constexpr bool live = true;
    visit(Number{"balance_at_least", 0, 1, live,
                 "smallest over largest group in every cluster, by attribute; 0: not asked for"},
          o.balance_at_least);
    visit(
        Number{"parity_at_least", 0, 1, live,
               "smallest over largest selection rate of the groups for every cluster, by attribute; a group's rate is "
               "the share of its points that the cluster has; auto: 0.8 where nothing else is asked for, else 0",
               0.0, "auto"},
        o.parity_at_least);
    visit(
        Number{"share_delta", 0, 1, live,
               "each group's share of a cluster is within 1 - delta and 1 / (1 - delta) times its share of all points, "
               "by attribute; 1: no bound",
               1.0},
        o.share_delta);
    visit(Number{"share_at_least", 0, 1, live,
                 "least share of each group in every cluster: one value, or one for each group in the order of groups",
                 0.0},
          o.share_at_least);
    visit(Number{"share_at_most", 0, 1, live, "largest share of each group in every cluster, likewise", 1.0},
          o.share_at_most);
    visit(Number{"size_at_least", 0, 0x1p31 - 1, live, "least number of points in every cluster", 0.0},
          o.size_at_least);
    visit(Number{"size_at_most", 0, 0x1p31 - 1, live, "largest number of points in every cluster; 0: any number", 0.0},
          o.size_at_most);
    visit(Number{"rare_below", 0, 1e9, live,
                 "points per cluster: a group that has fewer than this times clusters in all is too rare to count for "
                 "targets, unless fewer than two groups would be left; of two numbers, 2,5, a group is left out below "
                 "the first and counts again from the second on; 0: every group counts",
                 0.0},
          o.rare_below);
    visit(
        Number{"named_groups", -1, 65535, live,
               "groups that count however rare, by their numbers, 0 the first in the order of groups; -1: none", -1.0},
        o.named_groups);
}

}  // namespace fairstream
