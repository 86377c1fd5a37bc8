#pragma once
/// Probabilistic clustering of the graph of nearest neighbours, fair, and kept warm while the window moves.
/// W. Lyu, Y. Jia, H. Liu, J. Hou, "Graph-based clustering revisited: a relaxation of kernel k-means perspective".
///
/// S is the graph of similarities (31), scaled to a sum of 1. V (n x k) in the set Omega(mu) of given marginals says
/// how probable each cluster is for each point, P(y_i = j | x_i) = n V_ij mu_j: see `detail/marginals.hpp`. LoRD (17)
/// minimises ||S - V Vᵀ||^2; B-LoRD (20) maximises Tr(Vᵀ S V) + gamma ||V||^2, where gamma says how sharp the
/// probabilities are. Both by projected gradients, from several starts. With `fair` = proportional every group also has
/// its own marginals (an addition to the paper): the sum of the probabilities of a cluster over the points of a group
/// is the group's share of the cluster.
///
/// Labels are the most probable ones with which every cluster keeps the targets of the options, as safairkm finds them.
/// A step starts new rows of V at the means of their neighbours' and goes on from there; clusters keep their numbers.

#include <cstdint>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::lord {

enum class Method : std::uint8_t {
    b_lord,  ///< (20), whose probabilities are as sharp as tau says
    lord,    ///< (17)
};
enum class Fair : std::uint8_t {
    proportional,  ///< every group has its share of the probabilities of every cluster, exactly
    off,           ///< the clusters' sizes alone are given
};

/// Values of `tau` that are left to the model: the paper's two rules.
inline constexpr double tau2 = -1, tau1 = -2;
/// Value of `starts` that is left to the model.
inline constexpr int automatic_starts = -1;

struct Options {
    int clusters = 8;  ///< k, in [1, 4096]
    /// What every cluster of the labels shall keep. `fair` is about the same attributes; with several, groups are
    /// combinations of theirs.
    Targets targets = {};
    int neighbours = 0;  ///< q of the graph, in [0, 1000]; 0: floor(log2 n) + 1, n points that differ
    Method method = Method::b_lord;
    /// Of B-LoRD: gamma = -largest + tau (largest - smallest eigenvalue of S), in [0, 1]. With 0 the problem is concave
    /// and probabilities are level; the larger, the sharper they are, and the more starts end differently. `tau1`:
    /// min(2 n^-0.24, 1). `tau2`: min(.34 exp(50 b - .03 log n), 1), b the k smallest eigenvalues of the Laplacian of S
    /// over its trace; but at least (largest - lambda) / (largest - smallest), lambda the (k - 1)-th largest eigenvalue
    /// of S on what is orthogonal to 1: below that the objective does not rise from level probabilities in k - 1
    /// directions, and k clusters cannot part (not in the paper; of a graph of neighbours it is below its rule).
    double tau = tau2;
    /// Share of all points that each cluster has, mu_j^2: one for each cluster, scaled to a sum of 1; one value: all
    /// alike. In [1e-6, 1e6].
    OneOrMore<double> priors = 1;
    Fair fair = Fair::proportional;  ///< where the stream has attributes
    /// Points: a group of fewer has no marginals of its own under `fair`, which would make a single point equally
    /// probable everywhere; all such together have some, or are among the largest group where they are as few. In
    /// [0, 1e9].
    double small_below = 20;
    int iterations = 4000;    ///< of projected gradients per step and start, at most, in [1, 1e9]
    double tolerance = 1e-4;  ///< of ||V' - V|| / ||V|| at which they end, in [1e-9, 1]
    /// Random starts where clusters are made anew, the best kept, in [1, 1000]; `automatic`: 10 for up to 100,000
    /// points, and fewer for more, down to 1.
    int starts = automatic_starts;
    int fresh_every = 10;  ///< steps after which fresh starts are made beside, taken where clearly better, in
                           ///< [0, 1e9]; 0: never

    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return {options.targets, options.clusters};
}
/// Returns the kind of model that these are options of.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::lord
