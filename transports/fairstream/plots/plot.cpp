#include <fairstream/plots/plot.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/text/numbers.hpp>

namespace fairstream::plots {
namespace {

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
        // No figure is negative.
        x_.low = std::max(0.0, x_.low), y_.low = std::max(0.0, y_.low);
    }

    [[nodiscard]] std::string body() const {
        std::string out = grid(x_, y_, plot_.x_name, plot_.y_name);
        for (std::size_t i = plot_.series.size(); i-- > 0;) out += series(i);
        out += labels();
        for (const PlotMark& marked : plot_.marks) out += mark(marked);
        return out + legend();
    }

private:
    [[nodiscard]] bool falls() const { return plot_.front == PlotFront::falls; }

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

    /// Draws the labels of points, the first series first; leaves out a label that would overlap another.
    [[nodiscard]] std::string labels() const {
        constexpr double wide = 34, high = 13;
        std::vector<std::pair<double, double>> drawn;
        std::string out;
        for (const PlotSeries& series : plot_.series)
            for (const PlotPoint& point : series.points) {
                const double x = std::stod(x_.at(point.x)) + 6, y = std::stod(y_.at(point.y)) + (falls() ? -5 : 14);
                const bool covers = std::ranges::any_of(drawn, [&](const auto& other) {
                    return std::abs(other.first - x) < wide && std::abs(other.second - y) < high;
                });
                if (point.label.empty() || covers) continue;
                drawn.emplace_back(x, y);
                out += text_at(fixed(x, 1), fixed(y, 1), "start", point.label, " class=\"label value\"");
            }
        return out;
    }

    [[nodiscard]] std::string mark(const PlotMark& mark) const {
        const std::string x = x_.at(mark.point.x), y = y_.at(mark.point.y);
        // Fronts that rise to the right have room below them, and above them on the right side. Fronts that fall have
        // room above them.
        const bool starts = std::stod(x) < left_margin + 0.6 * (page_width - left_margin - right_margin);
        const bool below = starts && plot_.front == PlotFront::rises;
        return "<circle class=\"mark\" cx=\"" + x + "\" cy=\"" + y + "\" r=\"" + fixed(mark.radius, 0) + "\"/>\n" +
               text_at(fixed(std::stod(x) + (starts ? 14 : -14), 0), fixed(std::stod(y) + (below ? 24 : -16), 0),
                       starts ? "start" : "end", mark.point.text, " class=\"label\"");
    }

    /// Draws the legend where few points are: above fronts that rise; below fronts that fall, on the left, where points
    /// are worse in both figures; and at the top right if less is better in both.
    [[nodiscard]] std::string legend() const {
        std::string out;
        const auto rows = static_cast<double>(plot_.series.size());
        const double left = plot_.front == PlotFront::least ? page_width - right_margin - 260 : left_margin + 16;
        const double first = falls() ? page_height - bottom_margin - 16 - 22 * (rows - 1) : top_margin + 16;
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            const PlotSeries& series = plot_.series[i];
            const std::string y = fixed(first + 22 * static_cast<double>(i), 0);
            out += "<circle cx=\"" + fixed(left, 0) + "\" cy=\"" + y + "\" r=\"4\" fill=\"" +
                   std::string(colours[i % colours.size()]) + "\"/>\n" +
                   text_at(fixed(left + 12, 0), y, "start",
                           series.name + " (" + counted(static_cast<std::int64_t>(series.points.size())) + ")",
                           " dominant-baseline=\"middle\"");
        }
        return out;
    }

    const Plot& plot_;
    Axis x_{}, y_{};
};

}  // namespace

std::string plot_text(const std::filesystem::path& file, const Plot& plot) {
    return drawing_text(file, plot.title, plot.reading, Drawing(plot).body(), plot.list);
}

}  // namespace fairstream::plots
