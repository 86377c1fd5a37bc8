#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <ranges>
#include <utility>

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
    places_.update(points);
    find_neighbours(points, changed);
    find_scales();
    join();
    degrees_ = between_.row_sums();
    if (!places_.repeat()) return;
    Matrix ones(points.size(), 1), sums;
    std::ranges::fill(ones.values, 1.0);
    multiply(ones, sums);
    degrees_ = std::move(sums.values);
}

// Neighbours are searched among all points until two points are equal for the first time, and from then on among the
// first point of each place. Both are exact, so the result does not depend on the history.
void NeighbourGraph::find_neighbours(const PackedPoints& points, std::span<const Slot> changed) {
    // The local scale needs seven neighbours even in a sparser graph.
    const std::size_t wanted = std::max(joined_to(), scale_neighbour);
    if (!places_.repeat() && firsts_.size() == 0) return lists_.update(points, changed, wanted);
    const std::vector<Slot> others = firsts_.update(points, places_.firsts());
    lists_.update(firsts_, others, wanted);
}

void NeighbourGraph::find_scales() {
    if (weights_.bandwidth > 0) return;
    scales_.resize(places_.size());
    for (std::size_t p = 0; p < scales_.size(); ++p) scales_[p] = local_scale(neighbours_of(p));
}

void NeighbourGraph::join() {
    const std::size_t n = places_.size(), q = joined_to();
    const auto chosen = [&](std::size_t i) { return neighbours_of(i).first(std::min(q, neighbours_of(i).size())); };
    const auto place = [&](const Neighbour& other) { return places_.of()[other.slot]; };
    // Every directed edge is listed in both rows; an edge in both directions would be listed twice and is kept once.
    std::vector<std::uint64_t> first(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        first[i + 1] += chosen(i).size();
        for (const Neighbour& other : chosen(i)) ++first[place(other) + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Neighbour> entries(first[n]);
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < n; ++i)
        for (const Neighbour& other : chosen(i)) {
            entries[next[i]++] = {other.distance, place(other)};
            entries[next[place(other)]++] = {other.distance, static_cast<Slot>(i)};
        }
    std::vector<std::uint64_t> kept(n);
    for_row_blocks(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = std::span(entries).subspan(first[i], first[i + 1] - first[i]);
            std::ranges::sort(row, {}, &Neighbour::slot);
            kept[i] = row.size() - std::ranges::unique(row, {}, &Neighbour::slot).size();
        }
    });
    between_.first.assign(n + 1, 0);
    std::partial_sum(kept.begin(), kept.end(), between_.first.begin() + 1);
    between_.columns.resize(between_.first[n]);
    between_.weights.resize(between_.first[n]);
    for_row_blocks(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t e = 0; e < kept[i]; ++e) {
                const Neighbour& other = entries[first[i] + e];
                const double scales =
                    scales_.empty() ? 0 : static_cast<double>(scales_[i]) * static_cast<double>(scales_[other.slot]);
                between_.columns[between_.first[i] + e] = other.slot;
                between_.weights[between_.first[i] + e] = edge_weight(weights_, other.distance, scales);
            }
    });
}

// Returns Pᵀ x, m x k.
Matrix NeighbourGraph::sums_by_place(const Matrix& x) const {
    Matrix sums(places_.size(), x.cols);
    for_row_blocks(sums.rows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
            for (const Slot i : places_.at(p))
                for (std::size_t j = 0; j < x.cols; ++j) sums.at(p, j) += x.at(i, j);
    });
    return sums;
}

void NeighbourGraph::multiply(const Matrix& x, Matrix& out) const {
    if (!places_.repeat()) return between_.multiply(x, out);
    const Matrix sums = sums_by_place(x);
    Matrix found;
    between_.multiply(sums, found);
    out.reshape(x.rows, x.cols);
    for_row_blocks(x.rows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t p = places_.of()[i];
            for (std::size_t j = 0; j < x.cols; ++j) out.at(i, j) = found.at(p, j) + (sums.at(p, j) - x.at(i, j));
        }
    });
}

void NeighbourGraph::multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const {
    if (!places_.repeat()) return between_.multiply_rows(which, x, out);
    const Matrix sums = sums_by_place(x);
    out.reshape(which.size(), x.cols);
    for_row_blocks(which.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t p = places_.of()[which[i]];
            between_.multiply_row(p, sums, out.row(i));
            for (std::size_t j = 0; j < x.cols; ++j) out.at(i, j) += sums.at(p, j) - x.at(which[i], j);
        }
    });
}

void NeighbourGraph::copy_row(Slot i, AffinityRow& out) const {
    if (!places_.repeat()) return between_.copy_row(i, out);
    const std::size_t own = places_.of()[i];
    std::vector<std::pair<Slot, float>> entries;
    for (const Slot other : places_.at(own))
        if (other != i) entries.emplace_back(other, 1.0F);
    for (std::size_t e = between_.first[own]; e < between_.first[own + 1]; ++e)
        for (const Slot other : places_.at(between_.columns[e])) entries.emplace_back(other, between_.weights[e]);
    std::ranges::sort(entries);
    out.at.resize(entries.size());
    out.weights.resize(entries.size());
    std::ranges::copy(std::views::keys(entries), out.at.begin());
    std::ranges::copy(std::views::values(entries), out.weights.begin());
}

std::optional<MergedRows> NeighbourGraph::merged() const {
    if (!places_.repeat()) return std::nullopt;
    return MergedRows{places_, between_};
}

// Each place is an anchor, with the sums of its points' rows.
Anchors NeighbourGraph::anchors(const PackedPoints& points, const Matrix& t, std::span<const double> weights) const {
    Anchors anchors;
    if (places_.repeat()) {
        std::vector<float> rows(places_.size() * points.dimensions());
        for (std::size_t p = 0; p < places_.size(); ++p)
            points.copy_row(places_.firsts()[p], &rows[p * points.dimensions()]);
        PackedPoints at;
        at.update(rows.data(), places_.size(), points.dimensions());
        anchors = points_as_anchors(at, Matrix(at.size(), 0));
        anchors.values = sums_by_place(anchored_rows(t, weights));
    } else {
        anchors = points_as_anchors(points, t, weights);
    }
    anchors.scales = scales_;
    return anchors;
}

}  // namespace fairstream
