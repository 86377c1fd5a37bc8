#pragma once
/// Labellings of low cut made without regard to groups, as further starts for labels that must meet targets.
///
/// The embedding meets FᵀH = 0, so its columns do not indicate clusters whose group shares differ from those of all
/// points. No start of k-means on its rows finds such clusters, although targets may allow them or be near them.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream {

/// The embedding without the constraints of groups, and the parts of the graph.
struct Ungrouped {
    /// D^(-1/2) H, n x `width`, with H the columns of the `width` largest eigenvalues, k or more, in descending order.
    /// Columns after k separate what the first k do not, such as the halves of each part. Empty if labels are not made
    /// from it.
    std::vector<float> rows;
    std::size_t width = 0;
    /// By point: the means of random values over the points where a random walk from it ends, after few and after many
    /// steps; n x `diffused_width` each. They are similar for points joined by many short paths (algebraic distances:
    /// D. Ron, I. Safro, A. Brandt, "Relaxation-based coarsening and multiscale graph organization", 2011). They
    /// separate points within clusters, where fair clusters must be cut and the embedding is nearly constant. Empty if
    /// `rows` is empty, and if there are too many clusters to search parts.
    std::vector<std::vector<float>> diffused;
    static constexpr std::size_t diffused_width = 16;
    std::vector<ClusterId> parts;  ///< connected parts, by point; empty if there are fewer parts than clusters
    std::vector<double> volumes;   ///< by part: sum of its points' degrees
};

/// Returns the first k columns of t in the form that k-means reads, n x k.
[[nodiscard]] std::vector<float> embedding_rows(const Matrix& t, std::size_t k);

/// Makes an `Ungrouped` of an embedding without constraints of groups, `t` = D^(-1/2) H. `m` has the parts of a graph.
[[nodiscard]] Ungrouped ungrouped_from_embedding(NormalisedAffinity& m, const Matrix& t, std::size_t k,
                                                 std::uint64_t seed);
/// Embeds only under the constraints of pairs; Q is an orthonormal basis of these constraints.
[[nodiscard]] Ungrouped ungrouped(NormalisedAffinity& m, const Matrix& q, std::size_t k, const SpectralLimits& limits,
                                  std::uint64_t seed);
/// Returns up to `most` labellings of the first k columns by k-means: those of least cost of all starts, no two equal.
/// `weights` as for `kmeans`. There must be rows.
[[nodiscard]] std::vector<std::vector<ClusterId>> kmeans_labels(const Ungrouped& of, std::size_t k, int start_count,
                                                                std::size_t most, const Random& random,
                                                                std::span<const double> weights);
/// Returns the parts as k clusters with a cut of 0: largest first, each goes to the cluster of least volume so far.
/// There must be parts.
[[nodiscard]] std::vector<ClusterId> grouped_parts(const Ungrouped& of, std::size_t k);

}  // namespace fairstream
