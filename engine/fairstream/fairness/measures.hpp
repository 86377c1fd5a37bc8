#pragma once
/// Fairness figures of a clustering, each a function of a `FairnessTally`. Names follow fairlearn and holisticai where
/// these libraries have the figure. All are in [0, 1] unless stated. An empty clustering has balance 0 and gaps 0.

#include <array>
#include <vector>

#include <fairstream/fairness/figure.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream {

/// Returns min over group pairs of m_lj / m_lj' in one cluster (Liu and Vicente, objective (2)). 0 for an empty
/// cluster, and for one that lacks a group; 1 for a nonempty cluster if there is only one group.
[[nodiscard]] double balance(const FairnessTally& tally, int attribute, ClusterId cluster);

/// The fairness figures of clusters for one attribute.
struct ClusterFairness {
    double balance = 0;          ///< smallest balance of a cluster; f2 of Liu and Vicente
    double average_balance = 0;  ///< mean over clusters
    double best_balance =
        0;  ///< highest `balance` that k clusters can have, for indivisible points. Exact with up to 32 points in the
            ///< smallest group, otherwise attainable but perhaps not the highest (`attainable_balance`). For weighted
            ///< points an upper bound: the balance of all points together
    double cluster_balance = 0;  ///< holisticai: min over clusters and groups of r and 1/r, r = share in cluster /
                                 ///< share in stream; 0 if a cluster is empty
    double demographic_parity_difference =
        0;                         ///< fairlearn's, worst over clusters: max - min over groups of Pr(cluster | group)
    double worst_gap = 0;          ///< max over clusters and groups of |share in cluster - share in stream|
    double kl_fairness_error = 0;  ///< sum over clusters of KL(stream shares || cluster shares) (Ziko et al.), in nats;
                                   ///< infinite if a nonempty cluster lacks a group of the stream
    double cluster_entropy = 0;    ///< mean over nonempty clusters of the entropy of the group shares, in nats
    double parity =
        0;  ///< min over clusters of min_j (m_lj / n_j) / max_j (m_lj / n_j), over groups with points, n_j the labelled
            ///< points of group j: smallest over largest of the rates at which groups are selected for a cluster; 0
            ///< with an empty cluster of group j, over groups with points: smallest over largest of the rates at which
            ///< groups are selected for a cluster; 0 with an empty cluster
    double best_parity = 0;  ///< a `parity` that indivisible points allow (`attainable_parity`): 1 up to rounding of
                             ///< points, 0 if a group has fewer points than there are clusters; 1 for weighted points
    bool operator==(const ClusterFairness&) const = default;
};

inline constexpr std::array<MemberFigure<ClusterFairness>, 10> cluster_figures{
    {{"balance", "share", "smallest group over largest group, in the least balanced cluster",
      &ClusterFairness::balance},
     {"average_balance", "share", "mean balance of the clusters", &ClusterFairness::average_balance},
     {"best_balance", "share",
      "highest balance found for this number of clusters on these points; with weights, an upper bound",
      &ClusterFairness::best_balance},
     {"cluster_balance", "share",
      "smallest of r and 1/r, where r is a group's share of a cluster over its share of all points (holisticai)",
      &ClusterFairness::cluster_balance},
     {"demographic_parity_difference", "number?",
      "largest gap between two groups' rates: the shares of their points that are in a cluster, or selected "
      "(fairlearn)",
      &ClusterFairness::demographic_parity_difference},
     {"worst_gap", "share", "largest gap between a group's share of a cluster and its share of all points",
      &ClusterFairness::worst_gap},
     {"kl_fairness_error", "unbounded",
      "divergence of the groups' shares of a cluster from their shares of all points, summed over clusters, in nats",
      &ClusterFairness::kl_fairness_error},
     {"cluster_entropy", "number", "entropy of the groups' shares of a cluster, mean over clusters, in nats",
      &ClusterFairness::cluster_entropy},
     {"parity", "share",
      "smallest over largest of the groups' rates in the worst cluster; a rate is the share of a group's points in it",
      &ClusterFairness::parity},
     {"best_parity", "number", "highest parity found for this number of clusters on these points",
      &ClusterFairness::best_parity}}};

/// The figures of one attribute, with their ingredients.
struct AttributeFairness : ClusterFairness {
    std::vector<double> cluster_balances;  ///< k
    std::vector<double> stream_shares;     ///< J, of the known groups
    std::vector<double> cluster_shares;    ///< k x J, rows of an empty cluster are 0
};

[[nodiscard]] AttributeFairness attribute_fairness(const FairnessTally& tally, int attribute);

/// Returns the smallest balance of a cluster; 0 for an empty tally. The target `balance_at_least` is compared with it.
[[nodiscard]] double minimum_balance(const FairnessTally& tally, int attribute);

}  // namespace fairstream
