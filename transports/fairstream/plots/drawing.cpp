#include <fairstream/plots/drawing.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::plots {
namespace {

constexpr std::string_view style = R"(<style>
  svg { font: 14px system-ui, sans-serif; background: #fff; color: #222 }
  text { fill: currentColor }
  .grid { stroke: #8884; stroke-width: 1 }
  .axis { stroke: currentColor; stroke-width: 1 }
  .step { fill: none; stroke-width: 1; stroke-opacity: .45 }
  .curve { fill: none; stroke-width: 1.8 }
  .mean { stroke-width: 1.2; stroke-dasharray: 5 4 }
  .mark { fill: none; stroke: currentColor; stroke-width: 1.5 }
  .name { font-weight: 600 }
  .reading, .value { font-size: 12px; fill-opacity: .75 }
  .label { paint-order: stroke; stroke: #fff; stroke-width: 4px; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) { svg { background: #181a1b; color: #ddd } .label { stroke: #181a1b } }
</style>
)";

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

/// Returns a tick's value; a value that only rounding keeps from 0 is 0, without a sign.
double tick(double value, const Ticks& ticks) {
    return std::abs(value) < ticks.step / 2 ? 0 : value;
}

/// Returns the text of a tick; beside an axis, "35.5 M" and similar if all digits do not fit.
std::string tick_text(double value, const Ticks& ticks) {
    constexpr std::size_t room = 6;
    const double shown = tick(value, ticks);
    std::string all = fixed(shown, ticks.digits);
    if (all.size() <= room) return all;
    if (std::abs(shown) < 1) {
        const std::string few = shown == 0 ? "0" : number_text(std::stod(brief(shown)));
        return few.size() < all.size() ? few : all;
    }
    for (const auto& [unit, symbol] : {std::pair(1e9, " G"), std::pair(1e6, " M"), std::pair(1e3, " k")}) {
        if (std::abs(shown) < unit) continue;
        for (int digits = 0; digits <= 3; ++digits)
            if (std::string text = fixed(shown / unit, digits);
                std::abs(std::stod(text) * unit - shown) < ticks.step / 100)
                return text + symbol;
    }
    return all;
}

std::vector<double> values(const Ticks& ticks, const Axis& axis) {
    std::vector<double> all{ticks.first};
    while (all.back() + ticks.step <= axis.high) all.push_back(all.back() + ticks.step);
    return all;
}

std::string row(const std::vector<std::string>& cells, const std::string& kind, const std::string& attributes = "") {
    std::string out = "<tr" + attributes + ">";
    for (const std::string& cell : cells) out += "<" + kind + ">" + escaped(cell) + "</" + kind + ">";
    return out + "</tr>\n";
}

std::string page(const std::string& title, const std::string& svg, const PlotList& list) {
    std::string rows;
    for (std::size_t i = 0; i < list.rows.size(); ++i)
        rows += row(list.rows[i], "td", list.picked == i ? " class=\"picked\"" : "");
    return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
           escaped(title) +
           "</title>\n<style>\n  :root { color-scheme: light dark }\n"
           "  body { font: 14px system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem }\n"
           "  td, th { padding: .1rem 1rem .1rem 0; text-align: right; font-variant-numeric: tabular-nums }\n"
           "  .picked { font-weight: 700 }\n</style>\n" +
           svg + "<details>\n<summary>All " + counted(static_cast<std::int64_t>(list.rows.size())) + " " + list.unit +
           "</summary>\n<table>\n" + row(list.heading, "th") + rows + "</table>\n</details>\n</html>\n";
}

}  // namespace

std::string Axis::at(double value) const {
    return fixed(place(value), 1);
}

Axis axis(double low, double high, double from, double to) {
    const double size = std::max(std::abs(low), std::abs(high));
    const double margin = high - low > 1e-9 * size ? (high - low) / 25 : size > 0 ? size / 10 : 0.1;
    return {low - margin, high + margin, from, to};
}

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

std::string text_at(const std::string& x, const std::string& y, std::string_view anchor, std::string_view text,
                    std::string_view attributes) {
    return "<text x=\"" + x + "\" y=\"" + y + "\" text-anchor=\"" + std::string(anchor) + "\"" +
           std::string(attributes) + ">" + escaped(text) + "</text>\n";
}

std::string line(const std::string& x1, const std::string& y1, const std::string& x2, const std::string& y2,
                 std::string_view kind, std::string_view attributes) {
    return "<line class=\"" + std::string(kind) + "\" x1=\"" + x1 + "\" y1=\"" + y1 + "\" x2=\"" + x2 + "\" y2=\"" +
           y2 + "\"" + std::string(attributes) + "/>\n";
}

std::string grid(const Axis& x, const Axis& y, const std::string& x_name, const std::string& y_name) {
    std::string out;
    const std::string x0 = fixed(x.from, 0), x1 = fixed(x.to, 0), y0 = fixed(y.from, 0), y1 = fixed(y.to, 0);
    const Ticks across = ticks(x.low, x.high), up = ticks(y.low, y.high);
    for (const double v : values(across, x))
        out += line(x.at(v), y0, x.at(v), y1, "grid") +
               text_at(x.at(v), fixed(y.from + 20, 0), "middle", tick_text(v, across));
    for (const double v : values(up, y))
        out += line(x0, y.at(v), x1, y.at(v), "grid") +
               text_at(fixed(x.from - 8, 0), y.at(v), "end", tick_text(v, up), " dominant-baseline=\"middle\"");
    const std::string middle = fixed((y.from + y.to) / 2, 0);
    return out + line(x0, y0, x1, y0, "axis") + line(x0, y0, x0, y1, "axis") +
           text_at(fixed((x.from + x.to) / 2, 0), fixed(y.from + 46, 0), "middle", x_name) +
           text_at("14", middle, "middle", y_name, " transform=\"rotate(-90 14 " + middle + ")\"");
}

void check_plot_file(std::string_view option, const std::filesystem::path& file) {
    if (!files::is_stdout(file) && file.extension() != ".html" && file.extension() != ".svg")
        throw InvalidInput(Reason::bad_option, std::string(option) + " " + file.string() +
                                                   ": must end in .html or .svg, or be - for SVG on standard output");
}

std::string drawing_text(const std::filesystem::path& file, const std::string& title, const std::string& reading,
                         const std::string& body, const PlotList& list) {
    const std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(page_width, 0) + " " +
                            fixed(page_height, 0) + "\" role=\"img\">\n" + std::string(style) + "<title>" +
                            escaped(title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"none\"/>\n" +
                            text_at(fixed(left_margin, 0), "24", "start", title, " class=\"name\"") +
                            text_at(fixed(left_margin, 0), "44", "start", reading, " class=\"reading\"") + body +
                            "</svg>\n";
    return file.extension() == ".svg" || files::is_stdout(file) ? svg : page(title, svg, list);
}

}  // namespace fairstream::plots
