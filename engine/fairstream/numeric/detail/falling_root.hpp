#pragma once
/// The place where a decreasing function of one number takes a value.

#include <cmath>

namespace fairstream {

/// Returns an x >= 0 with f(x) = value to rounding, or 0 if f(0) is not above `value`. `f` must be continuous and
/// decrease to below `value`; if f is still above at x = 1e300, returns 1e300. Brackets the root by growing steps, then
/// uses secants, and halves the bracket if a secant removes less than half of it.
template <class Function> [[nodiscard]] double falling_root(const Function& f, double value) {
    double low = 0, at_low = f(0.0) - value;
    if (!(at_low > 0)) return 0;
    double high = 1, at_high = f(high) - value;
    while (at_high > 0 && high < 1e300) low = high, at_low = at_high, high *= 16, at_high = f(high) - value;
    while (low == 0 && high > 1e-300) {
        const double nearer = high / 16, at_nearer = f(nearer) - value;
        if (at_nearer > 0) {
            low = nearer, at_low = at_nearer;
            break;
        }
        high = nearer, at_high = at_nearer;
    }
    bool halve = false;
    while (at_high < 0 && high - low > 4e-16 * high) {
        double x = halve ? 0.5 * (low + high) : low + (high - low) * (at_low / (at_low - at_high));
        if (!(x > low && x < high)) x = 0.5 * (low + high);
        if (!(x > low && x < high)) break;
        const double at = f(x) - value, width = high - low;
        if (at > 0)
            low = x, at_low = at;
        else
            high = x, at_high = at;
        if (at == 0) return x;
        halve = high - low > 0.5 * width;
    }
    return high;
}

}  // namespace fairstream
