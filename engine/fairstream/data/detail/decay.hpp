#pragma once
/// Exponential decay of the weights of points, without touching those that came before.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fairstream/data/window.hpp>

namespace fairstream {

/// The weight of a point of weight w that came at the age t of the stream: w 2^((t - landmark) / half-life), which is
/// what it weighs beside others at any time. Shifts of the landmark keep such weights within the doubles.
class Decay {
public:
    /// The half-lives between two landmarks, and those in which a weight falls to nothing that counts.
    static constexpr double between_landmarks = 64, longest = 250;

    explicit Decay(const HalfLife& half_life)
        : by_points_(half_life.points > 0),
          half_life_(by_points_ ? half_life.points : static_cast<double>(half_life.time)) {
        for (std::size_t i = 0; i < block && by_points_; ++i)
            within_[i] = std::exp2(static_cast<double>(i) / half_life_);
    }

    /// The factor for a point that comes at this age; not below that of the longest time before the landmark.
    [[nodiscard]] double factor(double age) const {
        if (!by_points_ || !begun) return factor_of_block(age);
        const auto place = static_cast<std::uint64_t>(age) % block;
        return factor_of_block(age - static_cast<double>(place)) * within_[place];
    }
    /// The same factors for points that follow one another, the first of this age, a number of points.
    void find_factors(std::uint64_t age, std::span<double> factors) const {
        double begins = 0;
        for (std::size_t i = 0; i < factors.size(); ++i, ++age) {
            const std::size_t place = age % block;
            if (i == 0 || place == 0) begins = factor_of_block(static_cast<double>(age - place));
            factors[i] = begins * within_[place];
        }
    }
    [[nodiscard]] double exponent(double age) const { return begun ? (age - landmark) / half_life_ : 0; }
    /// Moves the landmark so that ages up to `age` are near it, and returns the factor for weights.
    [[nodiscard]] double shift_to(double age) {
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
    // Exponentials are taken of every 16th point, and multiplied by what passes within such a block. The blocks are
    // those of the whole stream, so that weights do not depend on how it is divided into events.
    static constexpr std::size_t block = 16;

    [[nodiscard]] double factor_of_block(double age) const { return std::exp2(std::max(exponent(age), -longest)); }

    bool by_points_;
    double half_life_;
    std::array<double, block> within_{};
};

}  // namespace fairstream
