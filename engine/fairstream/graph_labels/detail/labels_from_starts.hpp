#pragma once
/// Starts of labels that are made anew.

#include <vector>

#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

/// Clusters the rows by k-means from `start_count` starts, each a task with its own generator. The start that is best
/// for k-means need not have the best cut. So all starts are returned by ascending cost, or only the best if there are
/// very many points.
[[nodiscard]] std::vector<KMeans> kmeans_starts(const LabelProblem& problem, int start_count, Random& random);

}  // namespace fairstream
