#pragma once
/// The options of safairkm by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

inline constexpr std::array<std::string_view, 2> target_names{"local", "global"};
inline constexpr std::array<std::string_view, 2> swap_names{"exact_change", "nearest"};
inline constexpr std::array<std::string_view, 2> centre_update_names{"exact", "paper"};

inline constexpr std::string_view parity_help =
    "smallest over largest selection rate of the groups for every cluster, by attribute; a group's rate is the share "
    "of its points that the cluster has";

/// Visits the targets of options that have them under these names.
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

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    visit(Number{"clusters", 1, 32767, fixed, "number of clusters k"}, o.clusters);
    visit(Number{"attribute", 0, 255, fixed,
                 "protected attribute that is balanced, or several, sex,race: name, or index"},
          o.attribute);
    visit(Number{"kmeans_updates", 0, 1e9, live, "n_a: retained points revisited per step"}, o.kmeans_updates);
    visit(Number{"swaps", 0, 1e9, live, "n_b: swaps per step, where no target is given"}, o.swaps);
    visit_targets(o, visit);
    visit(Number{"effort", 0, 1e6, live,
                 "work on improving the clusters, in evaluations of 16 x clusters distances per arriving point", 0.0},
          o.effort);
    visit(Choice{"swap_with", target_names, live, "the cluster that the least balanced one swaps with", "target"},
          o.swap_with);
    visit(Choice{"swap", swap_names, live, "which points are swapped: those that cost least, or the paper's"}, o.swap);
    visit(Number{"candidates", 1, 1e9, live, "points sampled from each side of a swap"}, o.candidates);
    visit(Number{"candidate_growth", 1, 2, live, "factor on candidates per step"}, o.candidate_growth);
    visit(Choice{"centre_update", centre_update_names, live, "exact means, or the paper's one-sided steps"},
          o.centre_update);
    visit(Number{"starts", 1, 1000, live,
                 "starts an open-ended refinement tries, the best kept; its time is in proportion"},
          o.starts);
    visit(Number{"seed", 0, 0x1p64, fixed, "seed of the model's random numbers"}, o.seed);
}

}  // namespace fairstream::safairkm
