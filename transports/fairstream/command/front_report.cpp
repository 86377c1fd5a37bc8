#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include <fairstream/command/figures_json.hpp>
#include <fairstream/command/front.hpp>
#include <fairstream/command/terminal.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

const Attribute& balanced(const FrontCommandOptions& options, const FrontFigures& figures) {
    return figures.format.attributes.at(static_cast<std::size_t>(options.front.model.attribute[0]));
}

ordered_json points_json(const safairkm::Front& front) {
    ordered_json points = ordered_json::array();
    for (const TradeOff& point : front.points) points.push_back({{"cost", point.cost}, {"balance", point.balance}});
    return points;
}

ordered_json pairs_json(const safairkm::FrontOptions& options) {
    ordered_json pairs = ordered_json::array();
    for (const safairkm::UpdatePair& pair : options.pairs) pairs.push_back({pair.kmeans_updates, pair.swaps});
    return pairs;
}

/// At most `most` points, evenly spaced, both ends among them.
std::vector<std::size_t> some(std::size_t points, std::size_t most) {
    std::set<std::size_t> shown;
    for (std::size_t i = 0; i < std::min(points, most); ++i)
        shown.insert(points <= most ? i : i * (points - 1) / (most - 1));
    return {shown.begin(), shown.end()};
}

}  // namespace

std::string front_json(const FrontCommandOptions& options, const safairkm::Front& front, const FrontFigures& figures) {
    const safairkm::FrontOptions& search = options.front;
    ordered_json json = {{"model", "safairkm"},
                         {"n", figures.points},
                         {"d", figures.format.dimensions},
                         {"k", search.model.clusters},
                         {"attribute", balanced(options, figures).name},
                         {"groups", balanced(options, figures).groups},
                         {"points", points_json(front)},
                         {"hypervolume", front.hypervolume},
                         {"reference_cost", front.reference_cost},
                         {"rounds", front.rounds},
                         {"outcome", std::string(to_string(front.outcome))},
                         {"stopped", figures.stopped},
                         {"seconds", figures.seconds},
                         {"cpu_seconds", figures.cpu_seconds}};
    if (figures.picked) {
        const TradeOff& point = front.points[*figures.picked];
        ordered_json picked = {{"index", *figures.picked}, {"cost", point.cost}, {"balance", point.balance}};
        for (std::size_t i = 0; i < figures.format.attributes.size(); ++i)
            picked["attributes"].push_back(
                attribute_json(*figures.tally, figures.format.attributes[i], static_cast<int>(i)));
        json["picked"] = std::move(picked);
    }
    json["options"] = options_json(search.model);
    json["pairs"] = pairs_json(search);
    json["iterations"] = search.iterations;
    json["rounds_limit"] = search.rounds;
    json["stages"] = search.stages;
    json["point_limit"] = search.point_limit;
    json["gap"] = search.gap;
    json["input"] = input_json(options.input);
    json["threads"] = options.threads;
    json["cpu_level"] = std::string(cpu_level());
    json["version"] = FAIRSTREAM_VERSION;
    // Names in a file may be no UTF-8.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

std::string front_csv(const safairkm::Front& front) {
    std::string text = "cost,balance\n";
    for (const TradeOff& point : front.points)
        text += ordered_json(point.cost).dump() + "," + ordered_json(point.balance).dump() + "\n";
    return text;
}

std::string front_summary(const FrontCommandOptions& options, const safairkm::Front& front,
                          const FrontFigures& figures) {
    std::string text =
        "front on " + options.input.name() + ": " + counted(static_cast<std::int64_t>(figures.points)) + " points, " +
        std::to_string(figures.format.dimensions) + " features, " + std::to_string(options.front.model.clusters) +
        " clusters, balance of " + balanced(options, figures).name + "\n" +
        counted(static_cast<std::int64_t>(front.points.size())) + " nondominated clusterings, hypervolume " +
        fixed(front.hypervolume, 6) + " below cost " + fixed(front.reference_cost) + ", " + fixed(figures.seconds, 2) +
        " s" + (figures.stopped ? ", stopped before the end" : "") + "\n\n";
    std::vector<std::vector<std::string>> rows{{"balance", "cost", "paid", ""}};
    std::vector<std::size_t> shown = some(front.points.size(), 12);
    if (figures.picked) {
        shown.push_back(*figures.picked);
        std::ranges::sort(shown);
        shown.erase(std::ranges::unique(shown).begin(), shown.end());
    }
    const std::optional<std::size_t> bend = knee(front.points);
    for (const std::size_t i : shown) {
        const TradeOff& point = front.points[i];
        const double least = front.points.front().cost;
        rows.push_back({fixed(point.balance), fixed(point.cost),
                        least > 0 ? "+" + fixed(100 * (point.cost / least - 1), 2) + " %" : "",
                        figures.picked == i ? (bend == i ? "picked, the knee" : "picked")
                        : bend == i         ? "the knee"
                                            : ""});
    }
    return text + table(rows, "rrrl");
}

}  // namespace fairstream::command
