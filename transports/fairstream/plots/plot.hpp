#pragma once
/// Plots of points that trade one figure for another, as SVG or as an HTML page.

#include <filesystem>
#include <string>
#include <vector>

#include <fairstream/plots/drawing.hpp>

namespace fairstream::plots {

struct PlotPoint {
    double x = 0, y = 0;  ///< at least 0
    std::string text;     ///< tooltip
    std::string label{};  ///< drawn beside the point if there is room; empty: none
};

/// Points drawn in one style, by rising x.
struct PlotSeries {
    std::string name;
    std::vector<PlotPoint> points;
    bool is_front = true;  ///< drawn with steps that bound the dominated points
};

/// A point drawn with a ring and a label; it may also be a point of a series.
struct PlotMark {
    PlotPoint point;  ///< its text is the label
    double radius = 6;
};

/// The direction in which points improve, which determines the shape of a front.
enum class PlotFront {
    rises,  ///< smaller x and larger y are better: fronts rise to the right
    falls,  ///< larger x and y are better: fronts fall to the right
    least,  ///< smaller x and y are better: fronts fall to the right
};

/// The description of a plot.
struct Plot {
    std::string title;
    std::string reading;         ///< a line on what to look for
    std::string x_name, y_name;  ///< labels of the axes
    PlotFront front = PlotFront::rises;
    std::vector<PlotSeries> series;  ///< at least one point in all; the first is drawn last and largest
    std::vector<PlotMark> marks;
    PlotList list;
};

/// Returns the contents of the plot `file`, self-contained HTML or SVG depending on its ending.
[[nodiscard]] std::string plot_text(const std::filesystem::path& file, const Plot& plot);

}  // namespace fairstream::plots
