#pragma once
/// Radial basis affinities exp(-|x - y|^2 / (2 sigma^2)), kept as a matrix, or computed in tiles for every product.

#include <algorithm>

#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/affinity/dense_matrix.hpp>

namespace fairstream {

/// Returns the factor of the exponent, 1 / (2 sigma^2), sigma > 0. At most 1e38: float32 cannot resolve smaller
/// distances.
[[nodiscard]] inline float decay_scale(double bandwidth) {
    return static_cast<float>(std::min(0.5 / (bandwidth * bandwidth), 1e38));
}

/// Keeps the matrix in memory, 4 n^2 bytes. An update costs O(changed n d), and O(n^2) when n grows.
class DenseAffinity final : public PointAffinity {
public:
    explicit DenseAffinity(double bandwidth) : scale_(decay_scale(bandwidth)) {}
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return true; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return true; }
    void multiply(const Matrix& x, Matrix& out) const override { matrix_.multiply(x, out); }
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override {
        matrix_.multiply_rows(which, x, out);
    }
    void copy_row(Slot i, AffinityRow& out) const override { matrix_.copy_row(i, out); }
    [[nodiscard]] std::vector<double> diagonal() const override { return matrix_.diagonal(); }
    void update(const PackedPoints& points, std::span<const Slot> changed) override;
    [[nodiscard]] Anchors anchors(const PackedPoints& points, const Matrix& t,
                                  std::span<const double> weights = {}) const override {
        return points_as_anchors(points, t, weights);
    }

private:
    void exchange(std::span<const Slot> changed, const CacheLineVector<float>& fresh, std::size_t stride);

    float scale_;
    DenseMatrix matrix_;
    std::vector<std::int64_t> sums_;  // degrees in units (`in_units`)
};

/// Keeps no matrix: memory O(n d), a product costs O(n^2 (d + k)). An update costs O(changed n d).
class TiledAffinity final : public PointAffinity {
public:
    explicit TiledAffinity(double bandwidth) : scale_(decay_scale(bandwidth)) {}
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return true; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return true; }
    void multiply(const Matrix& x, Matrix& out) const override;
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override;
    void copy_row(Slot i, AffinityRow& out) const override;
    [[nodiscard]] std::vector<double> diagonal() const override { return std::vector<double>(rows(), 1.0); }
    void update(const PackedPoints& points, std::span<const Slot> changed) override;
    [[nodiscard]] Anchors anchors(const PackedPoints& points, const Matrix& t,
                                  std::span<const double> weights = {}) const override {
        return points_as_anchors(points, t, weights);
    }

private:
    template <class At>
    void multiply_part(std::size_t first, std::size_t last, const At& slot, const FloatBlock& x, Matrix& out) const;
    void update_sums(const PackedPoints& of, std::span<const Slot> rows, std::size_t upto, std::int64_t sign);

    float scale_;
    PackedPoints points_;
    std::vector<std::int64_t> sums_;  // degrees in units (`in_units`)
};

}  // namespace fairstream
