#pragma once
/// The low-rank affinity C W⁺ Cᵀ of Nyström, with the radial basis affinity.

#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// Landmarks are points of slots drawn once by the seed, so that they are a uniform sample of the window at any time.
/// Memory and a product cost O(n m) and O(n m k); an update O(changed m d + changed landmarks n d + m^3), and O(n m d)
/// when n grows.
class NystromAffinity final : public PointAffinity {
public:
    /// `landmarks` >= 1; all points are landmarks when there are no more.
    NystromAffinity(double bandwidth, std::size_t landmarks, std::uint64_t seed);
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return true; }
    /// C W⁺ Cᵀ has none; its entries and degrees may fall below 0 by its error, where degrees are set to 0.
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return true; }
    void multiply(const Matrix& x, Matrix& out) const override;
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override;
    void copy_row(Slot i, AffinityRow& out) const override;
    [[nodiscard]] std::optional<AffinityFactors> factors() const override;
    [[nodiscard]] std::vector<double> diagonal() const override;
    void update(const PackedPoints& points, std::span<const Slot> changed) override;
    [[nodiscard]] Anchors anchors(const PackedPoints& points, const Matrix& t,
                                  std::span<const double> weights = {}) const override;

private:
    [[nodiscard]] std::vector<Slot> draw_landmarks(std::size_t n) const;
    [[nodiscard]] Matrix coefficients(const Matrix& x) const;

    float scale_;
    std::size_t most_;
    std::uint64_t seed_;
    std::vector<Slot> landmarks_;  // m, ascending
    PackedPoints at_;              // their points
    Matrix affinities_;            // C, n x m
    Matrix inverse_;               // W⁺, m x m
};

}  // namespace fairstream
