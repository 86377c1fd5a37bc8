#pragma once
/// The graph of nearest neighbours as an affinity.

#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_lists.hpp>
#include <fairstream/numeric/detail/affinity/places.hpp>
#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>

namespace fairstream {

/// Weights of the edges: exp(-|x - y|^2 / (s_x s_y)) with s the distance to the seventh neighbour (Zelnik-Manor and
/// Perona, "Self-tuning spectral clustering", 2004), or exp(-|x - y|^2 / (2 sigma^2)).
struct EdgeWeights {
    double bandwidth = 0;  ///< sigma; 0: self-tuning
};

/// Neighbours in a graph of n points unless told otherwise: floor(log2 n) + 1.
[[nodiscard]] std::size_t usual_neighbours(std::size_t n) noexcept;

/// Places are joined when either is among the q nearest of the other, and points as their places are; those at one
/// place are joined to each other by a weight of 1. So a point that comes twice is joined as one that weighs twice as
/// much, and no number of equal points fills the list of neighbours of a point. An update finds the places,
/// O(n log n + n d), searches at the cost of `NeighbourLists` and then weighs all edges anew, O(n q), which is less
/// than one product with a block. Where points repeat, `multiply_rows` adds up all points by place, O(n k).
class NeighbourGraph final : public PointAffinity {
public:
    /// `neighbours`: q; 0: `usual_neighbours` of the number of places.
    NeighbourGraph(std::size_t neighbours, EdgeWeights weights) : neighbours_(neighbours), weights_(weights) {}
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return false; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return false; }
    void multiply(const Matrix& x, Matrix& out) const override;
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override;
    void copy_row(Slot i, AffinityRow& out) const override;
    [[nodiscard]] std::optional<MergedRows> merged() const override;
    [[nodiscard]] std::vector<double> diagonal() const override { return std::vector<double>(rows(), 0.0); }
    void update(const PackedPoints& points, std::span<const Slot> changed) override;
    [[nodiscard]] Anchors anchors(const PackedPoints& points, const Matrix& t,
                                  std::span<const double> weights = {}) const override;
    [[nodiscard]] const Places& places() const noexcept { return places_; }
    /// The weights of the edges between places.
    [[nodiscard]] const SparseMatrix& between() const noexcept { return between_; }

private:
    // Returns q.
    [[nodiscard]] std::size_t joined_to() const {
        return neighbours_ > 0 ? neighbours_ : usual_neighbours(places_.size());
    }
    void find_neighbours(const PackedPoints& points, std::span<const Slot> changed);
    [[nodiscard]] std::span<const Neighbour> neighbours_of(std::size_t place) const {
        return lists_.of(places_.firsts()[place]);
    }
    void find_scales();
    void join();
    [[nodiscard]] Matrix sums_by_place(const Matrix& x) const;

    std::size_t neighbours_;
    EdgeWeights weights_;
    Places places_;
    PackedPoints firsts_;  // the first point of each place; empty as long as no points were equal
    NeighbourLists lists_;
    std::vector<float> scales_;  // s by place; empty unless self-tuning
    SparseMatrix between_;
};

/// Number of the neighbour whose distance is a point's local scale.
inline constexpr std::size_t scale_neighbour = 7;

/// Returns the weight of an edge of this squared distance; for self-tuning weights `scales` is the product s_x s_y.
[[nodiscard]] float edge_weight(const EdgeWeights& weights, float distance, double scales) noexcept;
/// Returns the distance to the seventh of these neighbours, or to the last; where that is 0, to the nearest that is not
/// at the same place, or 1 when all are.
[[nodiscard]] float local_scale(std::span<const Neighbour> neighbours) noexcept;

}  // namespace fairstream
