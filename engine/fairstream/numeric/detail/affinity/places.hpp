#pragma once
/// Points at equal places.

#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/affinity/packed_points.hpp>

namespace fairstream {

/// Points by place. Places are numbered in the order of their first points.
class Places {
public:
    /// Finds the places: points are at the same place if all their features are equal. O(n log n + n d).
    void update(const PackedPoints& points);

    [[nodiscard]] std::size_t size() const noexcept { return firsts_.size(); }
    /// Returns whether any place has two points or more.
    [[nodiscard]] bool repeat() const noexcept { return firsts_.size() < of_.size(); }
    /// Returns the place of each point.
    [[nodiscard]] std::span<const Slot> of() const noexcept { return of_; }
    /// Returns the first point of each place.
    [[nodiscard]] std::span<const Slot> firsts() const noexcept { return firsts_; }
    /// Returns the points of a place, ascending.
    [[nodiscard]] std::span<const Slot> at(std::size_t place) const noexcept {
        return std::span(members_).subspan(begins_[place], begins_[place + 1] - begins_[place]);
    }

private:
    std::vector<Slot> of_, firsts_, members_;
    std::vector<std::size_t> begins_;
};

/// Gives the points of each place one label: the label of most of them, the lowest of equals. A label that no other
/// point has takes precedence, so that no cluster loses all its points if one place can keep it. `labels`: n, in [0,
/// k), by point. O(n + k).
void unite_labels(const Places& places, std::size_t k, std::span<ClusterId> labels);

}  // namespace fairstream
