#pragma once
/// Agreement of a clustering with classes that are known from elsewhere.

#include <cstddef>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// The contingency table of k clusters and c classes: the points that each two have in common. Points weigh w > 0; one
/// of weight 2 is the same as two equal points.
struct ContingencyTable {
    Matrix weights;  ///< k x c: n_lj, the sum of w over the points in cluster l and class j
    /// k x c: the sum of min(w, w^2) over the same points, which in n_lj^2 belongs to no pair of points. Two points
    /// make a pair that weighs the product of their weights. A point of weight w above 1 stands for w equal points, so
    /// that it makes w (w - 1) / 2 with itself.
    Matrix unpaired;

    ContingencyTable(std::size_t clusters, std::size_t classes)
        : weights(clusters, classes), unpaired(clusters, classes) {}
    void add(std::size_t cluster, std::size_t of_class, double weight = 1);
};

/// All are in [0, 1] but `ari`, and 1 where clusters and classes are the same but for their names. Sums over l are over
/// clusters, those over j over classes; n_l and n_j are the weights of a cluster and of a class, n of all points.
struct LabelAgreement {
    /// The largest sum of n_lj over clusters and classes that are matched one to one (`cheapest_assignment`), over n.
    /// Points of a cluster or class that is left over count as wrong.
    double accuracy = 1;
    /// Normalised mutual information, 2 I / (H_L + H_J), where I = sum_lj (n_lj / n) log(n n_lj / (n_l n_j)), and H_L =
    /// - sum_l (n_l / n) log(n_l / n) and H_J are the entropies of clusters and classes. 1 for one cluster and one
    /// class. Divided by the mean of the entropies, as scikit-learn does unless told otherwise.
    double nmi = 1;
    /// Adjusted Rand index, (T - A B / P) / ((A + B) / 2 - A B / P), of the weights of pairs: T in one cluster and one
    /// class, A in one cluster, B in one class, P of all. 0 is expected of labels drawn at random with these sizes; it
    /// can be below 0, and is 1 where T = A = B. L. Hubert and P. Arabie, Comparing partitions, Journal of
    /// Classification 2 (1985), 193-218, equation (5).
    double ari = 1;
    /// sum_l max_j n_lj, over n: each cluster is given its largest class. Grows with the number of clusters. C. D.
    /// Manning, P. Raghavan and H. Schuetze, Introduction to Information Retrieval (2008), section 16.3.
    double purity = 1;
    /// Harmonic mean 2 T / (A + B) of the precision T / A and the recall T / B over pairs of points: of pairs in one
    /// cluster those of one class, and the reverse. 1 where no pair is in one cluster or one class. Ibid.
    double pairwise_f1 = 1;
};

/// Returns how well clusters and classes agree; of a table without points all are 1. O(k c) but for the matching. The
/// weights are within those of a stream, `least_weight` to `largest_weight`.
[[nodiscard]] LabelAgreement label_agreement(const ContingencyTable& table);

}  // namespace fairstream
