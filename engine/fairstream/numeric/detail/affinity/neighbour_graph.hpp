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

/// Returns the default number of neighbours in a graph of n points: floor(log2 n) + 1.
[[nodiscard]] std::size_t usual_neighbours(std::size_t n) noexcept;

/// Two places are joined if either is among the q nearest of the other. Points are joined as their places are; points
/// at one place are joined to each other with weight 1. So two equal points are joined like one point of weight 2, and
/// equal points never fill the list of neighbours of a point. An update finds the places in O(n log n + n d), searches
/// at the cost of `NeighbourLists`, and computes all edge weights in O(n q), less than one product with a block. If
/// points repeat, `multiply_rows` sums all points by place, O(n k).
class NeighbourGraph final : public PointAffinity {
public:
    /// `neighbours` is q; 0: `usual_neighbours` of the number of places.
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
    /// Returns the weights of the edges between places.
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
    PackedPoints firsts_;  // the first point of each place; empty until two points are equal
    NeighbourLists lists_;
    std::vector<float> scales_;  // s by place; empty unless self-tuning
    SparseMatrix between_;
};

/// The local scale of a point is its distance to this neighbour, counted from 1.
inline constexpr std::size_t scale_neighbour = 7;

/// Returns the weight of an edge of this squared distance; for self-tuning weights, `scales` is the product s_x s_y.
[[nodiscard]] float edge_weight(const EdgeWeights& weights, float distance, double scales) noexcept;
/// Returns the distance to the seventh of these neighbours, or to the last if there are fewer. If that distance is 0,
/// returns the distance to the nearest neighbour at another place, or 1 if all are at the same place.
[[nodiscard]] float local_scale(std::span<const Neighbour> neighbours) noexcept;

}  // namespace fairstream
