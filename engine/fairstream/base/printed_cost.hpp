#pragma once
/// Costs as people and programs read them.

namespace fairstream {

/// Returns a cost to print: 0 if it is below 0 only by rounding. LoRD's cost, a difference of large sums, can be.
[[nodiscard]] inline double printed_cost(double cost) {
    constexpr double rounding = 1e-6;
    return cost < 0 && cost > -rounding ? 0 : cost;
}

}  // namespace fairstream
