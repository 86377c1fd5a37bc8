#pragma once
/// Plots of how numbers are distributed in groups, by one way of finding them and by another.

#include <array>
#include <string>
#include <vector>

#include <fairstream/plots/drawing.hpp>

namespace fairstream::plots {

/// The points of a group, n of them, at least one.
struct DensityGroup {
    std::string name;
    std::array<std::vector<double>, 2> numbers;  ///< n each, finite: by the first way and by the second
    std::vector<double> weights{};               ///< n, above 0; empty: 1 each
};

/// The description of a plot of two panels, one below the other, on the same axes.
struct DensityPlot {
    std::string title;
    std::string reading;                ///< what a reader should look for
    std::string x_name;                 ///< of the numbers
    std::array<std::string, 2> panels;  ///< what stands above each
    std::vector<DensityGroup> groups;   ///< at least one
};

/// Returns a bandwidth for all curves of a plot: the least that Silverman's rule, .9 min(deviation, interquartile range
/// / 1.34) n^(-1/5), gives one of them, and at least a five-hundredth of the numbers' extent. One for all shows what
/// differs in the numbers, and not in how much they were smoothed; the least hides nothing. Above 0.
[[nodiscard]] double density_bandwidth(const std::vector<DensityGroup>& groups);

/// Returns the contents of the plot `file`, self-contained HTML or SVG by its ending: a Gaussian kernel density of each
/// group in each panel, its mean as a dashed line. Each curve has the area 1, whatever the number of its points.
[[nodiscard]] std::string density_plot_text(const std::filesystem::path& file, const DensityPlot& plot);

}  // namespace fairstream::plots
