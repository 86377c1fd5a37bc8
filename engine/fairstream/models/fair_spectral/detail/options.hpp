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
                 "protected attribute that targets apply to, by name or index; several: sex,race"},
          o.targets.attribute);
    visit(only_for(points, Choice{"affinity", affinity_names, fixed,
                                  "similarity of points: knn (nearest neighbours), rbf (radial, computed when used), "
                                  "dense (radial, stored) or nystrom (radial, approximated from landmarks)"}),
          o.affinity);
    visit(
        only_with("affinity=knn",
                  only_for(points, Number{"neighbours", 0, 1000, fixed,
                                          "neighbours of a point in the graph; 0: 1 + log2 of the number of points"})),
        o.neighbours);
    visit(Choice{"edge_weights", weights_names, fixed,
                 "weights of edges: self_tuning (scaled by the distance to the seventh neighbour) or rbf (radial)",
                 "weights"},
          o.edge_weights);
    visit(only_with("affinity=rbf|dense|nystrom or edge_weights=rbf",
                    only_for(points, Number{"bandwidth", 0, 1e15, fixed,
                                            "sigma of radial similarities and weights; 0: chosen from the points"})),
          o.bandwidth);
    visit(
        only_with(
            "affinity=nystrom",
            only_for(
                points,
                Number{"landmarks", 1, 4096, fixed,
                       "number of landmarks: points from which nystrom approximates the similarities of all points"})),
        o.landmarks);
    visit(of_paper(
              Choice{"solver", solver_names, live, "solver of the eigenproblem: krylov is exact, admm is the paper's"}),
          o.solver);
    visit(Number{"iterations", 1, 1e9, live, "largest number of solver iterations in a step"}, o.iterations);
    visit(Number{"tolerance", 1e-12, 1, live, "residual at which the solver ends"}, o.tolerance);
    visit(of_paper(only_with(admm, Number{"penalty", 1e-6, 0.9, live, "penalty alpha of admm at the start"})),
          o.penalty);
    visit(of_paper(
              only_with(admm, Choice{"penalty_rule", penalty_rule_names, live,
                                     "penalty alpha of admm: fixed, or doubled and halved to balance the residuals"})),
          o.penalty_rule);
    visit(of_paper(only_with(
              admm, Choice{"inner", inner_names, live, "how admm solves its dual: by single steps, or by L-BFGS"})),
          o.inner);
    visit(of_paper(
              only_with(admm, Number{"shift", 0, 100, live, "number that admm adds to the diagonal of its matrix M"})),
          o.shift);
    visit(Number{"starts", 1, 1000, live,
                 "number of k-means starts when labels are computed from scratch; the best parts of their labels are "
                 "combined"},
          o.starts);
    visit(Number{"sweeps", 0, 1000, live,
                 "largest number of sweeps over all points that move labels to lower the normalised cut", 0.0},
          o.sweeps);
    visit(only_for(points, Number{"change_price", 0, 10, live,
                                  "a label changes only if the other cluster holds more of the point's similarity, by "
                                  "at least this share",
                                  0.0}),
          o.change_price);
    visit(only_for(points, Number{"fresh_every", 0, 1e9, live,
                                  "steps between fresh starts of k-means; better parts of their labels replace the "
                                  "present labels; 0: never",
                                  0.0}),
          o.fresh_every);
    visit_targets(o.targets, visit);
    visit(Written{"must_link", live, "pairs of ids whose rows in the embedding should be equal", id_pair_range, true},
          o.must_link);
    visit(Written{"cannot_link", live, "pairs of ids whose rows in the embedding should be opposite", id_pair_range,
                  true},
          o.cannot_link);
    visit(Number{"seed", 0, 0x1p64, fixed, "seed of the model's random numbers"}, o.seed);
}

}  // namespace fairstream::fair_spectral
