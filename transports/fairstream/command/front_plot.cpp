#include <fairstream/command/front_plot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fairstream/command/terminal.hpp>
#include <fairstream/types.hpp>

namespace fairstream::command {
namespace {

constexpr double width = 880, height = 560, left = 76, right = 24, top = 56, bottom = 60;
// Told apart also by those who see fewer colours (Okabe and Ito).
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
            out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML has no others
    }
    return out;
}

/// Round numbers that divide [low, high] in five or so: 1, 2 or 5 times a power of ten apart.
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

/// A tick that steps from below reach near 0 is 0, without a sign.
double tick(double value, const Ticks& ticks) {
    return std::abs(value) < ticks.step / 2 ? 0 : value;
}

/// An axis of the plot: which values it shows, and where.
struct Axis {
    double low, high, from, to;
    [[nodiscard]] std::string at(double value) const {
        return fixed(from + (value - low) / (high - low) * (to - from), 1);
    }
};

/// All values with a margin; around a single value, a tenth of it on both sides. Values that differ by rounding are a
/// single one: between them there are no round numbers, nor any others.
Axis axis(double low, double high, double from, double to) {
    const double size = std::max(std::abs(low), std::abs(high));
    const double margin = high - low > 1e-9 * size ? (high - low) / 25 : size > 0 ? size / 10 : 0.1;
    // Neither figure is ever negative.
    return {std::max(0.0, low - margin), high + margin, from, to};
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

class Plot {
public:
    Plot(const std::string& title, const std::vector<NamedFront>& fronts, std::optional<std::size_t> picked)
        : title_(title), fronts_(fronts), picked_(picked) {
        double least = INFINITY, most = -INFINITY, low = INFINITY, high = -INFINITY;
        for (const NamedFront& front : fronts)
            for (const TradeOff& point : front.points) {
                least = std::min(least, point.cost), most = std::max(most, point.cost);
                low = std::min(low, point.balance), high = std::max(high, point.balance);
            }
        cost_ = axis(least, most, left, width - right);
        balance_ = axis(low, high, height - bottom, top);
    }

    [[nodiscard]] std::string svg() const {
        std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(width, 0) + " " +
                          fixed(height, 0) + "\" role=\"img\">\n" + std::string(style) + "<title>" + escaped(title_) +
                          "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"none\"/>\n" +
                          text_at(fixed(left, 0), "28", "start", title_, " class=\"name\"") + grid();
        for (std::size_t i = fronts_.size(); i-- > 0;) out += front(i);
        return out + marks() + legend() + "</svg>\n";
    }

private:
    [[nodiscard]] std::string grid() const {
        std::string out;
        const std::string x0 = fixed(left, 0), x1 = fixed(width - right, 0), y0 = fixed(height - bottom, 0),
                          y1 = fixed(top, 0);
        const Ticks costs = ticks(cost_.low, cost_.high), balances = ticks(balance_.low, balance_.high);
        for (double v = costs.first; v <= cost_.high; v += costs.step)
            out += line(cost_.at(v), y0, cost_.at(v), y1, "grid") +
                   text_at(cost_.at(v), fixed(height - bottom + 20, 0), "middle", fixed(tick(v, costs), costs.digits));
        for (double v = balances.first; v <= balance_.high; v += balances.step)
            out += line(x0, balance_.at(v), x1, balance_.at(v), "grid") +
                   text_at(fixed(left - 8, 0), balance_.at(v), "end", fixed(tick(v, balances), balances.digits),
                           " dominant-baseline=\"middle\"");
        return out + line(x0, y0, x1, y0, "axis") + line(x0, y0, x0, y1, "axis") +
               text_at(fixed((left + width - right) / 2, 0), fixed(height - 14, 0), "middle",
                       "cost: mean squared distance to the cluster means (less is better)") +
               text_at("20", fixed((top + height - bottom) / 2, 0), "middle",
                       "balance of the least balanced cluster (more is better)",
                       " transform=\"rotate(-90 20 " + fixed((top + height - bottom) / 2, 0) + ")\"");
    }

    /// Steps bound what the front dominates.
    [[nodiscard]] std::string front(std::size_t i) const {
        const std::string colour(colours[i % colours.size()]);
        const std::vector<TradeOff>& points = fronts_[i].points;
        std::string steps, circles;
        for (std::size_t p = 0; p < points.size(); ++p) {
            const std::string x = cost_.at(points[p].cost), y = balance_.at(points[p].balance);
            steps += p == 0 ? "M" + x + " " + y : "H" + x + "V" + y;
            circles += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"" + (i == 0 ? "3" : "2.2") + "\"><title>" +
                       escaped(fronts_[i].name) + ": balance " + fixed(points[p].balance) + ", cost " +
                       fixed(points[p].cost, 5) + "</title></circle>\n";
        }
        return "<path class=\"step\" stroke=\"" + colour + "\" d=\"" + steps + "\"/>\n<g fill=\"" + colour + "\">\n" +
               circles + "</g>\n";
    }

    [[nodiscard]] std::string mark(std::size_t point, std::string_view name, double radius) const {
        const TradeOff& where = fronts_[0].points[point];
        const std::string x = cost_.at(where.cost), y = balance_.at(where.balance);
        // Fronts rise to the right: there is room below them, on the right side above them.
        const bool below = std::stod(x) < left + 0.6 * (width - left - right);
        return "<circle class=\"mark\" cx=\"" + x + "\" cy=\"" + y + "\" r=\"" + fixed(radius, 0) + "\"/>\n" +
               text_at(fixed(std::stod(x) + (below ? 14 : -14), 0), fixed(std::stod(y) + (below ? 24 : -16), 0),
                       below ? "start" : "end",
                       std::string(name) + ": balance " + fixed(where.balance) + ", cost " + fixed(where.cost),
                       " class=\"label\"");
    }

    [[nodiscard]] std::string marks() const {
        const std::optional<std::size_t> bend = knee(fronts_[0].points);
        std::string out;
        if (picked_) out += mark(*picked_, picked_ == bend ? "picked, the knee" : "picked", 9);
        if (bend && bend != picked_) out += mark(*bend, "knee", 6);
        return out;
    }

    /// Above the fronts, where nothing is.
    [[nodiscard]] std::string legend() const {
        std::string out;
        for (std::size_t i = 0; i < fronts_.size(); ++i) {
            const std::string y = fixed(top + 16 + 22 * static_cast<double>(i), 0);
            out += "<circle cx=\"" + fixed(left + 16, 0) + "\" cy=\"" + y + "\" r=\"4\" fill=\"" +
                   std::string(colours[i % colours.size()]) + "\"/>\n" +
                   text_at(fixed(left + 28, 0), y, "start",
                           fronts_[i].name + " (" + counted(static_cast<std::int64_t>(fronts_[i].points.size())) + ")",
                           " dominant-baseline=\"middle\"");
        }
        return out;
    }

    std::string title_;
    const std::vector<NamedFront>& fronts_;
    std::optional<std::size_t> picked_;
    Axis cost_{}, balance_{};
};

std::string page(const std::string& title, const std::string& svg, const NamedFront& front,
                 std::optional<std::size_t> picked) {
    std::string rows;
    for (std::size_t i = 0; i < front.points.size(); ++i)
        rows += std::string(picked == i ? "<tr class=\"picked\">" : "<tr>") + "<td>" + std::to_string(i) + "</td><td>" +
                fixed(front.points[i].balance, 6) + "</td><td>" + fixed(front.points[i].cost, 6) + "</td></tr>\n";
    return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
           escaped(title) +
           "</title>\n<style>\n  :root { color-scheme: light dark }\n"
           "  body { font: 14px system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem }\n"
           "  td, th { padding: .1rem 1rem .1rem 0; text-align: right; font-variant-numeric: tabular-nums }\n"
           "  .picked { font-weight: 700 }\n</style>\n" +
           svg + "<details>\n<summary>All " + counted(static_cast<std::int64_t>(front.points.size())) +
           " points</summary>\n<table>\n<tr><th>index</th><th>balance</th><th>cost</th></tr>\n" + rows +
           "</table>\n</details>\n</html>\n";
}

}  // namespace

void check_plot_file(const std::filesystem::path& file) {
    if (file.extension() != ".html" && file.extension() != ".svg")
        throw InvalidInput(Reason::bad_option, "--plot " + file.string() + ": must end in .html or .svg");
}

std::string front_plot(const std::filesystem::path& file, const std::string& title,
                       const std::vector<NamedFront>& fronts, std::optional<std::size_t> picked) {
    const std::string svg = Plot(title, fronts, picked).svg();
    return file.extension() == ".svg" ? svg : page(title, svg, fronts.at(0), picked);
}

}  // namespace fairstream::command
