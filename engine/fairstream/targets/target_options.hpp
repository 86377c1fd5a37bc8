#pragma once
/// The options of targets, by name.

#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

inline constexpr std::string_view parity_help =
    "target: smallest over largest rate of the groups in every cluster, by attribute; a group's rate is the share of "
    "its points that is in the cluster; 0: none";

/// Visits the options of targets except `attribute`. Models visit that one themselves, because some use it for more
/// than targets.
template <class Self, class Visit> void visit_targets(Self& o, Visit& visit) {
    constexpr bool live = true;
    visit(Number{"balance_at_least", 0, 1, live,
                 "target: smallest over largest group in every cluster, by attribute; 0: none"},
          o.balance_at_least);
    visit(
        Number{"parity_at_least", 0, 1, live,
               "target: smallest over largest rate of the groups in every cluster, by attribute; a group's rate is the "
               "share of its points that is in the cluster; auto: 0.8 without other targets, otherwise none; 0: none",
               0.0, "auto"},
        o.parity_at_least);
    visit(Number{"share_delta", 0, 1, live,
                 "target: each group's share of a cluster is within 1 - delta and 1 / (1 - delta) times its share of "
                 "all points, by attribute; 1: none",
                 1.0},
          o.share_delta);
    visit(Number{"share_at_least", 0, 1, live,
                 "target: least share of each group in every cluster; one value, or one for each group in their order",
                 0.0},
          o.share_at_least);
    visit(
        Number{"share_at_most", 0, 1, live,
               "target: largest share of each group in every cluster; one value, or one for each group in their order",
               1.0},
        o.share_at_most);
    visit(Number{"size_at_least", 0, 0x1p31 - 1, live, "target: least number of points in every cluster", 0.0},
          o.size_at_least);
    visit(Number{"size_at_most", 0, 0x1p31 - 1, live, "target: largest number of points in every cluster; 0: any", 0.0},
          o.size_at_most);
    visit(Number{"rare_below", 0, 1e9, live,
                 "targets leave out a group with fewer points than this times the number of clusters, as long as at "
                 "least two groups remain; with two values such as 2,5 a group is left out when it falls below 2 "
                 "times, and counts again when it reaches 5 times, the number of clusters; 0: every group counts",
                 0.0},
          o.rare_below);
    visit(Number{"named_groups", -1, 65535, live,
                 "groups that targets never leave out, by their numbers from 0 in the order of groups; -1: none", -1.0},
          o.named_groups);
}

}  // namespace fairstream
