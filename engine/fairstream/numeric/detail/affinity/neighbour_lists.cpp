#include <fairstream/numeric/detail/affinity/neighbour_lists.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fairstream/numeric/detail/affinity/point_cells.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr Neighbour everything{infinite, std::numeric_limits<Slot>::max()}, nothing{-1, 0};
// Number of distances that are skipped together if none is near enough.
constexpr std::size_t stretch = 64;

// Computes the distances from point i to all points, infinite to itself.
void distances_from(const PackedPoints& points, std::size_t i, CacheLineVector<float>& row, float* out) {
    row.resize(points.dimensions());
    points.copy_row(i, row.data());
    points.distances(row.data(), 0, points.size(), out);
    out[i] = infinite;
}

}  // namespace

namespace {

template <class SlotOf> void add_nearest_of(const float* distances, std::size_t n, const SlotOf& slot_of,
                                            std::size_t count, std::vector<Neighbour>& out) {
    for (std::size_t first = 0; first < n; first += stretch) {
        const std::size_t width = std::min(stretch, n - first);
        // The limit is just above the farthest distance, because a point at an equal distance may have a lower slot.
        const float limit = out.size() < count ? infinite : std::nextafter(out.back().distance, infinite);
        if (kernels().count_below(distances + first, width, limit) == 0) continue;
        for (std::size_t i = first; i < first + width; ++i) {
            const Neighbour next{distances[i], slot_of(i)};
            if (next.distance == infinite || (out.size() == count && !(next < out.back()))) continue;
            if (out.size() == count) out.pop_back();
            out.insert(std::ranges::upper_bound(out, next), next);
        }
    }
}

}  // namespace

void select_nearest(const float* distances, std::size_t n, std::size_t count, std::vector<Neighbour>& out) {
    out.clear();
    add_nearest_of(
        distances, n, [](std::size_t i) { return static_cast<Slot>(i); }, count, out);
}

void add_nearest(const float* distances, std::span<const Slot> slots, std::size_t count, std::vector<Neighbour>& out) {
    add_nearest_of(
        distances, slots.size(), [&](std::size_t i) { return slots[i]; }, count, out);
}

// Sets the reach of a list that holds the nearest points.
void NeighbourLists::set_reach(List& list) const {
    list.reach = list.entries.size() < room_ ? everything : list.entries.back();
}

void NeighbourLists::rebuild(const PackedPoints& points, std::size_t i) {
    CacheLineVector<float> row, distances(points.padded());
    distances_from(points, i, row, distances.data());
    List& list = lists_[i];
    list.entries.reserve(room_);
    select_nearest(distances.data(), points.size(), room_, list.entries);
    set_reach(list);
}

void NeighbourLists::rebuild_all(const PackedPoints& points) {
    const PointCells cells(points);
    parallel_for(std::size_t{0}, lists_.size(), [&](std::size_t i) {
        if (points.is_absent(i)) {
            lists_[i] = {{}, nothing};
            return;
        }
        lists_[i].entries.reserve(room_);
        cells.nearest(i, room_, lists_[i].entries);
        set_reach(lists_[i]);
    });
}

// Removes the former points of these slots from all lists.
void NeighbourLists::forget(std::span<const Slot> changed) {
    is_changed_.assign(lists_.size(), 0);
    for (const Slot slot : changed) is_changed_[slot] = 1;
    for_row_blocks(lists_.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            std::erase_if(lists_[i].entries, [&](const Neighbour& n) { return is_changed_[n.slot] != 0; });
    });
}

void NeighbourLists::insert(List& list, Neighbour neighbour) const {
    if (!(neighbour <= list.reach)) return;
    list.entries.insert(std::ranges::upper_bound(list.entries, neighbour), neighbour);
    if (list.entries.size() <= room_) return;
    list.entries.pop_back();
    list.reach = list.entries.back();
}

// Makes the lists of the points now in these slots, and inserts these points into the lists of the others.
void NeighbourLists::offer(const PackedPoints& points, std::span<const Slot> changed) {
    const std::size_t n = points.size(), stride = points.padded();
    constexpr std::size_t most = 128;
    CacheLineVector<float> distances(std::min(most, changed.size()) * stride);
    for (std::size_t first = 0; first < changed.size(); first += most) {
        const auto part = changed.subspan(first, std::min(most, changed.size() - first));
        parallel_for(std::size_t{0}, part.size(), [&](std::size_t c) {
            CacheLineVector<float> row;
            float* to = &distances[c * stride];
            List& list = lists_[part[c]];
            if (points.is_absent(part[c])) {
                list = {{}, nothing};
                return;
            }
            distances_from(points, part[c], row, to);
            select_nearest(to, n, room_, list.entries);
            set_reach(list);
        });
        for_row_blocks(n, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = 0; c < part.size(); ++c) {
                if (points.is_absent(part[c])) continue;
                for (std::size_t i = begin; i < end; ++i)
                    if (is_changed_[i] == 0 && distances[c * stride + i] <= lists_[i].reach.distance)
                        insert(lists_[i], {distances[c * stride + i], part[c]});
            }
        });
    }
}

void NeighbourLists::update(const PackedPoints& points, std::span<const Slot> changed, std::size_t wanted) {
    const std::size_t n = points.size(), room = 2 * wanted + 8;
    const bool anew = n < lists_.size() || room != room_ || changed.size() * 4 > n;
    wanted_ = wanted, room_ = room;
    lists_.resize(n);
    if (anew) return rebuild_all(points);
    forget(changed);
    offer(points, changed);
    parallel_for(std::size_t{0}, n, [&](std::size_t i) {
        const List& list = lists_[i];
        if (list.entries.size() < wanted && list.reach != everything && list.reach != nothing) rebuild(points, i);
    });
}

}  // namespace fairstream
