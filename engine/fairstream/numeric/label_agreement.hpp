#pragma once
/// Agreement of a clustering with known classes.

#include <cstddef>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// The contingency table of k clusters and c classes: the weight of the points in each pair of a cluster and a class.
/// Points weigh w > 0; a point of weight 2 counts as two equal points.
struct ContingencyTable {
    Matrix weights;  ///< k x c: n_lj, the sum of w over the points in cluster l and class j
    /// k x c: sum of min(w, w^2) over the same points, the part of n_lj^2 that belongs to no pair of points. A pair of
    /// two points weighs the product of their weights. A point of weight w above 1 stands for w equal points, so it
    /// makes pairs of weight w (w - 1) / 2 with itself.
    Matrix unpaired;

    ContingencyTable(std::size_t clusters, std::size_t classes)
        : weights(clusters, classes), unpaired(clusters, classes) {}
    void add(std::size_t cluster, std::size_t of_class, double weight = 1);
};

/// All figures except `ari` are in [0, 1]; each is 1 if clusters and classes differ only in their names. Sums over l
/// are over clusters, sums over j over classes. n_l, n_j and n are the weights of a cluster, of a class and of all
/// points.
struct LabelAgreement {
    /// Largest sum of n_lj over a one-to-one matching of clusters and classes (`cheapest_assignment`), over n. Points
    /// of unmatched clusters or classes count as wrong.
    double accuracy = 1;
    /// Normalised mutual information, 2 I / (H_L + H_J), with I = sum_lj (n_lj / n) log(n n_lj / (n_l n_j)). H_L = -
    /// sum_l (n_l / n) log(n_l / n) and H_J are the entropies of clusters and classes. 1 for one cluster and one class.
    /// Normalised by the mean of the entropies, scikit-learn's default.
    double nmi = 1;
    /// Adjusted Rand index, (T - A B / P) / ((A + B) / 2 - A B / P), of the weights of pairs: T in one cluster and one
    /// class, A in one cluster, B in one class, P of all. 0 is the expectation for random labels of these sizes; values
    /// can be negative; 1 if T = A = B. L. Hubert and P. Arabie, Comparing partitions, Journal of Classification 2
    /// (1985), 193-218, equation (5).
    double ari = 1;
    /// sum_l max_j n_lj, over n: each cluster counts by its largest class. Grows with the number of clusters. C. D.
    /// Manning, P. Raghavan and H. Schuetze, Introduction to Information Retrieval (2008), section 16.3.
    double purity = 1;
    /// Harmonic mean 2 T / (A + B) of precision T / A and recall T / B over pairs of points: the share of one-class
    /// pairs among those in one cluster, and the reverse. 1 if no pair is in one cluster or one class. Ibid.
    double pairwise_f1 = 1;
};

/// Returns the agreement of clusters and classes; without points all figures are 1. O(k c), plus the matching. Weights
/// must be within those of a stream, `least_weight` to `largest_weight`.
[[nodiscard]] LabelAgreement label_agreement(const ContingencyTable& table);

}  // namespace fairstream
