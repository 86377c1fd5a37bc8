#pragma once
/// Fairness figures of a clustering, each a function of a `FairnessTally`. Names follow fairlearn and holisticai where
/// those have one. All are in [0, 1] unless stated. An empty clustering has balance 0 and gaps 0.

#include <vector>

#include <fairstream/fairness/tally.hpp>

namespace fairstream {

/// min over group pairs of m_lj / m_lj' in one cluster (Liu and Vicente, objective (2)). An empty cluster, and one that
/// lacks a group, has balance 0; with one group only, a nonempty cluster has balance 1.
[[nodiscard]] double balance(const FairnessTally& tally, int attribute, ClusterId cluster);

/// Every fairness figure of one attribute.
struct AttributeFairness {
    double balance = 0;          ///< smallest balance of a cluster; f2 of Liu and Vicente
    double average_balance = 0;  ///< mean over clusters
    double best_balance = 0;     ///< highest `balance` that k clusters can have, points being indivisible: exact with
                                 ///< up to 32 points in the smallest group, otherwise attained but perhaps not the
                                 ///< highest (`attainable_balance`); of weighted points the balance of all of them,
                                 ///< which no clustering exceeds in every cluster
    double parity = 0;       ///< min over clusters of min_j (m_lj / n_j) / max_j (m_lj / n_j), n_j the labelled points
                             ///< of group j, groups without points left out: the rates at which groups are selected
                             ///< for a cluster, smallest over largest; 0 with an empty cluster
    double best_parity = 0;  ///< a `parity` that whole points allow (`attainable_parity`): 1 up to rounding, 0 where
                             ///< a group has fewer points than there are clusters; 1 of weighted points
    double cluster_balance = 0;  ///< holisticai: min over clusters and groups of r and 1/r, r = share in cluster /
                                 ///< share in stream; 0 when a cluster is empty
    double demographic_parity_difference =
        0;                         ///< fairlearn's, worst over clusters: max - min over groups of Pr(cluster | group)
    double worst_gap = 0;          ///< max over clusters and groups of |share in cluster - share in stream|
    double kl_fairness_error = 0;  ///< sum over clusters of KL(stream shares || cluster shares) (Ziko et al.), in nats;
                                   ///< infinite when a nonempty cluster lacks a group of the stream
    double cluster_entropy = 0;    ///< mean over nonempty clusters of the entropy of the group shares, in nats
    std::vector<double> cluster_balances;  ///< k
    std::vector<double> stream_shares;     ///< J, of the groups that are known
    std::vector<double> cluster_shares;    ///< k x J, rows of an empty cluster are 0
};

[[nodiscard]] AttributeFairness attribute_fairness(const FairnessTally& tally, int attribute);

/// Smallest balance over the clusters; 0 for an empty tally. Targets (`balance_at_least`) are compared with it.
[[nodiscard]] double minimum_balance(const FairnessTally& tally, int attribute);

}  // namespace fairstream
