#pragma once
/// Online SAfairKM: k-means under group balance by alternating k-means updates and swaps.
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair clustering", Algorithms 1 and 2.
///
/// Objectives (2): f1 = mean squared distance of the points to the exact mean of their cluster, minimised; f2 =
/// smallest balance of a cluster, maximised. By default the swap with the smallest exact change of f1 is made, while
/// the paper takes the points nearest to the destination centre. The options `swap = nearest` and `centre_update =
/// paper` give the paper's version.

#include <fairstream/fair_kmeans/options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::safairkm {
/// Returns the kind of model that these options belong to.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::safairkm
