#pragma once
/// What an exchange of two points between clusters l and h costs, and which candidates are worth it. Private to the
/// model. x is a point of C_l on its way to C_h, x' one of C_h on its way to C_l.

#include <limits>
#include <span>

#include <fairstream/models/safairkm/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Exact change of m f1 when x and x' change places, m the number of points:
/// |x' - c_l|^2 - |x - c_l|^2 + |x - c_h|^2 - |x' - c_h|^2 - |x - x'|^2 (1/m_l + 1/m_h).
[[nodiscard]] double exchange_change(const Clustering& c, Slot x, Slot other, ClusterId l, ClusterId h);

/// Exact change of m f1 when x moves from C_l to C_h: m_h/(m_h+1) |x - c_h|^2 - m_l/(m_l-1) |x - c_l|^2 (Hartigan).
[[nodiscard]] double move_change(const Clustering& c, Slot x, ClusterId l, ClusterId h);

/// For each cluster h the one of `candidates`, all in C_l, whose |x - c_h|^2 - |x - c_l|^2, its separable part of the
/// change, is least: in `best_slot` and `best_score` of the workspace.
void find_leavers(Clustering& c, ClusterId l, std::span<const Slot> candidates);

/// The candidate x' in C_h, at least one, whose |x' - c_l|^2 - |x' - c_h|^2 = 2 x'.(c_h - c_l) + const is least.
[[nodiscard]] Slot best_comer(Clustering& c, ClusterId l, ClusterId h, std::span<const Slot> candidates);

}  // namespace fairstream::safairkm
