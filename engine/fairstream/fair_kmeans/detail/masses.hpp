#pragma once
/// Sums over points that weigh other than 1.

#include <cstddef>
#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::safairkm {

/// Does what the kernel of this name does; without weights all rows weigh 1.
inline void accumulate(const Kernels& kernels, const float* rows, std::size_t n, std::size_t d, const ClusterId* labels,
                       double sign, std::span<const double> weights, double* sums, double* squares) {
    kernels.accumulate(rows, n, d, labels, sign, weights.empty() ? nullptr : weights.data(), sums, squares);
}

/// Weights of neighbouring slots; empty where all points weigh 1.
[[nodiscard]] inline std::span<const double> weights_of(const Window& window, Slot first, std::size_t count) {
    const std::span<const double> all = window.weights();
    return all.empty() ? all : all.subspan(first, count);
}

/// Returns m / (m - w), the factor of the distance in what a cluster of mass m saves when a point of weight w leaves it
/// (Hartigan); 0 where next to nothing would be left, whose distance rounding hides.
[[nodiscard]] inline double leaving_factor(double mass, double weight) {
    constexpr double rounding = 1e-9;
    const double rest = mass - weight;
    return rest > rounding * mass ? mass / rest : 0;
}

}  // namespace fairstream::safairkm
