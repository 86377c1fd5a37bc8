#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include <fairstream/figures/json.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/figures/target_report.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/fit/front/front.hpp>
#include <fairstream/fit/stages/input_json.hpp>
#include <fairstream/fit/stages/preparation_report.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

std::vector<Attribute> balanced(const FrontReport& report) {
    std::vector<Attribute> attributes;
    for (const int index : report.model.targets().attribute)
        attributes.push_back(report.figures.format.attributes.at(static_cast<std::size_t>(index)));
    return attributes;
}

/// Returns a point of the front; for several attributes, with the measure of each.
ordered_json point_json(const FrontReport& report, std::size_t i) {
    const auto& [options, model, front, figures] = report;
    ordered_json point = {{model.cost_name(), front.points[i].cost},
                          {traded_measure_name(options), front.points[i].balance}};
    const std::vector<Attribute> attributes = balanced(report);
    for (std::size_t a = 0; a < attributes.size() && attributes.size() > 1; ++a)
        point["by_attribute"][attributes[a].name] = front.by_attribute[i][a];
    return point;
}

ordered_json points_json(const FrontReport& report) {
    ordered_json points = ordered_json::array();
    for (std::size_t i = 0; i < report.front.points.size(); ++i) points.push_back(point_json(report, i));
    return points;
}

/// Returns `text` as a cell of a CSV file, quoted where needed.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

void add_attributes(const FrontReport& report, ordered_json& json) {
    const std::vector<Attribute> attributes = balanced(report);
    if (attributes.size() == 1) {
        json["attribute"] = attributes[0].name;
        json["groups"] = attributes[0].groups;
        return;
    }
    for (const Attribute& attribute : attributes)
        json["attributes"].push_back({{"attribute", attribute.name}, {"groups", attribute.groups}});
}

/// Returns the size of the input: points and features, or nodes and edges.
std::string shape_text(const FrontFigures& figures) {
    if (figures.edges) return counted(figures.points, "node") + ", " + counted(*figures.edges, "edge");
    return counted(figures.points, "point") + ", " + counted(figures.format.dimensions, "feature");
}

/// Returns at most `most` indices of points, evenly spaced, including both ends.
std::vector<std::size_t> evenly_spaced(std::size_t points, std::size_t most) {
    std::set<std::size_t> shown;
    for (std::size_t i = 0; i < std::min(points, most); ++i)
        shown.insert(points <= most ? i : i * (points - 1) / (most - 1));
    return {shown.begin(), shown.end()};
}

/// Returns " without 'x', 'y'", or the number of the groups left out if their names are long; empty if there are none.
std::string without_text(const FrontFigures& figures) {
    constexpr std::size_t longest = 40;
    if (figures.left_out.empty()) return "";
    std::string names;
    for (const LeftOutGroup& group : figures.left_out)
        names += (names.empty() ? "" : ", ") +
                 files::shown(figures.format.attributes[static_cast<std::size_t>(group.attribute)].groups[group.group]);
    return " without " + (names.size() <= longest ? names : counted(figures.left_out.size(), "rare group"));
}

}  // namespace

std::string fairness_name(const FrontReport& report) {
    std::string names;
    const std::vector<Attribute> attributes = balanced(report);
    for (const Attribute& attribute : attributes) names += (names.empty() ? "" : " and ") + attribute.name;
    const bool relative = report.options.measure == "balance" && attributes.size() > 1;
    return report.options.measure + " of " + names + (relative ? " as shares of the best possible" : "") +
           without_text(report.figures);
}

std::string front_json(const FrontReport& report) {
    const auto& [options, model, front, figures] = report;
    ordered_json json = {{"model", model.name()}, {"points", figures.points}};
    if (figures.edges)
        json["edges"] = *figures.edges;
    else
        json["features"] = figures.format.dimensions;
    json["clusters"] = model.targets().clusters;
    add_attributes(report, json);
    json["measure"] = traded_measure_name(options);
    json["left_out_groups"] = figures::left_out_json(figures.format, figures.left_out);
    json["front"] = points_json(report);
    json["hypervolume"] = front.hypervolume;
    json["reference_" + model.cost_name()] = front.reference_cost;
    json["rounds"] = front.rounds;
    json["outcome"] = std::string(to_string(front.outcome));
    json["stopped"] = figures.stopped;
    json["seconds"] = figures.seconds;
    json["cpu_seconds"] = figures.cpu_seconds;
    if (figures.picked) {
        ordered_json picked = {{"index", *figures.picked}};
        picked.update(point_json(report, *figures.picked));
        for (std::size_t i = 0; i < figures.format.attributes.size(); ++i)
            picked["attributes"].push_back(
                figures::attribute_json(*figures.tally, figures.format.attributes[i], static_cast<int>(i)));
        json["picked"] = std::move(picked);
    }
    add_preparation(figures.stream, figures.preparation, json);
    json["options"] = model.options_json(figures.format.attributes);
    json.update(model.search_json());
    json["input"] = input_json(options.input);
    json["threads"] = options.threads;
    json["cpu_level"] = std::string(cpu_level());
    json["version"] = FAIRSTREAM_VERSION;
    return figures::report_text(json);
}

std::string front_csv(const FrontReport& report) {
    const auto& [options, model, front, figures] = report;
    std::string text = model.cost_name() + "," + traded_measure_name(options);
    const std::vector<Attribute> attributes = balanced(report);
    const bool several = attributes.size() > 1;
    for (const Attribute& attribute : attributes) text += several ? "," + csv_field(attribute.name) : "";
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        text += "\n" + ordered_json(front.points[i].cost).dump() + "," + ordered_json(front.points[i].balance).dump();
        for (const double of_one : front.by_attribute[i]) text += several ? "," + ordered_json(of_one).dump() : "";
    }
    return text + "\n";
}

std::string front_summary(const FrontReport& report) {
    const auto& [options, model, front, figures] = report;
    const std::string cost = words_of(model.cost_name());
    std::string text = "front on " + options.input.name() + ": " + shape_text(figures) + ", " +
                       counted(model.targets().clusters, "cluster") + ", " + fairness_name(report) + "\n" +
                       counted(front.points.size(), "nondominated clustering") + ", hypervolume " +
                       (front.hypervolume < 1e12 ? fixed(front.hypervolume, 6) : brief(front.hypervolume)) + " below " +
                       cost + " " + cost_text(front.reference_cost) + ", " + fixed(figures.seconds, 2) + " s" +
                       (figures.stopped ? ", stopped before the end" : "") + "\n" +
                       preparation_line(figures.stream, figures.preparation) + "\n";
    std::vector<std::vector<std::string>> rows{{options.measure, cost, "paid"}};
    const std::vector<Attribute> attributes = balanced(report);
    const bool several = attributes.size() > 1;
    for (const Attribute& attribute : attributes)
        if (several) rows[0].push_back(attribute.name);
    rows[0].emplace_back();
    std::vector<std::size_t> shown = evenly_spaced(front.points.size(), 12);
    const std::optional<std::size_t> bend = knee(front.points);
    for (const std::optional<std::size_t>& one : {figures.picked, bend})
        if (one) shown.push_back(*one);
    std::ranges::sort(shown);
    shown.erase(std::ranges::unique(shown).begin(), shown.end());
    for (const std::size_t i : shown) {
        const TradeOff& point = front.points[i];
        // No percentages of a cost that is 0 except for rounding.
        const double least = front.points.front().cost, rounding = 1e-7 * front.reference_cost;
        rows.push_back({fixed(point.balance), cost_text(point.cost),
                        least > rounding ? "+" + fixed(100 * (point.cost / least - 1), 2) + " %" : ""});
        for (const double of_one : front.by_attribute[i])
            if (several) rows.back().push_back(fixed(of_one));
        rows.back().push_back(figures.picked == i ? (bend == i ? "picked, the knee" : "picked")
                              : bend == i         ? "the knee"
                                                  : "");
    }
    return text + table(rows, "rrr" + std::string(several ? attributes.size() : 0, 'r') + "l");
}

}  // namespace fairstream::fit
