#pragma once
/// Parts of the plots: axes, text, and the SVG or HTML around them.

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::plots {

inline constexpr double page_width = 880, page_height = 560, left_margin = 76, right_margin = 24, top_margin = 56,
                        bottom_margin = 60;
/// A palette that colour-blind readers can distinguish, too (Okabe and Ito).
inline constexpr std::array<std::string_view, 6> colours{"#0072b2", "#d55e00", "#009e73",
                                                         "#cc79a7", "#e69f00", "#56b4e9"};

/// An axis: its range of values, `low` below `high`, and its position in the drawing.
struct Axis {
    double low = 0, high = 1, from = 0, to = 1;
    [[nodiscard]] double place(double value) const { return from + (value - low) / (high - low) * (to - from); }
    [[nodiscard]] std::string at(double value) const;  ///< the position of `value` as text for SVG
};
/// Returns an axis that shows [low, high] with a margin; for a single value, with a tenth of it on both sides. Values
/// that differ only by rounding count as a single one, as no ticks fit between them.
[[nodiscard]] Axis axis(double low, double high, double from, double to);

/// Returns the grid and the ticks of two axes, `x` from left to right, `y` from the bottom up, and their names.
[[nodiscard]] std::string grid(const Axis& x, const Axis& y, const std::string& x_name, const std::string& y_name);

[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string text_at(const std::string& x, const std::string& y, std::string_view anchor,
                                  std::string_view text, std::string_view attributes = "");
[[nodiscard]] std::string line(const std::string& x1, const std::string& y1, const std::string& x2,
                               const std::string& y2, std::string_view kind, std::string_view attributes = "");

/// A table below the plot of a page.
struct PlotList {
    std::vector<std::string> heading;
    std::vector<std::vector<std::string>> rows;
    std::optional<std::size_t> picked;  ///< row in bold
    std::string unit = "points";        ///< name of the rows
};

/// Throws `InvalidInput` unless the file of `option` ends in .html or .svg, or is "-". Standard output, "-", gets SVG.
void check_plot_file(std::string_view option, const std::filesystem::path& file);
/// Returns the contents of the plot `file`: self-contained HTML with the list, or SVG, depending on its ending. `body`
/// is drawn below the title and below `reading`, a line on what to look for.
[[nodiscard]] std::string drawing_text(const std::filesystem::path& file, const std::string& title,
                                       const std::string& reading, const std::string& body, const PlotList& list);

}  // namespace fairstream::plots
