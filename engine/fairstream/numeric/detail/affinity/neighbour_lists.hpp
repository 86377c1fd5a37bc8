#pragma once
/// The nearest neighbours of every point, kept exact while points are exchanged.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/affinity/packed_points.hpp>

namespace fairstream {

/// Neighbours are ordered by squared distance, then by slot.
struct Neighbour {
    float distance = 0;  ///< squared
    Slot slot = 0;
    auto operator<=>(const Neighbour&) const = default;
};

/// Each list holds more neighbours than are asked for, and all points up to its reach. If a neighbour leaves, the next
/// one is already known. A list that has lost too many neighbours is made anew.
class NeighbourLists {
public:
    /// Updates the lists to at least `wanted` neighbours, or to all other points. The first `wanted` of each list are
    /// exact. Absent points have no neighbours and are in no list. Costs O(changed n d), and O(n wanted) to scan the
    /// lists.
    void update(const PackedPoints& points, std::span<const Slot> changed, std::size_t wanted);

    [[nodiscard]] std::size_t size() const noexcept { return lists_.size(); }
    /// Returns the first `wanted` neighbours of point i, or fewer if there are not so many points.
    [[nodiscard]] std::span<const Neighbour> of(std::size_t i) const noexcept {
        return std::span(lists_[i].entries).first(std::min(wanted_, lists_[i].entries.size()));
    }

private:
    struct List {
        std::vector<Neighbour> entries;  // ascending, all points up to `reach` except this one
        Neighbour reach;
    };

    void rebuild(const PackedPoints& points, std::size_t i);
    void rebuild_all(const PackedPoints& points);
    void set_reach(List& list) const;
    void forget(std::span<const Slot> changed);
    void insert(List& list, Neighbour neighbour) const;
    void offer(const PackedPoints& points, std::span<const Slot> changed);

    std::size_t wanted_ = 0, room_ = 0;
    std::vector<List> lists_;
    std::vector<std::uint8_t> is_changed_;  // by slot, scratch
};

/// Selects the `count` nearest of n points at these squared distances, ascending, or fewer if there are not so many;
/// points at infinite distance are left out.
void select_nearest(const float* distances, std::size_t n, std::size_t count, std::vector<Neighbour>& out);
/// Keeps in `out` the nearest `count` of its entries and of further points, given by squared distances and slots.
void add_nearest(const float* distances, std::span<const Slot> slots, std::size_t count, std::vector<Neighbour>& out);

}  // namespace fairstream
