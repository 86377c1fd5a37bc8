#pragma once
/// Plots of fronts: balance or parity over cost.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/fairness/pareto.hpp>

namespace fairstream::plots {

struct NamedFront {
    std::string name;
    std::vector<TradeOff> points;  ///< by rising cost
};

/// Returns the name of a front among others: "people.csv, k = 8".
[[nodiscard]] std::string front_name(const std::string& name, std::int64_t clusters);

/// The names of the axes.
struct FrontAxes {
    std::string measure;  ///< balance or parity
    std::string cost, cost_meaning;
};

/// Returns the contents of the plot `file`, self-contained HTML or SVG depending on its ending. `picked` is a point of
/// the first front; the page also lists that front.
[[nodiscard]] std::string front_plot(const std::filesystem::path& file, const std::string& title, const FrontAxes& axes,
                                     const std::vector<NamedFront>& fronts, std::optional<std::size_t> picked);

}  // namespace fairstream::plots
