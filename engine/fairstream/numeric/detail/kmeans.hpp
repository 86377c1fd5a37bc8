#pragma once
/// Plain k-means of rows, which turns spectral embeddings into labels.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

/// Returns k of the n rows as seeds, by greedy k-means++ (D. Arthur and S. Vassilvitskii, 2007): of 2 + ln k
/// candidates, each step takes the one of least cost. `rows` is n x d; n >= 1. Weights, here and below, are by row,
/// above 0; empty: 1 each.
[[nodiscard]] std::vector<Slot> plus_plus_seeds(const float* rows, std::size_t n, std::size_t d, std::size_t k,
                                                Random& random, std::span<const double> weights = {});

/// Replaces each centre by the mean of its label's rows, summed in the order of the rows; a centre without rows stays.
/// `labels` has n entries in [0, k) or `no_cluster`; `centres` is k x d. Returns the number of rows of each label.
std::vector<std::int64_t> take_means(const float* rows, std::size_t n, std::size_t d, std::span<const ClusterId> labels,
                                     std::size_t k, std::span<float> centres, std::span<const double> weights = {});

struct KMeans {
    std::vector<float> centres;     ///< k x d, means of their rows
    std::vector<ClusterId> labels;  ///< n; the nearest centre, ties to the lower index
    double cost = 0;                ///< weighted sum of squared distances to the nearest centre
};

/// Runs Lloyd's algorithm from these centres (k x d) until no label changes, at most 300 rounds. A centre without rows
/// moves to the row farthest from its own centre. n >= k.
[[nodiscard]] KMeans lloyd(const float* rows, std::size_t n, std::size_t d, std::size_t k, std::vector<float> centres,
                           std::span<const double> weights = {});
/// Returns the run of least cost of `starts` runs, each from its own seeds.
[[nodiscard]] KMeans kmeans(const float* rows, std::size_t n, std::size_t d, std::size_t k, int starts, Random& random,
                            std::span<const double> weights = {});

}  // namespace fairstream
