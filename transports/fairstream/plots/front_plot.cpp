#include <fairstream/plots/front_plot.hpp>

#include <utility>

#include <fairstream/plots/plot.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::plots {
namespace {

PlotSeries series_of(const NamedFront& front, const FrontAxes& axes) {
    PlotSeries series{front.name, {}};
    for (const TradeOff& point : front.points)
        series.points.push_back({point.cost, point.balance,
                                 front.name + ": " + axes.measure + " " + fixed(point.balance) + ", " + axes.cost +
                                     " " + fixed(point.cost, 5)});
    return series;
}

PlotMark mark_of(const TradeOff& point, const std::string& name, const FrontAxes& axes, double radius) {
    return {{point.cost, point.balance,
             name + ": " + axes.measure + " " + fixed(point.balance) + ", " + axes.cost + " " + cost_text(point.cost)},
            radius};
}

std::vector<PlotMark> marks_of(const std::vector<TradeOff>& points, const FrontAxes& axes,
                               std::optional<std::size_t> picked) {
    const std::optional<std::size_t> bend = knee(points);
    std::vector<PlotMark> marks;
    if (picked) marks.push_back(mark_of(points[*picked], picked == bend ? "picked, the knee" : "picked", axes, 9));
    if (bend && bend != picked) marks.push_back(mark_of(points[*bend], "knee", axes, 6));
    return marks;
}

PlotList list_of(const std::vector<TradeOff>& points, const FrontAxes& axes, std::optional<std::size_t> picked) {
    PlotList list{{"index", axes.measure, axes.cost}, {}, picked};
    for (std::size_t i = 0; i < points.size(); ++i)
        list.rows.push_back({std::to_string(i), fixed(points[i].balance, 6), fixed(points[i].cost, 6)});
    return list;
}

}  // namespace

std::string front_name(const std::string& name, std::int64_t clusters) {
    return name + ", k = " + std::to_string(clusters);
}

std::string front_plot(const std::filesystem::path& file, const std::string& title, const FrontAxes& axes,
                       const std::vector<NamedFront>& fronts, std::optional<std::size_t> picked) {
    Plot plot;
    plot.title = title;
    plot.reading = "Each dot is a clustering; none that was found is better in both figures.";
    if (knee(fronts.at(0).points)) plot.reading += " Beyond the knee, more " + axes.measure + " costs ever more.";
    plot.x_name = axes.cost + ": " + axes.cost_meaning + " (less is better)";
    plot.y_name = axes.measure + " of the worst cluster (more is better)";
    for (const NamedFront& front : fronts) plot.series.push_back(series_of(front, axes));
    plot.marks = marks_of(fronts.at(0).points, axes, picked);
    plot.list = list_of(fronts.at(0).points, axes, picked);
    return plot_text(file, plot);
}

}  // namespace fairstream::plots
