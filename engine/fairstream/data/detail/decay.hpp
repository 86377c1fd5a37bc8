#pragma once
/// Exponential decay of weights of points that never rewrites the weights of older points.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fairstream/data/window.hpp>

namespace fairstream {

/// A point of weight w that came at age t of the stream is stored with weight w 2^((t - landmark) / half-life). The
/// ratio of two such weights stays right at any later time. Shifts of the landmark keep the weights within the range of
/// a double.
class Decay {
public:
    /// Half-lives between two landmarks, and half-lives after which a weight is negligible.
    static constexpr double between_landmarks = 64, longest = 250;

    explicit Decay(const HalfLife& half_life)
        : by_points_(half_life.points > 0),
          half_life_(by_points_ ? half_life.points : static_cast<double>(half_life.time)) {
        for (std::size_t i = 0; i < block && by_points_; ++i)
            within_[i] = std::exp2(static_cast<double>(i) / half_life_);
    }

    /// Returns the factor of a point that comes at this age, at least 2^-longest.
    [[nodiscard]] double factor(double age) const {
        if (!by_points_ || !begun) return factor_of_block(age);
        const auto place = static_cast<std::uint64_t>(age) % block;
        return factor_of_block(age - static_cast<double>(place)) * within_[place];
    }
    /// Returns the factors of successive points, the first of which has this age in points.
    void find_factors(std::uint64_t age, std::span<double> factors) const {
        double begins = 0;
        for (std::size_t i = 0; i < factors.size(); ++i, ++age) {
            const std::size_t place = age % block;
            if (i == 0 || place == 0) begins = factor_of_block(static_cast<double>(age - place));
            factors[i] = begins * within_[place];
        }
    }
    [[nodiscard]] double exponent(double age) const { return begun ? (age - landmark) / half_life_ : 0; }
    /// Moves the landmark near `age`, and returns the factor by which stored weights must be multiplied.
    [[nodiscard]] double move_landmark(double age) {
        if (!begun) {
            begun = true;
            landmark = age;
            return 1;
        }
        const double passed = std::floor(exponent(age) / between_landmarks) * between_landmarks;
        if (passed <= 0) return 1;
        landmark += passed * half_life_;
        return std::exp2(-std::min(passed, 960.0));
    }

    double landmark = 0;
    bool begun = false;

private:
    // Only the first of 16 points computes an exponential; each other point of the block multiplies that value by a
    // factor for its position. Blocks are counted over the whole stream, so weights do not depend on how the stream is
    // divided into events.
    static constexpr std::size_t block = 16;

    [[nodiscard]] double factor_of_block(double age) const { return std::exp2(std::max(exponent(age), -longest)); }

    bool by_points_;
    double half_life_;
    std::array<double, block> within_{};
};

}  // namespace fairstream
