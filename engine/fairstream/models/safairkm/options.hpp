#pragma once
/// The options of safairkm by name. Private to the engine.

#include <array>
#include <string_view>

#include <fairstream/models/option_fields.hpp>
#include <fairstream/models/safairkm.hpp>

namespace fairstream::safairkm {

inline constexpr std::array<std::string_view, 2> target_names{"local", "global"};
inline constexpr std::array<std::string_view, 2> swap_names{"exact_change", "nearest"};
inline constexpr std::array<std::string_view, 2> centre_update_names{"exact", "paper"};

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    visit(Number{"clusters", 1, 32767, fixed, "number of clusters k"}, o.clusters);
    visit(Number{"attribute", 0, 255, fixed, "index of the protected attribute that is balanced, or several: 0,1"},
          o.attribute);
    visit(Number{"kmeans_updates", 0, 1e9, live, "n_a: retained points revisited per step"}, o.kmeans_updates);
    visit(Number{"swaps", 0, 1e9, live, "n_b: swaps per step"}, o.swaps);
    visit(Number{"balance_at_least", 0, 1, live,
                 "balance every cluster shall have, by attribute; above 0 it replaces swaps"},
          o.balance_at_least);
    visit(Choice{"target", target_names, live, "with which cluster the least balanced one swaps"}, o.target);
    visit(Choice{"swap", swap_names, live, "which points are swapped: those that cost least, or the paper's"}, o.swap);
    visit(Number{"candidates", 1, 1e9, live, "points sampled from each side of a swap"}, o.candidates);
    visit(Number{"candidate_growth", 1, 2, live, "factor on candidates per step"}, o.candidate_growth);
    visit(Choice{"centre_update", centre_update_names, live, "exact means, or the paper's one-sided steps"},
          o.centre_update);
    visit(Number{"starts", 1, 1000, live, "starts an open-ended refinement tries, the best kept"}, o.starts);
    visit(Number{"seed", 0, 0x1p64, fixed, "of the model's generator"}, o.seed);
}

}  // namespace fairstream::safairkm
