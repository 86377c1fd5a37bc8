#pragma once
/// A picture of points that trade one figure for another, as SVG alone or in a page.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fairstream::command {

struct PlotPoint {
    double x = 0, y = 0;  ///< at least 0
    std::string text;     ///< shown where the pointer rests
};

/// Points drawn alike, by rising x.
struct PlotSeries {
    std::string name;
    std::vector<PlotPoint> points;
    bool is_front = true;  ///< steps bound what the points dominate
};

/// A point that is ringed and named; it may also be a point of a series.
struct PlotMark {
    PlotPoint point;  ///< its text is written beside it
    double radius = 6;
};

/// Rows of a table below the picture of a page.
struct PlotList {
    std::vector<std::string> heading;
    std::vector<std::vector<std::string>> rows;
    std::optional<std::size_t> picked;  ///< row in bold
};

/// In which direction points are better, and so which way a front of them goes.
enum class PlotFront {
    rises,  ///< less of x is better, more of y: fronts rise to the right
    falls,  ///< more of both is better: they fall
};

/// All of a picture.
struct Plot {
    std::string title;
    std::string x_name, y_name;  ///< of the axes
    PlotFront front = PlotFront::rises;
    std::vector<PlotSeries> series;  ///< at least one point in all; the first is drawn last and largest
    std::vector<PlotMark> marks;
    PlotList list;
};

/// Throws `InvalidInput` when the file's ending is neither .html nor .svg.
void check_plot_file(const std::filesystem::path& file);

/// The text of `file`, by its ending: needs nothing from elsewhere.
[[nodiscard]] std::string plot_text(const std::filesystem::path& file, const Plot& plot);

}  // namespace fairstream::command
