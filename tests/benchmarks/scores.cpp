/// Measures partial-fair scoring; prints one JSON object.
///
///   bench_scores front FILE FROM TO METRIC LOSS (KAPPA|OPTION=VALUE)...
///   bench_scores subgradient FILE FROM TO KAPPA OUTER INNER EPSILON
///   bench_scores warm FILE FROM TO LOSS BATCH OPTION=VALUE...
///
/// FILE holds the points of a split, little-endian: n and d (uint64), n x d features (float32), n targets (float32), n
/// groups (uint16, 0 or 1) and n parts (uint8: 0 learn, 1 validate, 2 test). Ranks FROM to TO are those that count.
/// `front` solves for each kappa from nothing. `subgradient` is IDCA as the paper runs it. `warm` streams the points to
/// learn from in batches of BATCH through a window of 10,000, after the first 10,000, and solves each window from
/// nothing too. One thread throughout.

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <tbb/global_control.h>
#include <nlohmann/json.hpp>

#include <fairstream/engine.hpp>
#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/options.hpp>

namespace fairstream::benchmarks {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* model = "partial_fair_scorer";

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Points {
    std::size_t dimensions = 0;
    PointColumns columns;
};

template <class T> void read(std::ifstream& in, std::vector<T>& out, std::size_t count) {
    out.resize(count);
    in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

/// By part.
std::vector<Points> read_parts(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::vector<std::uint64_t> shape;
    read(in, shape, 2);
    Points all;
    std::vector<std::uint8_t> part;
    read(in, all.columns.features, shape[0] * shape[1]);
    read(in, all.columns.targets, shape[0]);
    read(in, all.columns.groups, shape[0]);
    read(in, part, shape[0]);
    if (!in) throw std::runtime_error(file + " is too short");
    std::vector<Points> parts(3);
    for (std::size_t i = 0; i < part.size(); ++i) {
        Points& to = parts.at(part[i]);
        to.dimensions = shape[1];
        const auto row = all.columns.features.begin() + static_cast<std::ptrdiff_t>(i * shape[1]);
        to.columns.ids.push_back(i);
        to.columns.features.insert(to.columns.features.end(), row, row + static_cast<std::ptrdiff_t>(shape[1]));
        to.columns.groups.push_back(all.columns.groups[i]);
        to.columns.targets.push_back(all.columns.targets[i]);
    }
    return parts;
}

Engine make_engine(const ModelOptions& options, const Points& points, std::size_t window) {
    EngineOptions engine;
    engine.format = {static_cast<std::uint32_t>(points.dimensions), {{"group", {"0", "1"}}}, true};
    engine.window.capacity = static_cast<Slot>(window);
    engine.step_work_limit = no_work_limit;
    engine.models.push_back({model, options, {}});
    return Engine(engine, 1);
}

std::map<std::string, double> figures_of(const Engine& engine) {
    std::map<std::string, double> figures;
    for (const Figure& figure : engine.report(model).figures) figures.emplace(figure.name, figure.value);
    return figures;
}

ordered_json json_of(const ScoreFairness& f) {
    return {{"accuracy", f.accuracy},       {"auc", f.auc},          {"sp", f.sp}, {"dp", f.dp}, {"gauc", f.gauc},
            {"overall_gap", f.overall_gap}, {"tail_gap", f.tail_gap}};
}

ScoreFairness judge(const Engine& engine, const Points& points) {
    std::vector<Score> scores(points.columns.ids.size());
    engine.score(model, points.columns.features, points.columns.groups, scores);
    ScoreTally tally(2);
    for (std::size_t i = 0; i < scores.size(); ++i)
        tally.add(scores[i], points.columns.groups[i], points.columns.targets[i] > 0);
    tally.settle();
    return partial_fair_scorer::Model::measure(engine.current_options(model).get<partial_fair_scorer::Options>(),
                                               tally);
}

ModelOptions options_of(const std::map<std::string, std::string>& values) {
    ModelOptions options = default_options(model);
    for (const auto& [name, value] : values) set_option(options, name, value);
    return options;
}

/// Adds the arguments of the form OPTION=VALUE.
void add_options(std::span<const std::string> arguments, std::map<std::string, std::string>& values) {
    for (const std::string& argument : arguments)
        if (const std::size_t equals = argument.find('='); equals != argument.npos)
            values[argument.substr(0, equals)] = argument.substr(equals + 1);
}

/// Runs one solve of all training points.
ordered_json solve(const ModelOptions& options, const std::vector<Points>& parts) {
    Engine engine = make_engine(options, parts[0], parts[0].columns.ids.size());
    const auto start = Clock::now();
    engine.ingest(parts[0].columns.view());
    const double seconds = seconds_since(start);
    ordered_json found = {{"seconds", seconds}, {"loss", engine.report(model).cost}};
    for (const auto& [name, value] : figures_of(engine)) found[name] = value;
    constexpr std::string_view names[] = {"train", "validation", "test"};
    for (std::size_t part = 0; part < parts.size(); ++part)
        if (!parts[part].columns.ids.empty()) found[names[part]] = json_of(judge(engine, parts[part]));
    return found;
}

ordered_json front(std::span<const std::string> arguments) {
    const std::vector<Points> parts = read_parts(arguments[0]);
    ordered_json found;
    found["points"] = ordered_json::array();
    std::map<std::string, std::string> values{
        {"interval", arguments[1] + "," + arguments[2]}, {"metric", arguments[3]}, {"loss", arguments[4]}};
    add_options(arguments.subspan(5), values);
    for (const std::string& kappa : arguments.subspan(5)) {
        if (kappa.find('=') != kappa.npos) continue;
        values["kappa"] = kappa;
        ordered_json point = solve(options_of(values), parts);
        point["kappa"] = std::stod(kappa);
        found["points"].push_back(std::move(point));
    }
    return found;
}

ordered_json subgradient(std::span<const std::string> arguments) {
    const std::vector<Points> parts = read_parts(arguments[0]);
    return solve(options_of({{"interval", arguments[1] + "," + arguments[2]},
                             {"kappa", arguments[3]},
                             {"inner", "ssg"},
                             {"solve_iterations", arguments[4]},
                             {"inner_iterations", arguments[5]},
                             {"epsilon", arguments[6]},
                             {"tolerance", "1e-12"},
                             {"ridge", "0"}}),
                 parts);
}

ordered_json refreshed(const Engine& engine, double seconds) {
    std::map<std::string, double> figures = figures_of(engine);
    figures["seconds"] = seconds;
    figures["loss"] = engine.report(model).cost;
    figures["sp"] = engine.report(model).score_fairness().sp;
    figures["accuracy"] = engine.report(model).score_fairness().accuracy;
    return figures;
}

ordered_json warm(std::span<const std::string> arguments) {
    constexpr std::size_t window = 10'000;
    const std::size_t batch = std::stoul(arguments[4]);
    const Points points = read_parts(arguments[0])[0];
    std::map<std::string, std::string> values{{"interval", arguments[1] + "," + arguments[2]}, {"loss", arguments[3]}};
    add_options(arguments.subspan(5), values);
    const ModelOptions options = options_of(values);
    const PointBatch all = points.columns.view();
    Engine engine = make_engine(options, points, window);
    engine.ingest(all.slice(0, window));
    ordered_json found;
    found["refreshes"] = ordered_json::array();
    for (std::size_t first = window; first + batch <= all.size(); first += batch) {
        auto start = Clock::now();
        engine.ingest(all.slice(first, batch));
        ordered_json refresh;
        refresh["warm"] = refreshed(engine, seconds_since(start));
        Engine anew = make_engine(options, points, window);
        start = Clock::now();
        anew.ingest(all.slice(first + batch - window, window));
        refresh["cold"] = refreshed(anew, seconds_since(start));
        found["refreshes"].push_back(std::move(refresh));
    }
    return found;
}

ordered_json run(const std::vector<std::string>& arguments) {
    const std::span<const std::string> rest = std::span(arguments).subspan(std::min<std::size_t>(1, arguments.size()));
    if (!arguments.empty() && arguments[0] == "front" && rest.size() >= 6) return front(rest);
    if (!arguments.empty() && arguments[0] == "subgradient" && rest.size() == 7) return subgradient(rest);
    if (!arguments.empty() && arguments[0] == "warm" && rest.size() >= 5) return warm(rest);
    throw std::runtime_error("see the head of tests/benchmarks/scores.cpp for what it takes");
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int count, char** values) {
    try {
        const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
        std::puts(fairstream::benchmarks::run({values + 1, values + count}).dump(1).c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_scores: %s\n", error.what());
        return 1;
    }
}
