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
                 "protected attribute that targets apply to, by name or index; several: sex,race"},
          o.targets.attribute);
    visit(of_paper(Number{"kmeans_updates", 0, 1e9, live,
                          "retained points revisited in each round of a refinement, and in each step if effort is 0 "
                          "(n_a of the paper)"}),
          o.kmeans_updates);
    visit(of_paper(
              Number{"swaps", 0, 1e9, live, "swaps in each step, made only if there is no target (n_b of the paper)"}),
          o.swaps);
    visit_targets(o.targets, visit);
    visit(Number{"effort", 0, 1e6, live,
                 "limit on improvement work, averaged per arriving point; 1: as much as 16 distances to each cluster",
                 0.0},
          o.effort);
    visit(Number{"change_price", 0, 10, live,
                 "under a target, a retained point changes its cluster only if that saves more than this share of the "
                 "mean squared distance, or if the target needs it",
                 0.0},
          o.change_price);
    visit(of_paper(Choice{"swap_with", target_names, live,
                          "partner of the least balanced cluster in swaps: local (the cluster whose swap costs least; "
                          "with swap=nearest the closest cluster) or global (the cluster richest in the scarce group)",
                          "target"}),
          o.swap_with);
    visit(of_paper(Choice{
              "swap", swap_names, live,
              "points that are swapped: exact_change (the pair whose swap costs least) or nearest (as in the paper)"}),
          o.swap);
    visit(Number{"candidates", 1, 1e9, live, "points sampled from each side of a swap"}, o.candidates);
    visit(of_paper(Number{"candidate_growth", 1, 2, live, "factor by which candidates grow with each step"}),
          o.candidate_growth);
    visit(of_paper(Choice{"centre_update", centre_update_names, live,
                          "how centres follow points: exact means, or the paper's steps"}),
          o.centre_update);
    visit(Number{"starts", 1, 1000, live,
                 "starts of a refinement that runs until nothing improves; the best is kept, and the time grows in "
                 "proportion"},
          o.starts);
    visit(Number{"seed", 0, 0x1p64, fixed, "seed of the model's random numbers"}, o.seed);
}

}  // namespace fairstream::safairkm
