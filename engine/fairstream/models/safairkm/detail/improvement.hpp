#pragma once
/// How a live clustering follows its window and gets better.
///
/// Each arriving point grants 16 x `effort` evaluations of one point with every cluster. They are spent in two ways, as
/// far as that gains anything:
/// - The published clustering follows the window by rounds of Lloyd's algorithm with fair assignments, from its former
///   prices. A step makes these rounds itself if its batch pays for them; otherwise they are made in the background.
/// - A search in the background moves centres on a sample of a snapshot (`CentreSwaps`). If the result is much cheaper,
///   it replaces the published clustering.
///
/// Rounds and search wait longer after gaining little. They resume at once when the cost of the window changes.
/// Evaluations that are not spent are saved for that time.

#include <cstdint>

#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

/// Evaluations with every cluster that an arriving point grants at effort 1.
inline constexpr double evaluations_per_arrival = 16;

/// Returns whether a model with these options improves itself: `effort` must be above 0, and it must be defined which
/// of two clusterings is better.
[[nodiscard]] bool improves_itself(const Options& options, const Window& window);
/// Returns the evaluations that this many arriving points grant.
[[nodiscard]] double granted_evaluations(const Options& options, double points);
/// Returns the largest number of evaluations that can be saved (`State::unspent`) in a window of this capacity.
[[nodiscard]] double most_unspent(const Options& options, Slot capacity);

/// Returns whether an earlier comparison of the costs with and without a target still describes the window. `fair_cost`
/// is the cost with the target at the comparison, `cost` the present one. If the two costs differ much, the retained
/// points are no longer like the points compared then.
[[nodiscard]] bool describes_present(double fair_cost, double cost);

/// Grants the evaluations of a batch.
void grant(Clustering& c, std::size_t arrived);
/// Follows the window by rounds of Lloyd's algorithm, if these points pay for them.
void follow_in_step(Clustering& c, std::size_t arrived);
/// Notes the cost after a step. If it has changed, following and searching no longer wait.
void watch_cost(Clustering& c);

}  // namespace fairstream::safairkm
