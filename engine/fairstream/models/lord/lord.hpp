#pragma once
/// Fair probabilistic clustering of the graph of nearest neighbours, with warm starts while the window moves.
/// W. Lyu, Y. Jia, H. Liu, J. Hou, "Graph-based clustering revisited: a relaxation of kernel k-means perspective".
///
/// S is the graph of similarities (31), scaled to a sum of 1. V (n x k), in the set Omega(mu) of given marginals, gives
/// the probability of each cluster for each point, P(y_i = j | x_i) = n V_ij mu_j: see `detail/marginals.hpp`. LoRD
/// (17) minimises ||S - V Vᵀ||^2. B-LoRD (20) maximises Tr(Vᵀ S V) + gamma ||V||^2, where gamma controls how sharp the
/// probabilities are. Both use projected gradients from several starts. With `fair` = proportional every group also has
/// its own marginals (an addition to the paper): the sum of the probabilities of a cluster over the points of a group
/// is the group's share of the cluster.
///
/// Labels are the most probable labels for which every cluster meets the targets of the options, as safairkm finds
/// them. A step sets new rows of V to the means of their neighbours' rows and continues from there; clusters keep their
/// numbers.

#include <cstdint>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::lord {

enum class Method : std::uint8_t {
    b_lord,  ///< (20); tau controls how sharp the probabilities are
    lord,    ///< (17)
};
enum class Fair : std::uint8_t {
    proportional,  ///< every group has its share of the probabilities of every cluster, exactly
    off,           ///< only the sizes of clusters are given
};

/// Values of `tau` for the paper's two rules.
inline constexpr double tau2 = -1, tau1 = -2;
/// Value of `starts` that lets the model choose.
inline constexpr int automatic_starts = -1;

struct Options {
    int clusters = 8;  ///< k, in [1, 4096]
    /// Targets of every cluster of the labels. `fair` is about the same attributes; with several, groups are
    /// combinations of their groups.
    Targets targets = {};
    int neighbours = 0;  ///< q of the graph, in [0, 1000]; 0: floor(log2 n) + 1, with n the number of different points
    Method method = Method::b_lord;
    /// tau of B-LoRD, in [0, 1]: gamma = -largest + tau (largest - smallest eigenvalue of S). With 0 the problem is
    /// concave and probabilities are level. A larger tau makes them sharper, and the results of starts more different.
    /// `tau1`: min(2 n^-0.24, 1). `tau2`: min(.34 exp(50 b - .03 log n), 1), with b the sum of the k smallest
    /// eigenvalues of the Laplacian of S over its trace, but at least (largest - lambda) / (largest - smallest), with
    /// lambda the (k - 1)-th largest eigenvalue of S on the complement of 1. Below that bound the objective does not
    /// rise from level probabilities in k - 1 directions, and k clusters cannot part. The bound is not in the paper; on
    /// a graph of neighbours it is below the paper's rule.
    double tau = tau2;
    /// Share of all points that each cluster has, mu_j^2: one value per cluster, scaled to a sum of 1; one value: all
    /// equal. In [1e-6, 1e6].
    OneOrMore<double> priors = 1;
    Fair fair = Fair::proportional;  ///< has an effect if the stream has attributes
    /// Under `fair`, a group with fewer points than this has no marginals of its own: they would make all clusters
    /// equally probable for a single point. All such groups share marginals. If they have fewer points even together,
    /// they count as part of the largest group. In [0, 1e9].
    double small_below = 20;
    int iterations = 4000;    ///< largest number of projected gradients per step and start, in [1, 1e9]
    double tolerance = 1e-4;  ///< the iterations end at this ||V' - V|| / ||V||, in [1e-9, 1]
    /// Random starts when clusters are made anew, of which the best is kept, in [1, 1000]. `automatic`: 10 for up to
    /// 100,000 points, and fewer for more, down to 1.
    int starts = automatic_starts;
    int fresh_every = 10;  ///< steps between fresh starts, which are taken if clearly better, in [0, 1e9]; 0: never

    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return {options.targets, options.clusters};
}
/// Returns the kind of model that these options belong to.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::lord
