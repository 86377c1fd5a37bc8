#pragma once
/// Affinities of n points as operators: what spectral methods need of a kernel or a graph.

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

/// The entries of a row that are not 0, by rising column.
struct AffinityRow {
    std::vector<Slot> at;
    std::vector<float> weights;
};

/// Matrices of few columns with K = left rightᵀ, n x m.
struct AffinityFactors {
    const Matrix& left;  ///< the affinity's own
    Matrix right;
};

class Places;
struct SparseMatrix;

/// Points at the same place as one: K = P (S + I) Pᵀ - I, P the n x m matrix that has 1 for the place of each point.
struct MergedRows {
    const Places& places;
    const SparseMatrix& between;  ///< S, m x m, 0 on the diagonal
};

/// A symmetric matrix K of n rows, of entries that are not negative (Nyström: up to its error), that is multiplied, and
/// looked at row by row. Const functions are safe from several threads; loops run as tasks, results do not depend on
/// them.
class Affinity {
public:
    virtual ~Affinity() = default;

    [[nodiscard]] std::size_t rows() const noexcept { return degrees_.size(); }
    /// K 1, n of them; 0 for a point with no affinity to any.
    [[nodiscard]] std::span<const double> degrees() const noexcept { return degrees_; }
    /// Says whether K has no negative eigenvalue, whatever the points.
    [[nodiscard]] virtual bool positive_semidefinite() const noexcept = 0;
    /// Says whether a product with few columns costs nearly as much as one with many.
    [[nodiscard]] virtual bool prefers_wide_blocks() const noexcept = 0;
    /// out = K x, n x k.
    virtual void multiply(const Matrix& x, Matrix& out) const = 0;
    /// The rows `which` of K x, in this order; costs which.size() / n of `multiply`.
    virtual void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const = 0;
    /// Row i of K, into the memory of `out`.
    virtual void copy_row(Slot i, AffinityRow& out) const = 0;
    /// The factors of K, where it has some: rows are then dear, and sums over them are not.
    [[nodiscard]] virtual std::optional<AffinityFactors> factors() const { return std::nullopt; }
    /// What rows that are alike have in common, where some are: a row of K may then be long.
    [[nodiscard]] virtual std::optional<MergedRows> merged() const { return std::nullopt; }
    /// The diagonal of K, n.
    [[nodiscard]] virtual std::vector<double> diagonal() const = 0;

protected:
    std::vector<double> degrees_;
};

/// An affinity that is a function of points.
class PointAffinity : public Affinity {
public:
    /// Takes over the points as they are now. `changed` names each row that is another than at the last update, new
    /// rows included, in ascending order. The result is the one of a first update with these points, bit for bit; the
    /// cost is proportional to the change (each says what else).
    virtual void update(const PackedPoints& points, std::span<const Slot> changed) = 0;
    /// Anchors for the rows of t, n x k: at a point of this affinity with row weights K_ij the value is
    /// sum_j K_ij w_j t_j / sum_j K_ij w_j, w the weights, 1 each where there are none.
    [[nodiscard]] virtual Anchors anchors(const PackedPoints& points, const Matrix& t,
                                          std::span<const double> weights = {}) const = 0;
};

/// Makes every point an anchor with its own row of t.
[[nodiscard]] Anchors points_as_anchors(const PackedPoints& points, const Matrix& t,
                                        std::span<const double> weights = {});
/// Returns the rows of t and a 1, times their weights where there are some: what sums for anchors are taken of.
[[nodiscard]] Matrix anchored_rows(const Matrix& t, std::span<const double> weights);

/// Affinities in [0, 1] in units of 2^-40, rounded down: sums of them are exact, so that what was added can be taken
/// away again.
[[nodiscard]] inline std::int64_t in_units(float affinity) noexcept {
    return static_cast<std::int64_t>(static_cast<double>(affinity) * 0x1p40);
}
[[nodiscard]] inline double from_units(std::int64_t sum) noexcept {
    return static_cast<double>(sum) * 0x1p-40;
}

}  // namespace fairstream
