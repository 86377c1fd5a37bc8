#pragma once
/// Exponential decay of the weights of points, without touching those that came before.

#include <algorithm>
#include <cmath>

#include <fairstream/data/window.hpp>

namespace fairstream {

/// The weight of a point of weight w that came at the age t of the stream: w 2^((t - landmark) / half-life), which is
/// what it weighs beside others at any time. Shifts of the landmark keep such weights within the doubles.
class Decay {
public:
    /// The half-lives between two landmarks, and those in which a weight falls to nothing that counts.
    static constexpr double between_landmarks = 64, longest = 250;

    explicit Decay(const HalfLife& half_life)
        : half_life_(half_life.points > 0 ? half_life.points : static_cast<double>(half_life.time)) {}

    /// The factor for a point that comes at this age; not below that of the longest time before the landmark.
    [[nodiscard]] double factor(double age) const { return std::exp2(std::max(exponent(age), -longest)); }
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
    double half_life_;
};

}  // namespace fairstream
