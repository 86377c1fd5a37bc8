#pragma once
/// Labellings of low cut made whatever the groups of points, from which labels that shall keep targets start, too.
///
/// The embedding keeps FᵀH = 0: the indicators of clusters whose groups have other shares than all points are not among
/// its columns, and no start of k-means on its rows finds them, though targets may allow them, or be near them.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/problem.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::fair_spectral {

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

/// Embeds under the constraints of pairs alone, Q an orthonormal basis of them. `m` has the parts of a graph.
[[nodiscard]] Ungrouped ungrouped(NormalisedAffinity& m, const Matrix& q, std::size_t k, const SolverLimits& limits,
                                  std::uint64_t seed);
/// Does so beside an embedding under `constraints`, or takes that where they are of pairs alone. Returns nothing where
/// no moves of points are asked for, or the work is to end.
[[nodiscard]] Ungrouped ungrouped_beside(const Options& options, NormalisedAffinity& m, const Constraints& constraints,
                                         const Embedding& embedding, const WorkHandle& work);

/// Returns so many labellings of the first k columns by k-means, those of least cost of all starts, no two alike.
/// `weights` as for `kmeans`. There must be rows.
[[nodiscard]] std::vector<std::vector<ClusterId>> kmeans_labels(const Ungrouped& of, std::size_t k, int start_count,
                                                                std::size_t most, const Random& random,
                                                                std::span<const double> weights);
/// Returns the parts as k clusters, whose cut is 0: the largest first, each in the cluster of least volume so far.
/// There must be parts.
[[nodiscard]] std::vector<ClusterId> grouped_parts(const Ungrouped& of, std::size_t k);

}  // namespace fairstream::fair_spectral
