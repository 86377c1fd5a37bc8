#pragma once
/// Plain k-means of rows: where spectral embeddings become labels.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

/// Returns the rows to start from, k of the n: greedy k-means++ (D. Arthur and S. Vassilvitskii, 2007), of 2 + ln k
/// candidates each time the one that leaves the least cost. `rows` is n x d; n >= 1. Weights,
/// here and below, are by row, above 0; empty: 1 each.
[[nodiscard]] std::vector<Slot> plus_plus_seeds(const float* rows, std::size_t n, std::size_t d, std::size_t k,
                                                Random& random, std::span<const double> weights = {});

/// Puts the means of each label's rows in the place of its centre, in the order of the rows; a label without rows keeps
/// its own. `labels` are n, in [0, k) or `no_cluster`; `centres` is k x d. Returns how many rows each has.
std::vector<std::int64_t> take_means(const float* rows, std::size_t n, std::size_t d, std::span<const ClusterId> labels,
                                     std::size_t k, std::span<float> centres, std::span<const double> weights = {});

struct KMeans {
    std::vector<float> centres;     ///< k x d, means of their rows
    std::vector<ClusterId> labels;  ///< n, the nearest centre, ties to the lower index
    double cost = 0;                ///< sum of squared distances to it, by weight
};

/// Runs Lloyd's algorithm from these centres (k x d), until no label changes or 300 times. A centre without rows goes
/// to the row farthest from its own. n >= k.
[[nodiscard]] KMeans lloyd(const float* rows, std::size_t n, std::size_t d, std::size_t k, std::vector<float> centres,
                           std::span<const double> weights = {});
/// Returns the best of `starts` runs from seeds of their own.
[[nodiscard]] KMeans kmeans(const float* rows, std::size_t n, std::size_t d, std::size_t k, int starts, Random& random,
                            std::span<const double> weights = {});

}  // namespace fairstream
