#pragma once
/// The graph of nearest neighbours as an affinity.

#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_lists.hpp>
#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>

namespace fairstream {

/// Weights of the edges: exp(-|x - y|^2 / (s_x s_y)) with s the distance to the seventh neighbour (Zelnik-Manor and
/// Perona, "Self-tuning spectral clustering", 2004), or exp(-|x - y|^2 / (2 sigma^2)).
struct EdgeWeights {
    double bandwidth = 0;  ///< sigma; 0: self-tuning
};

/// Neighbours in a graph of n points unless told otherwise: floor(log2 n) + 1.
[[nodiscard]] std::size_t usual_neighbours(std::size_t n) noexcept;

/// Points are joined when either is among the q nearest of the other. An update searches at the cost of
/// `NeighbourLists` and then weighs all edges anew, O(n q), which is less than one product with a block.
class NeighbourGraph final : public PointAffinity {
public:
    /// `neighbours`: q; 0: `usual_neighbours`.
    NeighbourGraph(std::size_t neighbours, EdgeWeights weights) : neighbours_(neighbours), weights_(weights) {}
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return false; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return false; }
    void multiply(const Matrix& x, Matrix& out) const override { matrix_.multiply(x, out); }
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override {
        matrix_.multiply_rows(which, x, out);
    }
    void copy_row(Slot i, AffinityRow& out) const override { matrix_.copy_row(i, out); }
    [[nodiscard]] std::vector<double> diagonal() const override { return matrix_.diagonal(); }
    void update(const PackedPoints& points, std::span<const Slot> changed) override;
    [[nodiscard]] Anchors anchors(const PackedPoints& points, const Matrix& t) const override;
    [[nodiscard]] const SparseMatrix& matrix() const noexcept { return matrix_; }

private:
    void find_scales();
    void join();

    std::size_t neighbours_;
    EdgeWeights weights_;
    NeighbourLists lists_;
    std::vector<float> scales_;  // s by point; empty unless self-tuning
    SparseMatrix matrix_;
};

/// Number of the neighbour whose distance is a point's local scale.
inline constexpr std::size_t scale_neighbour = 7;

/// Returns the weight of an edge of this squared distance; for self-tuning weights `scales` is the product s_x s_y.
[[nodiscard]] float edge_weight(const EdgeWeights& weights, float distance, double scales) noexcept;
/// Returns the distance to the seventh of these neighbours, or to the last; where that is 0, to the nearest that is not
/// at the same place, or 1 when all are.
[[nodiscard]] float local_scale(std::span<const Neighbour> neighbours) noexcept;

}  // namespace fairstream
