#pragma once
/// Nyström's low-rank approximation C W⁺ Cᵀ of the radial basis affinity.

#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// Landmarks are the points of slots drawn once by the seed, so they are a uniform sample of the window at any time.
/// Memory is O(n m), a product O(n m k). An update costs O(changed m d + changed landmarks n d + m^3), and O(n m d)
/// when n grows.
class NystromAffinity final : public PointAffinity {
public:
    /// `landmarks` >= 1; with at most this many points, every point is a landmark.
    NystromAffinity(double bandwidth, std::size_t landmarks, std::uint64_t seed);
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return true; }
    /// C W⁺ Cᵀ has no negative eigenvalue. By the error of the approximation, entries and degrees may be negative;
    /// negative degrees are set to 0.
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
    PackedPoints at_;              // points of the landmarks
    Matrix affinities_;            // C, n x m
    Matrix inverse_;               // W⁺, m x m
};

}  // namespace fairstream
