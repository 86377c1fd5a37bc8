#pragma once
/// Affinities of n points as operators: the interface that spectral methods need of a kernel or a graph.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/anchors.hpp>
#include <fairstream/numeric/detail/affinity/packed_points.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// The entries of a row that are not 0, in ascending order of columns.
struct AffinityRow {
    std::vector<Slot> at;
    std::vector<float> weights;
};

/// Matrices with few columns whose product K = left rightᵀ is n x n.
struct AffinityFactors {
    const Matrix& left;  ///< owned by the affinity
    Matrix right;
};

class Places;
struct SparseMatrix;

/// Points at equal places merged: K = P (S + I) Pᵀ - I, with P the n x m matrix that has a 1 for the place of each
/// point.
struct MergedRows {
    const Places& places;
    const SparseMatrix& between;  ///< S, m x m, 0 on the diagonal
};

/// A symmetric matrix K of n rows with nonnegative entries (Nyström: up to its error), used through products and single
/// rows. Const functions are safe from several threads. Loops run as tasks; results do not depend on threads.
class Affinity {
public:
    virtual ~Affinity() = default;

    [[nodiscard]] std::size_t rows() const noexcept { return degrees_.size(); }
    /// Returns K 1, n; 0 for a point without affinity to any other.
    [[nodiscard]] std::span<const double> degrees() const noexcept { return degrees_; }
    /// Returns whether K has no negative eigenvalue for any points.
    [[nodiscard]] virtual bool positive_semidefinite() const noexcept = 0;
    /// Returns whether a product with few columns costs nearly as much as one with many.
    [[nodiscard]] virtual bool prefers_wide_blocks() const noexcept = 0;
    /// out = K x, n x k.
    virtual void multiply(const Matrix& x, Matrix& out) const = 0;
    /// Computes the rows `which` of K x, in this order; costs which.size() / n of `multiply`.
    virtual void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const = 0;
    /// Writes row i of K into the memory of `out`.
    virtual void copy_row(Slot i, AffinityRow& out) const = 0;
    /// Returns the factors of K, if it has any; its rows are then expensive, and sums over them are not.
    [[nodiscard]] virtual std::optional<AffinityFactors> factors() const { return std::nullopt; }
    /// Returns the merged form if points repeat. A row of K (`copy_row`) may then have many entries.
    [[nodiscard]] virtual std::optional<MergedRows> merged() const { return std::nullopt; }
    /// Returns the diagonal of K, n.
    [[nodiscard]] virtual std::vector<double> diagonal() const = 0;

protected:
    std::vector<double> degrees_;
};

/// An affinity that is a function of points.
class PointAffinity : public Affinity {
public:
    /// Takes over the present points. `changed` lists each row that differs from the last update, new rows included, in
    /// ascending order. The result is bit for bit that of a first update with these points. The cost is proportional to
    /// the change; each class states further costs.
    virtual void update(const PackedPoints& points, std::span<const Slot> changed) = 0;
    /// Returns anchors for the rows of t, n x k. The value at point i of this affinity is sum_j K_ij w_j t_j / sum_j
    /// K_ij w_j, where w are the weights, 1 each if empty.
    [[nodiscard]] virtual Anchors anchors(const PackedPoints& points, const Matrix& t,
                                          std::span<const double> weights = {}) const = 0;
};

/// Makes every point an anchor with its own row of t.
[[nodiscard]] Anchors points_as_anchors(const PackedPoints& points, const Matrix& t,
                                        std::span<const double> weights = {});
/// Returns the rows of t with a 1 appended, multiplied by the weights if there are any: the terms of sums over anchors.
[[nodiscard]] Matrix anchored_rows(const Matrix& t, std::span<const double> weights);

/// Converts affinities in [0, 1] to units of 2^-40, rounded down. Sums of units are exact, so a term can be subtracted
/// again.
[[nodiscard]] inline std::int64_t in_units(float affinity) noexcept {
    return static_cast<std::int64_t>(static_cast<double>(affinity) * 0x1p40);
}
[[nodiscard]] inline double from_units(std::int64_t sum) noexcept {
    return static_cast<double>(sum) * 0x1p-40;
}

}  // namespace fairstream
