#pragma once
/// The cost of exchanging two points between clusters l and h, and the best candidates for it. x is a point that moves
/// from C_l to C_h, x' one that moves from C_h to C_l.

#include <limits>
#include <span>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Returns the exact change of m f1 when x and x' change places, m the number of points: |x' - c_l|^2 - |x - c_l|^2 +
/// |x - c_h|^2 - |x' - c_h|^2 - |x - x'|^2 (1/m_l + 1/m_h), where points weigh 1; with their weights where not.
[[nodiscard]] double exchange_change(const Clustering& c, Slot x, Slot other, ClusterId l, ClusterId h);

/// Returns the exact change of m f1 when x, of weight w, moves from C_l to C_h: w m_h/(m_h+w) |x - c_h|^2 - w
/// m_l/(m_l-w) |x - c_l|^2 (Hartigan), sizes being weights.
[[nodiscard]] double move_change(const Clustering& c, Slot x, ClusterId l, ClusterId h);

/// Finds for each cluster h the one of `candidates`, all in C_l, whose |x - c_h|^2 - |x - c_l|^2, its separable part of
/// the change, is least, and stores them in `best_slot` and `best_score` of the workspace.
void find_leavers(Clustering& c, ClusterId l, std::span<const Slot> candidates);

/// Returns the candidate x' in C_h, at least one, whose |x' - c_l|^2 - |x' - c_h|^2 = 2 x'.(c_h - c_l) + const is
/// least.
[[nodiscard]] Slot best_comer(Clustering& c, ClusterId l, ClusterId h, std::span<const Slot> candidates);

}  // namespace fairstream::safairkm
