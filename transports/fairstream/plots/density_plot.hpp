#pragma once
/// Plots of the densities of numbers by group, in two panels, such as before and after an adjustment.

#include <array>
#include <string>
#include <vector>

#include <fairstream/plots/drawing.hpp>

namespace fairstream::plots {

/// The n points of a group, n at least 1.
struct DensityGroup {
    std::string name;
    std::array<std::vector<double>, 2> numbers;  ///< n each, finite: one number of each point for each panel
    std::vector<double> weights{};               ///< n, above 0; empty: 1 each
};

/// The description of a plot of two panels, one above the other, on the same axes.
struct DensityPlot {
    std::string title;
    std::string reading;                ///< what a reader should look for
    std::string x_name;                 ///< name of the numbers
    std::array<std::string, 2> panels;  ///< heading of each panel
    std::vector<DensityGroup> groups;   ///< at least one
};

/// Returns one bandwidth for all curves of a plot, above 0: the smallest by Silverman's rule, .9 min(deviation,
/// interquartile range / 1.34) n^(-1/5), over the curves, and at least a five-hundredth of the numbers' range. With one
/// bandwidth, curves differ by their numbers and not by their smoothing; the smallest one hides nothing.
[[nodiscard]] double density_bandwidth(const std::vector<DensityGroup>& groups);

/// Returns the contents of the plot `file`, self-contained HTML or SVG depending on its ending: a Gaussian kernel
/// density of each group in each panel, with its mean as a dashed line. Each curve has area 1, whatever its number of
/// points.
[[nodiscard]] std::string density_plot_text(const std::filesystem::path& file, const DensityPlot& plot);

}  // namespace fairstream::plots
