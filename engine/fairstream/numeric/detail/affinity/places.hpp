#pragma once
/// Points that are at the same place.

#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/affinity/packed_points.hpp>

namespace fairstream {

/// Points by place. Places are numbered by their first points.
class Places {
public:
    /// Points are at the same place when all their features are equal. O(n log n + n d).
    void update(const PackedPoints& points);

    [[nodiscard]] std::size_t size() const noexcept { return firsts_.size(); }
    /// Says whether a place has two points or more.
    [[nodiscard]] bool repeat() const noexcept { return firsts_.size() < of_.size(); }
    /// By point: its place.
    [[nodiscard]] std::span<const Slot> of() const noexcept { return of_; }
    /// By place: the first of its points.
    [[nodiscard]] std::span<const Slot> firsts() const noexcept { return firsts_; }
    /// The points of a place, ascending.
    [[nodiscard]] std::span<const Slot> at(std::size_t place) const noexcept {
        return std::span(members_).subspan(begins_[place], begins_[place + 1] - begins_[place]);
    }

private:
    std::vector<Slot> of_, firsts_, members_;
    std::vector<std::size_t> begins_;
};

/// Gives the points of each place one label, where they have several: the label of most of them, the lowest of equally
/// many. A label that no other point has goes first, so that no cluster loses all its points if one place can keep it.
/// `labels`: n of [0, k), by point. O(n + k).
void unite_labels(const Places& places, std::size_t k, std::span<ClusterId> labels);

}  // namespace fairstream
