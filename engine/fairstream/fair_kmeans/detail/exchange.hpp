#pragma once
/// The cost of exchanging two points between clusters l and h, and the best candidates. x is a point that moves from
/// C_l to C_h, x' one that moves from C_h to C_l.

#include <limits>
#include <span>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Returns the exact change of m f1 if x and x' are exchanged, with m the number of points. If points have weight 1 it
/// is |x' - c_l|^2 - |x - c_l|^2 + |x - c_h|^2 - |x' - c_h|^2 - |x - x'|^2 (1/m_l + 1/m_h); otherwise weights are
/// included.
[[nodiscard]] double exchange_change(const Clustering& c, Slot x, Slot other, ClusterId l, ClusterId h);

/// Returns the exact change of m f1 if x, of weight w, moves from C_l to C_h: w m_h/(m_h+w) |x - c_h|^2 - w m_l/(m_l-w)
/// |x - c_l|^2 (Hartigan), where sizes are weights.
[[nodiscard]] double move_change(const Clustering& c, Slot x, ClusterId l, ClusterId h);

/// Finds for each cluster h the candidate in C_l with the least |x - c_h|^2 - |x - c_l|^2, the part of the change that
/// depends only on x. Stores the candidates in `best_slot` and the values in `best_score` of the workspace.
void find_outgoing(Clustering& c, ClusterId l, std::span<const Slot> candidates);

/// Returns the candidate x' in C_h with the least |x' - c_l|^2 - |x' - c_h|^2 = 2 x'.(c_h - c_l) + const. There must be
/// a candidate.
[[nodiscard]] Slot best_incoming(Clustering& c, ClusterId l, ClusterId h, std::span<const Slot> candidates);

}  // namespace fairstream::safairkm
