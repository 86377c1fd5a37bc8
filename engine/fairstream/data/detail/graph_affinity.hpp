#pragma once
/// The affinity matrix of a given graph.

#include <memory>
#include <span>

#include <fairstream/data/graph.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/affinity/dense_matrix.hpp>
#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>

namespace fairstream {

/// An affinity whose entries are stored as a matrix of any kind.
template <class Storage, bool wide_blocks> class MatrixAffinity : public Affinity {
public:
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return wide_blocks; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return false; }
    void multiply(const Matrix& x, Matrix& out) const override { matrix_.multiply(x, out); }
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override {
        matrix_.multiply_rows(which, x, out);
    }
    void copy_row(Slot i, AffinityRow& out) const override { matrix_.copy_row(i, out); }
    [[nodiscard]] std::vector<double> diagonal() const override { return matrix_.diagonal(); }

protected:
    Storage matrix_;
};

class GraphAffinity final : public MatrixAffinity<SparseMatrix, false> {
public:
    explicit GraphAffinity(const Graph& graph);
};

/// Affinity of a graph with so many edges that a dense matrix is smaller than a sparse one.
class DenseGraphAffinity final : public MatrixAffinity<DenseMatrix, true> {
public:
    explicit DenseGraphAffinity(const Graph& graph);
};

/// Returns the affinity of a graph in the form that takes less memory: dense if more than one pair in sixteen is an
/// edge. Weights are in units of the largest weight, rounded down to a power of two.
[[nodiscard]] std::unique_ptr<Affinity> graph_affinity(const Graph& graph);

}  // namespace fairstream
