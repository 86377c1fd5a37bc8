#pragma once
/// Fair spectral clustering, kept warm while the window moves.
/// F. Tonin, A. Lambert, J. A. K. Suykens, V. Cevher, "Accelerating spectral clustering under fairness constraints".
///
/// The points' affinities K give M = D^(-1/2) K D^(-1/2), D = diag(K 1). H (n x k) maximises Tr(Hᵀ M H) subject to
/// Hᵀ H = I and Fᵀ H = 0, problem (5), where F says that each group has its share of every cluster; k-means on the rows
/// of the embedding T = D^(-1/2) H gives the labels. The constraint is met by the embedding exactly; the labels round
/// it and lose some of that. So they are led to the targets of the options, in the embedding as safairkm does and by
/// moves of least cut, and then improved by moves and exchanges of points by their exact change of the normalised cut,
/// which keep the targets.
///
/// A step starts new rows of T at weighted means of their neighbours' rows, lets the solver improve on that, rotates
/// the result to match the last embedding, and goes on from the labels it had, at a price for each that changes: by
/// moves, with parts of fresh starts, and annealed. Without moves and targets k-means goes on from its centres.
/// Clusters keep their numbers.

#include <cstdint>

#include <fairstream/base/id_pairs.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::fair_spectral {

enum class AffinityKind : std::uint8_t {
    knn,      ///< a graph of nearest neighbours; memory O(n log n)
    rbf,      ///< exp(-|x - y|^2 / (2 sigma^2)), worked out whenever it is multiplied: O(n^2 d) time, O(n) memory
    dense,    ///< the same as a matrix of 4 n^2 bytes
    nystrom,  ///< the same approximated from landmarks: O(n landmarks) time and memory
};
enum class Weights : std::uint8_t {
    self_tuning,  ///< exp(-|x - y|^2 / (s_x s_y)), s the distance to the seventh neighbour
    rbf,          ///< as the affinity of that name
};
enum class Solver : std::uint8_t {
    krylov,  ///< LOBPCG on problem (5): exact to its tolerance
    admm,    ///< Algorithm 1 of the paper, on problem (9), then moved to the nearest H with Fᵀ H = 0
};
enum class Inner : std::uint8_t {
    step,   ///< one step of the difference-of-convex method for each dual
    lbfgs,  ///< the dual solved by L-BFGS, as the paper does
};
enum class PenaltyRule : std::uint8_t {
    fixed,
    adapt,  ///< doubled (up to 0.9) or halved when one residual is ten times the other
};

struct Options {
    int clusters = 8;  ///< k, in [1, 4096]
    /// What every cluster shall keep. The embedding gives the groups of the same attributes their share of every
    /// cluster.
    Targets targets = {};
    AffinityKind affinity = AffinityKind::knn;
    int neighbours = 0;  ///< q of the graph, in [0, 1000]; 0: floor(log2 n) + 1, n points that differ
    Weights edge_weights = Weights::self_tuning;
    /// sigma of the radial affinities, in [0, 1e15]; 0: the (1/2k)-quantile of the distances of a sample, taken anew
    /// whenever the points have doubled in number.
    double bandwidth = 0;
    int landmarks = 256;  ///< of `nystrom`, in [1, 4096]
    Solver solver = Solver::krylov;
    int iterations = 100;     ///< of the solver per step, in [1, 1e9]
    double tolerance = 1e-3;  ///< residual at which it ends, relative to M H, in [1e-12, 1]
    // Options of the solver admm:
    double penalty = 0.5;  ///< alpha at the start, in [1e-6, 0.9]
    PenaltyRule penalty_rule = PenaltyRule::fixed;
    Inner inner = Inner::step;
    /// Shift added to the diagonal of M, in [0, 100]: with 1 no eigenvalue is negative (Remark 2.3); with radial
    /// affinities none is with 0 either. The larger, the nearer problem (9) is to (5), and the slower.
    double shift = 1;
    int starts = 10;  ///< of k-means, from which labels are put together where they are made anew, in [1, 1000]
    int sweeps = 20;  ///< over all points, of moves by the exact change of the normalised cut, at most, in [0, 1000]
    /// Price of a change of label where labels go on, in [0, 10]: the part of a point's affinities, about, that must
    /// join it more to another cluster than to its own. The cut must fall by 2 k / n times that; for parts taken over
    /// from fresh starts by less.
    double change_price = 0.06;
    int fresh_every = 1;  ///< steps after which clusters also start anew, the better ones kept, in [0, 1e9]; 0: never

    /// Points whose rows of the embedding shall be the same, and so their labels. Pairs with a point that is not
    /// retained are passed over, here and below.
    IdPairs must_link;
    /// Points whose rows shall be opposite, T_i = -T_j. That drives them apart and does not force it: near the origin
    /// opposite rows may have the same nearest centre.
    IdPairs cannot_link;
    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return {options.targets, options.clusters};
}
/// Returns the kind of model that these are options of.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::fair_spectral
