#include <fairstream/plots/density_plot.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include <fairstream/text/numbers.hpp>

namespace fairstream::plots {
namespace {

constexpr std::size_t density_cells = 500;  // number of cells over the range of all numbers
constexpr double panel_top[] = {76, 314}, panel_height = 186;

double weight_of(const DensityGroup& group, std::size_t i) {
    return group.weights.empty() ? 1 : group.weights[i];
}

struct Extent {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

Extent extent_of(const std::vector<DensityGroup>& groups) {
    Extent extent;
    for (const DensityGroup& group : groups)
        for (const std::vector<double>& numbers : group.numbers)
            for (const double x : numbers) extent.low = std::min(extent.low, x), extent.high = std::max(extent.high, x);
    return extent;
}

double mean_of(const DensityGroup& group, const std::vector<double>& numbers) {
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        sum += weight_of(group, i) * numbers[i];
        mass += weight_of(group, i);
    }
    return sum / mass;
}

// Returns the bandwidth of a curve; 0 if all numbers are equal.
double silverman(const DensityGroup& group, const std::vector<double>& numbers) {
    const double mean = mean_of(group, numbers);
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
    double mass = 0, squares = 0, variance = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double weight = weight_of(group, i);
        mass += weight, squares += weight * weight;
        variance += weight * (numbers[i] - mean) * (numbers[i] - mean);
    }
    const auto quantile = [&](double share) {
        double below = 0;
        for (const std::size_t i : order) {
            below += weight_of(group, i);
            if (below >= share * mass) return numbers[i];
        }
        return numbers[order.back()];
    };
    const double deviation = std::sqrt(variance / mass), range = (quantile(0.75) - quantile(0.25)) / 1.34;
    const double width = range > 0 ? std::min(deviation, range) : deviation;
    return 0.9 * width * std::pow(mass * mass / squares, -0.2);
}

// Values of a curve at the midpoints of `density_cells` cells.
struct DensityCurve {
    double first, step;
    std::vector<double> heights;
};

DensityCurve density_of(const DensityGroup& group, const std::vector<double>& numbers, const Axis& x,
                        double bandwidth) {
    DensityCurve curve{x.low, (x.high - x.low) / density_cells, std::vector<double>(density_cells + 1, 0.0)};
    std::vector<double> mass(density_cells + 1, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        // Each number is shared between the two nearest cells, so that means stay the same.
        const double at = std::clamp((numbers[i] - curve.first) / curve.step, 0.0, static_cast<double>(density_cells));
        const auto cell = std::min(static_cast<std::size_t>(at), density_cells - 1);
        const double weight = weight_of(group, i), share = at - static_cast<double>(cell);
        mass[cell] += weight * (1 - share), mass[cell + 1] += weight * share;
        total += weight;
    }
    const double scale = 1 / (total * bandwidth * std::sqrt(2 * std::numbers::pi));
    for (std::size_t i = 0; i <= density_cells; ++i)
        for (std::size_t j = 0; j <= density_cells; ++j) {
            const double z = (static_cast<double>(i) - static_cast<double>(j)) * curve.step / bandwidth;
            if (mass[j] > 0 && std::abs(z) < 6) curve.heights[i] += scale * mass[j] * std::exp(-z * z / 2);
        }
    return curve;
}

std::string colour_of(std::size_t group) {
    return " stroke=\"" + std::string(colours[group % colours.size()]) + "\"";
}

std::string path_of(const DensityCurve& curve, const Axis& x, const Axis& y, std::size_t group) {
    std::string path;
    for (std::size_t i = 0; i < curve.heights.size(); ++i)
        path += (i == 0 ? "M" : "L") + x.at(curve.first + static_cast<double>(i) * curve.step) + " " +
                y.at(curve.heights[i]);
    return "<path class=\"curve\"" + colour_of(group) + " d=\"" + path + "\"/>\n";
}

std::string panel(const DensityPlot& plot, std::size_t p, const Axis& x, double highest,
                  const std::vector<DensityCurve>& curves) {
    const Axis y{0, highest, panel_top[p] + panel_height, panel_top[p]};
    std::string out = text_at(fixed(left_margin, 0), fixed(panel_top[p] - 10, 0), "start", plot.panels[p]);
    out += grid(x, y, p == 0 ? "" : plot.x_name, "density");
    for (std::size_t g = 0; g < plot.groups.size(); ++g) {
        const std::string mean = x.at(mean_of(plot.groups[g], plot.groups[g].numbers[p]));
        out += line(mean, fixed(y.from, 0), mean, fixed(y.to, 0), "mean", colour_of(g));
        out += path_of(curves[g], x, y, g);
    }
    return out;
}

std::string legend(const DensityPlot& plot) {
    std::string out;
    for (std::size_t g = 0; g < plot.groups.size(); ++g) {
        const double y = panel_top[0] + 16 + 20 * static_cast<double>(g), left = page_width - right_margin - 220;
        out += line(fixed(left, 0), fixed(y, 0), fixed(left + 20, 0), fixed(y, 0), "curve", colour_of(g)) +
               text_at(fixed(left + 28, 0), fixed(y, 0), "start",
                       plot.groups[g].name + " (" +
                           counted(static_cast<std::int64_t>(plot.groups[g].numbers[0].size())) + ")",
                       " class=\"label\" dominant-baseline=\"middle\"");
    }
    return out;
}

PlotList means_of(const DensityPlot& plot) {
    PlotList list{{"group", "points", "mean above", "mean below"}, {}, {}, "groups"};
    for (const DensityGroup& group : plot.groups)
        list.rows.push_back({group.name, counted(static_cast<std::int64_t>(group.numbers[0].size())),
                             brief(mean_of(group, group.numbers[0])), brief(mean_of(group, group.numbers[1]))});
    return list;
}

}  // namespace

double density_bandwidth(const std::vector<DensityGroup>& groups) {
    double least = 0;
    for (const DensityGroup& group : groups)
        for (const std::vector<double>& numbers : group.numbers)
            if (const double width = silverman(group, numbers); width > 0 && (least == 0 || width < least))
                least = width;
    const Extent extent = extent_of(groups);
    const double size = extent.high - extent.low > 0 ? extent.high - extent.low : std::max(1.0, std::abs(extent.high));
    return std::max(least, size / density_cells);
}

std::string density_plot_text(const std::filesystem::path& file, const DensityPlot& plot) {
    const double bandwidth = density_bandwidth(plot.groups);
    const Extent extent = extent_of(plot.groups);
    const Axis x{extent.low - 3 * bandwidth, extent.high + 3 * bandwidth, left_margin, page_width - right_margin};
    std::array<std::vector<DensityCurve>, 2> curves;
    double highest = 0;
    for (std::size_t p = 0; p < curves.size(); ++p)
        for (const DensityGroup& group : plot.groups) {
            curves[p].push_back(density_of(group, group.numbers[p], x, bandwidth));
            highest = std::max(highest, std::ranges::max(curves[p].back().heights));
        }
    DensityPlot named = plot;
    named.x_name += "; Gaussian kernel, bandwidth " + brief(bandwidth) + "; dashed: means";
    std::string body;
    for (std::size_t p = 0; p < curves.size(); ++p) body += panel(named, p, x, 1.05 * highest, curves[p]);
    return drawing_text(file, plot.title, plot.reading, body + legend(plot), means_of(plot));
}

}  // namespace fairstream::plots
