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
                 "protected attribute whose groups are fair, or several, sex,race: name, or index"},
          o.targets.attribute);
    visit(only_for(OptionScope::points,
                   Number{"neighbours", 0, 1000, fixed, "of a point in the graph; 0: log2 of their number, and one"}),
          o.neighbours);
    visit(Choice{"method", method_names, live, "probabilities as sharp as tau says, or nearest to the graph"},
          o.method);
    visit(only_with("method=b_lord",
                    Number{"tau", 0, 1, live,
                           "how sharp probabilities are: 0 level, 1 sharp; tau2: by the graph's eigenvalues, tau1: by "
                           "the number of points",
                           std::nullopt, "tau2", "tau1"}),
          o.tau);
    visit(Number{"priors", 1e-6, 1e6, fixed,
                 "share of all points for each cluster, scaled to a sum of 1; one value: all alike"},
          o.priors);
    visit(Choice{"fair", fair_names, live, "whether groups have their shares of every cluster's probabilities"},
          o.fair);
    visit(only_with("fair=proportional",
                    Number{"small_below", 0, 1e9, live, "points below which a group has no shares of its own"}),
          o.small_below);
    visit(Number{"iterations", 1, 1e9, live, "per step and start, at most"}, o.iterations);
    visit(Number{"tolerance", 1e-9, 1, live, "relative change of V at which iterations end"}, o.tolerance);
    visit(Number{"starts", 1, 1000, live,
                 "random ones where clusters are made anew, the best kept; auto: 10, and fewer for more than 100,000 "
                 "points",
                 std::nullopt, "auto"},
          o.starts);
    visit(only_for(OptionScope::steps,
                   Number{"fresh_every", 0, 1e9, live,
                          "steps after which fresh starts are made beside, taken where clearly better; 0: never"}),
          o.fresh_every);
    visit_targets(o.targets, visit);
    visit(Number{"seed", 0, 0x1p64, fixed, "of the model's draws"}, o.seed);
}

}  // namespace fairstream::lord
