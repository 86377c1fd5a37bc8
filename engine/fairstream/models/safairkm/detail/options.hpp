#pragma once
/// The options of safairkm by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/target_options.hpp>

namespace fairstream::safairkm {

inline constexpr std::array<std::string_view, 2> target_names{"local", "global"};
inline constexpr std::array<std::string_view, 2> swap_names{"exact_change", "nearest"};
inline constexpr std::array<std::string_view, 2> centre_update_names{"exact", "paper"};

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    visit(Number{"clusters", 1, 32767, fixed, "number of clusters k"}, o.clusters);
    visit(Number{"attribute", 0, 255, fixed,
                 "protected attribute that is balanced, or several, sex,race: name, or index"},
          o.targets.attribute);
    visit(Number{"kmeans_updates", 0, 1e9, live, "n_a: retained points revisited per step"}, o.kmeans_updates);
    visit(Number{"swaps", 0, 1e9, live, "n_b: swaps per step, where no target is given"}, o.swaps);
    visit_targets(o.targets, visit);
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
