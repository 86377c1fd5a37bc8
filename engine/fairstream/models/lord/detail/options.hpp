#pragma once
/// The options of lord by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/targets/target_options.hpp>

namespace fairstream::lord {

inline constexpr std::array<std::string_view, 2> method_names{"b_lord", "lord"};
inline constexpr std::array<std::string_view, 2> fair_names{"proportional", "off"};

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    visit(Number{"clusters", 1, 4096, fixed, "number of clusters k"}, o.clusters);
    visit(Number{"attribute", 0, 255, fixed,
                 "protected attribute whose groups are treated alike, by name or index; several: sex,race"},
          o.targets.attribute);
    visit(only_for(OptionScope::points,
                   Number{"neighbours", 0, 1000, fixed,
                          "neighbours of a point in the graph; 0: 1 + log2 of the number of points"}),
          o.neighbours);
    visit(Choice{"method", method_names, live,
                 "b_lord: probabilities as sharp as tau says; lord: probabilities nearest to the graph"},
          o.method);
    visit(only_with("method=b_lord",
                    Number{"tau", 0, 1, live,
                           "sharpness of probabilities, from 0 (all clusters equal) to 1 (one cluster); or tau1: "
                           "chosen by the number of points; or tau2: chosen by the graph's eigenvalues",
                           std::nullopt, "tau2", "tau1"}),
          o.tau);
    visit(Number{"priors", 1e-6, 1e6, fixed, "prior share of each cluster, scaled to a sum of 1; one value: all equal"},
          o.priors);
    visit(Choice{"fair", fair_names, live,
                 "proportional: each cluster's mean probability is the same in every group; off: no such constraint"},
          o.fair);
    visit(only_with("fair=proportional",
                    Number{"small_below", 0, 1e9, live, "groups with fewer points are treated together"}),
          o.small_below);
    visit(Number{"iterations", 1, 1e9, live, "largest number of iterations in a step, and in a start"}, o.iterations);
    visit(Number{"tolerance", 1e-9, 1, live, "relative change of the solution V at which iterations end"}, o.tolerance);
    visit(
        Number{"starts", 1, 1000, live,
               "random starts, of which the best is kept; auto: 10, fewer above 100,000 points", std::nullopt, "auto"},
        o.starts);
    visit(only_for(
              OptionScope::steps,
              Number{
                  "fresh_every", 0, 1e9, live,
                  "steps between two fresh starts; a result that is 1 % better replaces the present result; 0: never"}),
          o.fresh_every);
    visit_targets(o.targets, visit);
    visit(Number{"seed", 0, 0x1p64, fixed, "seed of the model's random numbers"}, o.seed);
}

}  // namespace fairstream::lord
