#pragma once
/// Trade-offs between a cost, which should be low, and a balance, which should be high.
///
/// One point dominates another if neither of its figures is worse and one is better (weak dominance). With strict
/// dominance in both, as in Liu and Vicente, points of equal balance would accumulate.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fairstream {

struct TradeOff {
    double cost = 0;     ///< finite
    double balance = 0;  ///< in [0, 1]
    bool operator==(const TradeOff&) const = default;
};

/// A front: trade-offs of which none dominates another, by ascending cost; cost and balance both strictly increase.
using FrontView = std::span<const TradeOff>;

/// Returns the indices of the points that no other dominates, as a front; of equal points the first. O(n log n).
[[nodiscard]] std::vector<std::size_t> nondominated(std::span<const TradeOff> points);

/// Returns whether a point of the front is at least as good as `point` in both figures. O(log n).
[[nodiscard]] bool covers(FrontView front, const TradeOff& point);

/// Returns the area dominated by the front within cost <= `reference_cost`, balance >= 0; points of higher cost add
/// nothing.
[[nodiscard]] double hypervolume(FrontView front, double reference_cost);

/// Thins the front: of points closer than `gap` only one stays. Returns the indices of the points that stay, among them
/// both ends. `gap`, in [0, 1), is relative to the front's extent; points are close if they are close in both figures.
[[nodiscard]] std::vector<std::size_t> thinned(FrontView front, double gap);

/// Returns the point farthest above the straight line between the ends, with both figures scaled to the front's extent:
/// beyond this point, balance costs more. Returns nothing if no point is above the line by more than rounding.
[[nodiscard]] std::optional<std::size_t> knee(FrontView front);

/// Returns the cheapest point of at least this balance.
[[nodiscard]] std::optional<std::size_t> cheapest(FrontView front, double balance_at_least);

/// Returns the point with the best balance among the points of at most this cost.
[[nodiscard]] std::optional<std::size_t> fairest(FrontView front, double cost_at_most);

}  // namespace fairstream
