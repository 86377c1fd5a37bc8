#pragma once
/// Labellings of low cut made whatever the groups of points, from which labels that shall keep targets start, too.
///
/// The embedding keeps FᵀH = 0: the indicators of clusters whose groups have other shares than all points are not among
/// its columns, and no start of k-means on its rows finds them, though targets may allow them, or be near them.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream {

/// The embedding without the constraints of groups, and the parts of the graph.
struct Ungrouped {
    /// D^(-1/2) H, n x `width`, H the columns of the `width` largest eigenvalues, k or more, in falling order: those
    /// after k tell apart what k do not, such as the halves of each part. Empty where labels are not made from it.
    std::vector<float> rows;
    std::size_t width = 0;
    /// Means of random values over the points that a random walk is at after few and after many steps, n x
    /// `diffused_width` each: alike where points are joined by many short ways (algebraic distances: D. Ron, I. Safro,
    /// A. Brandt, "Relaxation-based coarsening and multiscale graph organization", 2011). They tell apart what is
    /// within clusters, where fair ones have to be cut, and the embedding is nearly constant. Empty as `rows`, and
    /// where there are too many clusters to search parts.
    std::vector<std::vector<float>> diffused;
    static constexpr std::size_t diffused_width = 16;
    std::vector<ClusterId> parts;  ///< connected ones, by point; empty where they are fewer than clusters
    std::vector<double> volumes;   ///< of the parts: the sums of their points' degrees
};

/// Returns the first k columns of t as k-means reads them, n x k.
[[nodiscard]] std::vector<float> embedding_rows(const Matrix& t, std::size_t k);

/// Returns what comes of an embedding without constraints of groups, `t` = D^(-1/2) H. `m` has the parts of a graph.
[[nodiscard]] Ungrouped of_embedding(NormalisedAffinity& m, const Matrix& t, std::size_t k, std::uint64_t seed);
/// Embeds under the constraints of pairs alone, Q an orthonormal basis of them.
[[nodiscard]] Ungrouped ungrouped(NormalisedAffinity& m, const Matrix& q, std::size_t k, const SpectralLimits& limits,
                                  std::uint64_t seed);
/// Returns so many labellings of the first k columns by k-means, those of least cost of all starts, no two alike.
/// `weights` as for `kmeans`. There must be rows.
[[nodiscard]] std::vector<std::vector<ClusterId>> kmeans_labels(const Ungrouped& of, std::size_t k, int start_count,
                                                                std::size_t most, const Random& random,
                                                                std::span<const double> weights);
/// Returns the parts as k clusters, whose cut is 0: the largest first, each in the cluster of least volume so far.
/// There must be parts.
[[nodiscard]] std::vector<ClusterId> grouped_parts(const Ungrouped& of, std::size_t k);

}  // namespace fairstream
