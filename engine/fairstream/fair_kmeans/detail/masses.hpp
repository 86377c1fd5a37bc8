#pragma once
/// Sums over weighted points.

#include <cstddef>
#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::safairkm {

/// Calls the kernel of this name; without weights all rows have weight 1.
inline void accumulate(const Kernels& kernels, const float* rows, std::size_t n, std::size_t d, const ClusterId* labels,
                       double sign, std::span<const double> weights, double* sums, double* squares) {
    kernels.accumulate(rows, n, d, labels, sign, weights.empty() ? nullptr : weights.data(), sums, squares);
}

/// Returns the weights of neighbouring slots; empty if all points have weight 1.
[[nodiscard]] inline std::span<const double> weights_of(const Window& window, Slot first, std::size_t count) {
    const std::span<const double> all = window.weights();
    return all.empty() ? all : all.subspan(first, count);
}

/// Returns m / (m - w), the factor of the distance in what a cluster of weight m saves when a point of weight w leaves
/// it (Hartigan). Returns 0 if next to nothing would remain, where rounding hides the distance.
[[nodiscard]] inline double leaving_factor(double mass, double weight) {
    constexpr double rounding = 1e-9;
    const double rest = mass - weight;
    return rest > rounding * mass ? mass / rest : 0;
}

}  // namespace fairstream::safairkm
