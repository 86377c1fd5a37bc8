#pragma once
/// Quantiles of the standard normal distribution.

#include <cmath>

namespace fairstream {

/// Returns the x with Pr(Z <= x) = p, p in (0, 1), with a relative error of at most about 1e-7: M. J. Wichura,
/// "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37(3), 1988 (PPND7).
inline double normal_quantile(double p) {
    const double q = p - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * (((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
               (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1);
    }
    const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
    const double near = r - 1.6, far = r - 5;
    const double x = r <= 5 ? (((0.17023821103 * near + 1.3067284816) * near + 2.75681539) * near + 1.4234372777) /
                                  ((0.12021132975 * near + 0.7370016425) * near + 1)
                            : (((0.017337203997 * far + 0.42868294337) * far + 3.081226386) * far + 6.657905115) /
                                  ((0.012258202635 * far + 0.24197894225) * far + 1);
    return q < 0 ? -x : x;
}

}  // namespace fairstream
