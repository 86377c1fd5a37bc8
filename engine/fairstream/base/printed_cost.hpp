#pragma once
/// Costs as people and programs read them.

namespace fairstream {

/// Returns a cost to print: 0 for one that is below 0 by no more than rounding, as LoRD's, the difference of large
/// sums, may be.
[[nodiscard]] inline double printed_cost(double cost) {
    constexpr double rounding = 1e-6;
    return cost < 0 && cost > -rounding ? 0 : cost;
}

}  // namespace fairstream
