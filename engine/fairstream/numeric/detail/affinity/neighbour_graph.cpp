#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream {

std::size_t usual_neighbours(std::size_t n) noexcept {
    return static_cast<std::size_t>(std::bit_width(n));
}

float edge_weight(const EdgeWeights& weights, float distance, double scales) noexcept {
    const double squared = weights.bandwidth > 0 ? 2 * weights.bandwidth * weights.bandwidth : scales;
    return static_cast<float>(std::exp(-static_cast<double>(distance) / squared));
}

float local_scale(std::span<const Neighbour> neighbours) noexcept {
    if (neighbours.empty()) return 1;
    const float seventh = neighbours[std::min(scale_neighbour, neighbours.size()) - 1].distance;
    if (seventh > 0) return std::sqrt(seventh);
    const auto apart = std::ranges::find_if(neighbours, [](const Neighbour& n) { return n.distance > 0; });
    return apart == neighbours.end() ? 1 : std::sqrt(apart->distance);
}

void NeighbourGraph::update(const PackedPoints& points, std::span<const Slot> changed) {
    const std::size_t q = neighbours_ > 0 ? neighbours_ : usual_neighbours(points.size());
    // The local scale needs seven neighbours even in a sparser graph.
    lists_.update(points, changed, std::max(q, scale_neighbour));
    find_scales();
    join();
    degrees_ = matrix_.row_sums();
}

void NeighbourGraph::find_scales() {
    if (weights_.bandwidth > 0) return;
    scales_.resize(lists_.size());
    for (std::size_t i = 0; i < scales_.size(); ++i) scales_[i] = local_scale(lists_.of(i));
}

void NeighbourGraph::join() {
    const std::size_t n = lists_.size(), q = neighbours_ > 0 ? neighbours_ : usual_neighbours(n);
    const auto chosen = [&](std::size_t i) { return lists_.of(i).first(std::min(q, lists_.of(i).size())); };
    // Every directed edge stands in both rows; one that goes both ways would stand twice and is kept once.
    std::vector<std::uint64_t> first(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        first[i + 1] += chosen(i).size();
        for (const Neighbour& other : chosen(i)) ++first[other.slot + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Neighbour> entries(first[n]);
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < n; ++i)
        for (const Neighbour& other : chosen(i)) {
            entries[next[i]++] = other;
            entries[next[other.slot]++] = {other.distance, static_cast<Slot>(i)};
        }
    std::vector<std::uint64_t> kept(n);
    for_row_blocks(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = std::span(entries).subspan(first[i], first[i + 1] - first[i]);
            std::ranges::sort(row, {}, &Neighbour::slot);
            kept[i] = row.size() - std::ranges::unique(row, {}, &Neighbour::slot).size();
        }
    });
    matrix_.first.assign(n + 1, 0);
    std::partial_sum(kept.begin(), kept.end(), matrix_.first.begin() + 1);
    matrix_.columns.resize(matrix_.first[n]);
    matrix_.weights.resize(matrix_.first[n]);
    for_row_blocks(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t e = 0; e < kept[i]; ++e) {
                const Neighbour& other = entries[first[i] + e];
                const double scales =
                    scales_.empty() ? 0 : static_cast<double>(scales_[i]) * static_cast<double>(scales_[other.slot]);
                matrix_.columns[matrix_.first[i] + e] = other.slot;
                matrix_.weights[matrix_.first[i] + e] = edge_weight(weights_, other.distance, scales);
            }
    });
}

Anchors NeighbourGraph::anchors(const PackedPoints& points, const Matrix& t) const {
    Anchors anchors = points_as_anchors(points, t);
    anchors.scales = scales_;
    return anchors;
}

}  // namespace fairstream
