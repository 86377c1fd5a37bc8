#include <fairstream/plots/plot.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/text/numbers.hpp>

namespace fairstream::plots {
namespace {

/// The bounding box of a text or a dot.
struct Box {
    double left = 0, top = 0, right = 0, bottom = 0;
    [[nodiscard]] bool overlaps(const Box& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

/// The position of a text: its first or its last letter, on the base line.
struct Place {
    double x = 0, y = 0;
    bool starts = true;
};

/// Returns the approximate box of a text: letters are about half as wide as they are high.
Box box_of(const Place& place, std::string_view text, double height) {
    const double width = 0.52 * height * static_cast<double>(text.size());
    const double left = place.starts ? place.x : place.x - width;
    return {left, place.y - 0.8 * height, left + width, place.y + 0.25 * height};
}

std::size_t overlapped(const Box& box, const std::vector<Box>& taken) {
    return static_cast<std::size_t>(
        std::ranges::count_if(taken, [&](const Box& other) { return box.overlaps(other); }));
}

/// Returns whether a text lies within the axes, so that it covers no numbers and names of the axes.
bool is_inside(const Box& box) {
    return box.left > left_margin && box.right < page_width - 4 && box.top > top_margin - 8 &&
           box.bottom < page_height - bottom_margin;
}

constexpr double label_height = 14, value_height = 12;  // font sizes of the styles

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
        // Marks are always drawn, so their labels choose their places first.
        std::vector<Box> taken = boxes();
        std::string marks;
        for (const PlotMark& marked : plot_.marks) marks += mark(marked, taken);
        return out + labels(taken) + marks + legend();
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

    /// Returns the boxes of points, rings of marks and the legend.
    [[nodiscard]] std::vector<Box> boxes() const {
        std::vector<Box> all;
        const auto add = [&](const PlotPoint& point, double radius) {
            const double x = x_.place(point.x), y = y_.place(point.y);
            all.push_back({x - radius, y - radius, x + radius, y + radius});
        };
        for (const PlotSeries& series : plot_.series)
            for (const PlotPoint& point : series.points) add(point, 3);
        for (const PlotMark& mark : plot_.marks) add(mark.point, mark.radius);
        for (std::size_t i = 0; i < plot_.series.size(); ++i)
            all.push_back(box_of({legend_left(), legend_line(i) + 5}, "o  " + legend_text(i), label_height));
        return all;
    }

    /// Draws the labels of points, the first series first. A label without a free place beside its point is left out.
    [[nodiscard]] std::string labels(std::vector<Box>& taken) const {
        std::string out;
        for (const PlotSeries& series : plot_.series)
            for (const PlotPoint& point : series.points) {
                if (point.label.empty()) continue;
                const double x = x_.place(point.x), y = y_.place(point.y);
                const double usual = falls() ? -5 : 14, other = falls() ? 14 : -5;
                const std::array<Place, 6> places{{{x + 6, y + usual, true},
                                                   {x + 6, y + other, true},
                                                   {x - 6, y + usual, false},
                                                   {x - 6, y + other, false},
                                                   {x + 8, y + 4, true},
                                                   {x - 8, y + 4, false}}};
                const auto place = std::ranges::find_if(places, [&](const Place& at) {
                    const Box box = box_of(at, point.label, value_height);
                    return is_inside(box) && overlapped(box, taken) == 0;
                });
                if (place == places.end()) continue;
                taken.push_back(box_of(*place, point.label, value_height));
                out += text_at(fixed(place->x, 1), fixed(place->y, 1), place->starts ? "start" : "end", point.label,
                               " class=\"label value\"");
            }
        return out;
    }

    /// Draws a mark and, beside it, its label. The label gets the first of the places where it covers least of the
    /// drawing.
    [[nodiscard]] std::string mark(const PlotMark& mark, std::vector<Box>& taken) const {
        const double x = x_.place(mark.point.x), y = y_.place(mark.point.y);
        // Fronts that rise to the right have room below them, and above them on the right side. Fronts that fall have
        // room above them.
        const bool starts = x < left_margin + 0.6 * (page_width - left_margin - right_margin);
        const bool below = starts && plot_.front == PlotFront::rises;
        std::vector<Place> places;
        for (const double away : {0, 18, 36, 54, 72, 90})
            for (const bool side : {starts, !starts})
                for (const bool under : {below, !below})
                    places.push_back({x + (side ? 14 : -14), y + (under ? 24 + away : -16 - away), side});
        const auto covered = [&](const Place& at) {
            const Box box = box_of(at, mark.point.text, label_height);
            return overlapped(box, taken) + (is_inside(box) ? 0 : taken.size());
        };
        const Place place =
            *std::ranges::min_element(places, {}, covered);  // of equal places the first, which is the usual one
        taken.push_back(box_of(place, mark.point.text, label_height));
        return "<circle class=\"mark\" cx=\"" + x_.at(mark.point.x) + "\" cy=\"" + y_.at(mark.point.y) + "\" r=\"" +
               fixed(mark.radius, 0) + "\"/>\n" +
               text_at(fixed(place.x, 0), fixed(place.y, 0), place.starts ? "start" : "end", mark.point.text,
                       " class=\"label\"");
    }

    /// Returns the left edge of the legend. The legend stands where few points are: above fronts that rise, below
    /// fronts that fall, and to the right above fronts where less is better.
    [[nodiscard]] double legend_left() const {
        return plot_.front == PlotFront::least ? page_width - right_margin - 260 : left_margin + 16;
    }
    [[nodiscard]] double legend_line(std::size_t i) const {
        const auto rows = static_cast<double>(plot_.series.size());
        const double first = falls() ? page_height - bottom_margin - 16 - 22 * (rows - 1) : top_margin + 16;
        return first + 22 * static_cast<double>(i);
    }
    [[nodiscard]] std::string legend_text(std::size_t i) const {
        const PlotSeries& series = plot_.series[i];
        return series.name + " (" + counted(static_cast<std::int64_t>(series.points.size())) + ")";
    }
    [[nodiscard]] std::string legend() const {
        std::string out;
        const double left = legend_left();
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            const std::string y = fixed(legend_line(i), 0);
            out += "<circle cx=\"" + fixed(left, 0) + "\" cy=\"" + y + "\" r=\"4\" fill=\"" +
                   std::string(colours[i % colours.size()]) + "\"/>\n" +
                   text_at(fixed(left + 12, 0), y, "start", legend_text(i), " dominant-baseline=\"middle\"");
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
