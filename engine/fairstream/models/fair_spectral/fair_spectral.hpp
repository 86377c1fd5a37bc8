#pragma once
/// Fair spectral clustering with warm starts while the window moves.
/// F. Tonin, A. Lambert, J. A. K. Suykens, V. Cevher, "Accelerating spectral clustering under fairness constraints".
///
/// The points' affinities K give M = D^(-1/2) K D^(-1/2), D = diag(K 1). H (n x k) maximises Tr(Hᵀ M H) subject to Hᵀ H
/// = I and Fᵀ H = 0, problem (5), where F expresses that each group has its share of every cluster. K-means on the rows
/// of the embedding T = D^(-1/2) H gives the labels. The embedding meets the constraint exactly; rounding it to labels
/// loses a part. So labels are changed until they meet the targets of the options: in the embedding as safairkm does
/// it, and by moves of least cut. Then moves and exchanges of points improve them by the exact change of the normalised
/// cut, and keep the targets.
///
/// A step sets new rows of T to weighted means of their neighbours' rows, lets the solver improve the result, and
/// rotates it to match the last embedding. It continues from the former labels, at a price for each change: by moves,
/// by parts of fresh starts, and by annealing. Without moves and targets k-means continues from its centres. Clusters
/// keep their numbers.

#include <cstdint>

#include <fairstream/base/id_pairs.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::fair_spectral {

enum class AffinityKind : std::uint8_t {
    knn,      ///< a graph of nearest neighbours; memory O(n log n)
    rbf,      ///< exp(-|x - y|^2 / (2 sigma^2)), computed for every product: O(n^2 d) time, O(n) memory
    dense,    ///< rbf as a stored matrix of 4 n^2 bytes
    nystrom,  ///< rbf approximated from landmarks: O(n landmarks) time and memory
};
enum class Weights : std::uint8_t {
    self_tuning,  ///< exp(-|x - y|^2 / (s_x s_y)), with s the distance to the seventh neighbour
    rbf,          ///< as the affinity of this name
};
enum class Solver : std::uint8_t {
    krylov,  ///< LOBPCG on problem (5): exact to its tolerance
    admm,    ///< Algorithm 1 of the paper, on problem (9), then moved to the nearest H with Fᵀ H = 0
};
enum class Inner : std::uint8_t {
    step,   ///< one step of the difference-of-convex method per dual
    lbfgs,  ///< the dual is solved by L-BFGS, as in the paper
};
enum class PenaltyRule : std::uint8_t {
    fixed,
    adapt,  ///< doubled (up to 0.9) or halved if one residual is ten times the other
};

struct Options {
    int clusters = 8;  ///< k, in [1, 4096]
    /// Targets of every cluster. The embedding gives the groups of the same attributes their share of every cluster.
    Targets targets = {};
    AffinityKind affinity = AffinityKind::knn;
    int neighbours = 0;  ///< q of the graph, in [0, 1000]; 0: floor(log2 n) + 1, with n the number of different points
    Weights edge_weights = Weights::self_tuning;
    /// sigma of the radial affinities, in [0, 1e15]; 0: the (1/2k)-quantile of the distances of a sample, computed
    /// again whenever the number of points has doubled.
    double bandwidth = 0;
    int landmarks = 256;  ///< landmarks of `nystrom`, in [1, 4096]
    Solver solver = Solver::krylov;
    int iterations = 100;     ///< iterations of the solver per step, in [1, 1e9]
    double tolerance = 1e-3;  ///< residual, relative to M H, at which the solver ends, in [1e-12, 1]
    // Options of the solver admm:
    double penalty = 0.5;  ///< alpha at the start, in [1e-6, 0.9]
    PenaltyRule penalty_rule = PenaltyRule::fixed;
    Inner inner = Inner::step;
    /// Shift added to the diagonal of M, in [0, 100]. With 1 no eigenvalue is negative (Remark 2.3); with radial
    /// affinities 0 is enough. A larger shift makes problem (9) nearer to (5), and slower.
    double shift = 1;
    int starts = 10;  ///< starts of k-means; fresh labels are made from their parts; in [1, 1000]
    int sweeps = 20;  ///< largest number of sweeps of moves over all points by the exact change of the normalised cut,
                      ///< in [0, 1000]
    /// Price of a change of label when labels are continued, in [0, 10]. A point moves only if its affinities to
    /// another cluster exceed its affinities to its present cluster by about this share of all its affinities: the cut
    /// must fall by 2 k / n times the price. For parts taken over from fresh starts it must fall by less.
    double change_price = 0.06;
    int fresh_every =
        1;  ///< steps between fresh starts, whose labels are taken if they are better, in [0, 1e9]; 0: never

    /// Pairs of points that must have equal rows of the embedding, and so equal labels. Pairs with a point that is not
    /// retained are ignored, here and below.
    IdPairs must_link;
    /// Pairs of points that must have opposite rows, T_i = -T_j. This separates the points but does not guarantee
    /// different labels: near the origin opposite rows may have the same nearest centre.
    IdPairs cannot_link;
    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return {options.targets, options.clusters};
}
/// Returns the kind of model that these options belong to.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::fair_spectral
