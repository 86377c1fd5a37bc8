#include <fairstream/command/console/plot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fairstream/base/types.hpp>
#include <fairstream/command/console/terminal.hpp>

namespace fairstream::command {
namespace {

constexpr double page_width = 880, page_height = 560, left_margin = 76, right_margin = 24, top_margin = 56,
                 bottom_margin = 60;
// A palette for colour-blind readers too (Okabe and Ito).
constexpr std::array<std::string_view, 6> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

constexpr std::string_view style = R"(<style>
  svg { font: 14px system-ui, sans-serif; background: #fff; color: #222 }
  text { fill: currentColor }
  .grid { stroke: #8884; stroke-width: 1 }
  .axis { stroke: currentColor; stroke-width: 1 }
  .step { fill: none; stroke-width: 1; stroke-opacity: .45 }
  .mark { fill: none; stroke: currentColor; stroke-width: 1.5 }
  .name { font-weight: 600 }
  .label { paint-order: stroke; stroke: #fff; stroke-width: 4px; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) { svg { background: #181a1b; color: #ddd } .label { stroke: #181a1b } }
</style>
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '&')
            out += "&amp;";
        else if (c == '"')
            out += "&quot;";
        else
            out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML forbids other control characters
    }
    return out;
}

/// Ticks that divide [low, high] into about five intervals of 1, 2 or 5 times a power of ten.
struct Ticks {
    double first, step;
    int digits;
};

Ticks ticks(double low, double high) {
    const double rough = (high - low) / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
    return {std::ceil(low / step) * step, step, std::max(0, -static_cast<int>(std::floor(std::log10(step))))};
}

/// Returns a tick's value; one that rounding left near 0 is 0, without a sign.
double tick(double value, const Ticks& ticks) {
    return std::abs(value) < ticks.step / 2 ? 0 : value;
}

/// An axis of the plot: its range of values, and its position in the drawing.
struct Axis {
    double low, high, from, to;
    [[nodiscard]] std::string at(double value) const {
        return fixed(from + (value - low) / (high - low) * (to - from), 1);
    }
};

/// Returns an axis that shows [low, high] with a margin; for a single value, a tenth of it on both sides. Values that
/// differ only by rounding count as a single one: no ticks fit between them.
Axis axis(double low, double high, double from, double to) {
    const double size = std::max(std::abs(low), std::abs(high));
    const double margin = high - low > 1e-9 * size ? (high - low) / 25 : size > 0 ? size / 10 : 0.1;
    // No figure is ever negative.
    return {std::max(0.0, low - margin), high + margin, from, to};
}

std::vector<double> values(const Ticks& ticks, const Axis& axis) {
    std::vector<double> all{ticks.first};
    while (all.back() + ticks.step <= axis.high) all.push_back(all.back() + ticks.step);
    return all;
}

std::string text_at(const std::string& x, const std::string& y, std::string_view anchor, std::string_view text,
                    std::string_view attributes = "") {
    return "<text x=\"" + x + "\" y=\"" + y + "\" text-anchor=\"" + std::string(anchor) + "\"" +
           std::string(attributes) + ">" + escaped(text) + "</text>\n";
}

std::string line(const std::string& x1, const std::string& y1, const std::string& x2, const std::string& y2,
                 std::string_view kind) {
    return "<line class=\"" + std::string(kind) + "\" x1=\"" + x1 + "\" y1=\"" + y1 + "\" x2=\"" + x2 + "\" y2=\"" +
           y2 + "\"/>\n";
}

/// The picture of a plot.
class Drawing {
public:
    explicit Drawing(const Plot& plot) : plot_(plot) {
        constexpr double all = std::numeric_limits<double>::infinity();
        double least = all, most = -all, low = all, high = -all;
        const auto include = [&](const PlotPoint& point) {
            least = std::min(least, point.x), most = std::max(most, point.x);
            low = std::min(low, point.y), high = std::max(high, point.y);
        };
        for (const PlotSeries& series : plot.series) std::ranges::for_each(series.points, include);
        for (const PlotMark& mark : plot.marks) include(mark.point);
        x_ = axis(least, most, left_margin, page_width - right_margin);
        y_ = axis(low, high, page_height - bottom_margin, top_margin);
    }

    [[nodiscard]] std::string svg() const {
        std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(page_width, 0) + " " +
                          fixed(page_height, 0) + "\" role=\"img\">\n" + std::string(style) + "<title>" +
                          escaped(plot_.title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"none\"/>\n" +
                          text_at(fixed(left_margin, 0), "28", "start", plot_.title, " class=\"name\"") + grid();
        for (std::size_t i = plot_.series.size(); i-- > 0;) out += series(i);
        for (const PlotMark& marked : plot_.marks) out += mark(marked);
        return out + legend() + "</svg>\n";
    }

private:
    [[nodiscard]] bool falls() const { return plot_.front == PlotFront::falls; }

    [[nodiscard]] std::string grid() const {
        std::string out;
        const std::string x0 = fixed(left_margin, 0), x1 = fixed(page_width - right_margin, 0),
                          y0 = fixed(page_height - bottom_margin, 0), y1 = fixed(top_margin, 0);
        const Ticks across = ticks(x_.low, x_.high), up = ticks(y_.low, y_.high);
        for (const double v : values(across, x_))
            out +=
                line(x_.at(v), y0, x_.at(v), y1, "grid") + text_at(x_.at(v), fixed(page_height - bottom_margin + 20, 0),
                                                                   "middle", fixed(tick(v, across), across.digits));
        for (const double v : values(up, y_))
            out += line(x0, y_.at(v), x1, y_.at(v), "grid") + text_at(fixed(left_margin - 8, 0), y_.at(v), "end",
                                                                      fixed(tick(v, up), up.digits),
                                                                      " dominant-baseline=\"middle\"");
        return out + line(x0, y0, x1, y0, "axis") + line(x0, y0, x0, y1, "axis") +
               text_at(fixed((left_margin + page_width - right_margin) / 2, 0), fixed(page_height - 14, 0), "middle",
                       plot_.x_name) +
               text_at(
                   "20", fixed((top_margin + page_height - bottom_margin) / 2, 0), "middle", plot_.y_name,
                   " transform=\"rotate(-90 20 " + fixed((top_margin + page_height - bottom_margin) / 2, 0) + ")\"");
    }

    [[nodiscard]] std::string steps(const std::vector<PlotPoint>& points) const {
        std::string out;
        for (std::size_t p = 0; p < points.size(); ++p) {
            const std::string x = x_.at(points[p].x), y = y_.at(points[p].y);
            out += p == 0 ? "M" + x + " " + y : falls() ? "V" + y + "H" + x : "H" + x + "V" + y;
        }
        return out;
    }

    [[nodiscard]] std::string series(std::size_t i) const {
        const std::string colour(colours[i % colours.size()]);
        std::string circles;
        for (const PlotPoint& point : plot_.series[i].points)
            circles += "<circle cx=\"" + x_.at(point.x) + "\" cy=\"" + y_.at(point.y) + "\" r=\"" +
                       (i == 0 ? "3" : "2.2") + "\"><title>" + escaped(point.text) + "</title></circle>\n";
        const std::string path = plot_.series[i].is_front ? "<path class=\"step\" stroke=\"" + colour + "\" d=\"" +
                                                                steps(plot_.series[i].points) + "\"/>\n"
                                                          : "";
        return path + "<g fill=\"" + colour + "\">\n" + circles + "</g>\n";
    }

    [[nodiscard]] std::string mark(const PlotMark& mark) const {
        const std::string x = x_.at(mark.point.x), y = y_.at(mark.point.y);
        // Fronts that rise to the right have room below them, and on the right side above them; those that fall above.
        const bool starts = std::stod(x) < left_margin + 0.6 * (page_width - left_margin - right_margin);
        const bool below = starts && !falls();
        return "<circle class=\"mark\" cx=\"" + x + "\" cy=\"" + y + "\" r=\"" + fixed(mark.radius, 0) + "\"/>\n" +
               text_at(fixed(std::stod(x) + (starts ? 14 : -14), 0), fixed(std::stod(y) + (below ? 24 : -16), 0),
                       starts ? "start" : "end", mark.point.text, " class=\"label\"");
    }

    /// Draws the legend where few points are: above fronts that rise; below fronts that fall, on the left, where points
    /// would be worse than the front in both figures.
    [[nodiscard]] std::string legend() const {
        std::string out;
        const auto rows = static_cast<double>(plot_.series.size());
        const double first = falls() ? page_height - bottom_margin - 16 - 22 * (rows - 1) : top_margin + 16;
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            const PlotSeries& series = plot_.series[i];
            const std::string y = fixed(first + 22 * static_cast<double>(i), 0);
            out += "<circle cx=\"" + fixed(left_margin + 16, 0) + "\" cy=\"" + y + "\" r=\"4\" fill=\"" +
                   std::string(colours[i % colours.size()]) + "\"/>\n" +
                   text_at(fixed(left_margin + 28, 0), y, "start",
                           series.name + " (" + counted(static_cast<std::int64_t>(series.points.size())) + ")",
                           " dominant-baseline=\"middle\"");
        }
        return out;
    }

    const Plot& plot_;
    Axis x_{}, y_{};
};

std::string row(const std::vector<std::string>& cells, const std::string& kind, const std::string& attributes = "") {
    std::string out = "<tr" + attributes + ">";
    for (const std::string& cell : cells) out += "<" + kind + ">" + escaped(cell) + "</" + kind + ">";
    return out + "</tr>\n";
}

std::string page(const Plot& plot, const std::string& svg) {
    std::string rows;
    for (std::size_t i = 0; i < plot.list.rows.size(); ++i)
        rows += row(plot.list.rows[i], "td", plot.list.picked == i ? " class=\"picked\"" : "");
    return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
           escaped(plot.title) +
           "</title>\n<style>\n  :root { color-scheme: light dark }\n"
           "  body { font: 14px system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem }\n"
           "  td, th { padding: .1rem 1rem .1rem 0; text-align: right; font-variant-numeric: tabular-nums }\n"
           "  .picked { font-weight: 700 }\n</style>\n" +
           svg + "<details>\n<summary>All " + counted(static_cast<std::int64_t>(plot.list.rows.size())) +
           " points</summary>\n<table>\n" + row(plot.list.heading, "th") + rows + "</table>\n</details>\n</html>\n";
}

}  // namespace

void check_plot_file(const std::filesystem::path& file) {
    if (file.extension() != ".html" && file.extension() != ".svg")
        throw InvalidInput(Reason::bad_option, "--plot " + file.string() + ": must end in .html or .svg");
}

std::string plot_text(const std::filesystem::path& file, const Plot& plot) {
    const std::string svg = Drawing(plot).svg();
    return file.extension() == ".svg" ? svg : page(plot, svg);
}

}  // namespace fairstream::command
