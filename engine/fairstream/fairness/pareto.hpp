#pragma once
/// Trade-offs between a cost, which shall be low, and a balance, which shall be high.
///
/// One point dominates another when neither of its figures is worse and one is better (weak dominance: with strict
/// dominance in both, as Liu and Vicente write it, points of equal balance pile up).

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

/// A front: trade-offs of which none dominates another, by rising cost; their balance rises with it, both strictly.
using FrontView = std::span<const TradeOff>;

/// The indices of the points that no other dominates, as a front; of equal points the first. O(n log n).
[[nodiscard]] std::vector<std::size_t> nondominated(std::span<const TradeOff> points);

/// Says whether a point of the front is at least as good as `point` in both figures. O(log n).
[[nodiscard]] bool covers(FrontView front, const TradeOff& point);

/// Area that the front dominates within cost <= `reference_cost`, balance >= 0; points beyond add nothing.
[[nodiscard]] double hypervolume(FrontView front, double reference_cost);

/// Thins the front so that of points closer together than `gap` only one stays, and returns the indices of those that
/// stay. `gap`, in [0, 1), is a share of the front's extent; points are close when they are so in both figures. Both
/// ends stay.
[[nodiscard]] std::vector<std::size_t> thinned(FrontView front, double gap);

/// The point that lies farthest above the straight line between the ends, both figures scaled to the front's extent:
/// where more balance begins to cost more. Nothing when no point lies above it by more than rounding.
[[nodiscard]] std::optional<std::size_t> knee(FrontView front);

/// The cheapest point of at least this balance.
[[nodiscard]] std::optional<std::size_t> cheapest(FrontView front, double balance_at_least);

/// The best balanced point of at most this cost.
[[nodiscard]] std::optional<std::size_t> fairest(FrontView front, double cost_at_most);

}  // namespace fairstream
