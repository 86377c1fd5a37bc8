#pragma once
/// Plain k-means of rows: where spectral embeddings become labels. Private to the engine.

#include <cstddef>
#include <vector>

#include <fairstream/numeric/random.hpp>
#include <fairstream/types.hpp>

namespace fairstream {

/// Rows to start from, k of the n: greedy k-means++ (D. Arthur and S. Vassilvitskii, 2007), of 2 + ln k candidates each
/// time the one that leaves the least cost. `rows` is n x d; n >= 1.
[[nodiscard]] std::vector<Slot> plus_plus_seeds(const float* rows, std::size_t n, std::size_t d, std::size_t k,
                                                Random& random);

struct KMeans {
    std::vector<float> centres;     ///< k x d, means of their rows
    std::vector<ClusterId> labels;  ///< n, the nearest centre, ties to the lower index
    double cost = 0;                ///< sum of squared distances to it
};

/// Lloyd's algorithm from these centres (k x d), until no label changes or 300 times. A centre without rows goes to the
/// row farthest from its own. n >= k.
[[nodiscard]] KMeans lloyd(const float* rows, std::size_t n, std::size_t d, std::size_t k, std::vector<float> centres);
/// The best of `starts` runs from seeds of their own.
[[nodiscard]] KMeans kmeans(const float* rows, std::size_t n, std::size_t d, std::size_t k, int starts, Random& random);

}  // namespace fairstream
