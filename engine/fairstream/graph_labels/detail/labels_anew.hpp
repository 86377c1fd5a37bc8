#pragma once
/// Starts of labels that are made anew.

#include <vector>

#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

/// Clusters the rows by k-means from so many starts, tasks with generators of their own. What is the best of k-means
/// need not be that of the cut: all are returned, by rising cost, or of very many points the best ones.
[[nodiscard]] std::vector<KMeans> kmeans_starts(const LabelProblem& problem, int start_count, Random& random);

}  // namespace fairstream
