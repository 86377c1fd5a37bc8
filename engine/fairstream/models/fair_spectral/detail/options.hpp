#pragma once
/// The options of fair_spectral by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/targets/target_options.hpp>

namespace fairstream::fair_spectral {

inline constexpr std::array<std::string_view, 4> affinity_names{"knn", "rbf", "dense", "nystrom"};
inline constexpr std::array<std::string_view, 2> weights_names{"self_tuning", "rbf"};
inline constexpr std::array<std::string_view, 2> solver_names{"krylov", "admm"};
inline constexpr std::array<std::string_view, 2> inner_names{"step", "lbfgs"};
inline constexpr std::array<std::string_view, 2> penalty_rule_names{"fixed", "adapt"};

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    constexpr OptionScope points = OptionScope::points;
    constexpr std::string_view admm = "solver=admm";
    visit(Number{"clusters", 1, 4096, fixed, "number of clusters k"}, o.clusters);
    visit(Number{"attribute", 0, 255, fixed,
                 "protected attribute that is balanced, or several, sex,race: name, or index"},
          o.targets.attribute);
    visit(only_for(points, Choice{"affinity", affinity_names, fixed,
                                  "nearest-neighbour graph, radial, the same kept, or from landmarks"}),
          o.affinity);
    visit(only_with("affinity=knn",
                    only_for(points, Number{"neighbours", 0, 1000, fixed,
                                            "of a point in the graph; 0: log2 of their number, and one"})),
          o.neighbours);
    visit(Choice{"edge_weights", weights_names, fixed, "of the graph's edges", "weights"}, o.edge_weights);
    visit(only_with("affinity=rbf|dense|nystrom or edge_weights=rbf",
                    only_for(points, Number{"bandwidth", 0, 1e15, fixed,
                                            "sigma of radial affinities and weights; 0: from the points"})),
          o.bandwidth);
    visit(only_with("affinity=nystrom",
                    only_for(points, Number{"landmarks", 1, 4096, fixed, "points that nystrom approximates from"})),
          o.landmarks);
    visit(Choice{"solver", solver_names, live, "exact, or the paper's"}, o.solver);
    visit(Number{"iterations", 1, 1e9, live, "of the solver per step, at most"}, o.iterations);
    visit(Number{"tolerance", 1e-12, 1, live, "residual at which the solver ends"}, o.tolerance);
    visit(only_with(admm, Number{"penalty", 1e-6, 0.9, live, "admm: alpha at the start"}), o.penalty);
    visit(
        only_with(admm, Choice{"penalty_rule", penalty_rule_names, live, "admm: whether alpha follows the residuals"}),
        o.penalty_rule);
    visit(only_with(admm, Choice{"inner", inner_names, live, "admm: one step for each dual, or L-BFGS"}), o.inner);
    visit(only_with(admm, Number{"shift", 0, 100, live, "admm: added to the diagonal of M"}), o.shift);
    visit(Number{"starts", 1, 1000, live, "of k-means where it starts anew, the best kept"}, o.starts);
    visit(Number{"sweeps", 0, 1000, live, "over all points, of moves by their change of the normalised cut, at most",
                 0.0},
          o.sweeps);
    visit(only_for(points, Number{"change_price", 0, 10, live,
                                  "part of a point's affinities that must join it more to another cluster for it to "
                                  "change its label",
                                  0.0}),
          o.change_price);
    visit(only_for(points, Number{"fresh_every", 0, 1e9, live,
                                  "steps after which clusters also start anew, the better ones kept; 0: never", 0.0}),
          o.fresh_every);
    visit_targets(o.targets, visit);
    visit(
        Written{"must_link", live, "ids of points whose rows of the embedding shall be the same", id_pair_range, true},
        o.must_link);
    visit(Written{"cannot_link", live, "ids of points whose rows shall be opposite", id_pair_range, true},
          o.cannot_link);
    visit(Number{"seed", 0, 0x1p64, fixed, "of the model's draws"}, o.seed);
}

}  // namespace fairstream::fair_spectral
