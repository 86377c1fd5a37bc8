#pragma once
/// The one table of tolerances: bounds on rounding errors (Higham, Accuracy and Stability, lemma 3.1).
///
/// m operations in a number type of unit roundoff u change a result by at most gamma(m, u) = m u / (1 - m u), relative
/// to the sum of the input magnitudes; if all terms have one sign, relative to the result.

#include <cstddef>

namespace fairstream::test {

inline constexpr double float_unit = 0x1p-24;
inline constexpr double double_unit = 0x1p-53;

[[nodiscard]] constexpr double gamma(std::size_t operations, double unit) noexcept {
    const double total = static_cast<double>(operations) * unit;
    return total / (1 - total);
}

}  // namespace fairstream::test
