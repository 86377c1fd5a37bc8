#include <fairstream/command/front/front.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <unordered_map>

#include <fairstream/base/name_list.hpp>
#include <fairstream/base/nearest_name.hpp>
#include <fairstream/command/console/clock.hpp>
#include <fairstream/command/console/console_listener.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/plot.hpp>
#include <fairstream/command/console/settings.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/command/front/front_file.hpp>
#include <fairstream/command/front/front_plot.hpp>
#include <fairstream/command/input/scale_note.hpp>
#include <fairstream/command/report/notes.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::command {
namespace {

template <class Number> bool read_number(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// The rule by which a user picks a point of the front.
struct Pick {
    enum class By { knee, fairness, cost } by = By::knee;
    double bound = 0;
};

std::optional<Pick> read_pick(const std::string& text, const std::string& measure, const std::string& cost) {
    if (text.empty()) return std::nullopt;
    if (text == "knee") return Pick{};
    for (const auto& [prefix, by] :
         {std::pair(measure + ">=", Pick::By::fairness), std::pair(cost + "<=", Pick::By::cost)}) {
        Pick pick{by};
        if (text.starts_with(prefix) && read_number(std::string_view(text).substr(prefix.size()), pick.bound) &&
            std::isfinite(pick.bound))
            return pick;
    }
    const std::string other = measure == "parity" ? "balance" : "parity";
    throw InvalidInput(
        Reason::bad_option,
        "--pick " + text + ": must be knee, " + measure + ">=X or " + cost + "<=X" +
            (text.starts_with(other) && cost == "cost" ? "; " + other + " needs --measure " + other : ""));
}

std::size_t find_pick(const Pick& pick, const Front& front, const std::string& measure, const std::string& cost) {
    const std::optional<std::size_t> found = pick.by == Pick::By::knee       ? knee(front.points)
                                             : pick.by == Pick::By::fairness ? cheapest(front.points, pick.bound)
                                                                             : fairest(front.points, pick.bound);
    if (found) return *found;
    const auto end = [&](const TradeOff& point) {
        return cost + " " + cost_text(point.cost) + ", " + measure + " " + fixed(point.balance);
    };
    const std::string front_ends = "from " + end(front.points.front()) + " to " + end(front.points.back());
    throw InvalidInput(Reason::not_ready,
                       pick.by == Pick::By::knee
                           ? "--pick knee: this front has none; it goes straight or hollow " + front_ends
                           : "--pick: there is no such point; the front goes " + front_ends);
}

int attribute_of(const std::string& name, const StreamFormat& format) {
    const auto found = std::ranges::find(format.attributes, name, &Attribute::name);
    if (found != format.attributes.end()) return static_cast<int>(found - format.attributes.begin());
    std::string known;
    for (const Attribute& attribute : format.attributes)
        known += (known.empty() ? "" : ", ") + written_name(attribute.name);
    std::vector<std::string> names;
    for (const Attribute& attribute : format.attributes) names.push_back(attribute.name);
    throw InvalidInput(Reason::bad_option,
                       "--attribute " + name + did_you_mean(name, names) + ": the groups are of " + known);
}

OneOrMore<int> balanced_attributes(const FrontCommandOptions& options, const StreamFormat& format) {
    if (format.attributes.empty())
        throw InvalidInput(Reason::bad_option, "no --group: name the column whose groups shall be balanced");
    if (options.attributes.empty()) return 0;
    std::vector<int> attributes;
    for (const std::string& name : options.attributes) {
        if (std::ranges::count(options.attributes, name) > 1)
            throw InvalidInput(Reason::bad_option, "--attribute: '" + name + "' is named twice");
        attributes.push_back(attribute_of(name, format));
    }
    return OneOrMore<int>(std::move(attributes));
}

/// Returns an engine that holds the points, which came in one event, prepared. Its model never steps.
Engine engine_of(const csv::Table& table, const PrepareOptions& prepare) {
    if (table.size() > std::numeric_limits<Slot>::max() / 2)
        throw InvalidInput(Reason::bad_option, std::to_string(table.size()) + " points do not fit one window");
    EngineOptions options{
        .format = table.format,
        .window = {.capacity = static_cast<Slot>(table.size())},
        .models = {{"idle", safairkm::Options{.clusters = 1}, {.every = std::numeric_limits<std::uint64_t>::max()}}},
        .event_work_limit = no_work_limit,
        .prepare = prepare};
    Engine engine(std::move(options));
    PointColumns points;
    copy_points(table, 0, table.size(), points);
    engine.ingest(points.view());
    return engine;
}

FrontInput load_points(const InputOptions& options, std::optional<InputStream>& stream, std::vector<std::string>& notes,
                       Listener& listener) {
    csv::Table table = load_table(options, stream, listener);
    notes = notes_on_scales(options, table);
    const Engine engine = engine_of(table, stream ? stream->prepare : PrepareOptions{});
    return {std::move(table.format), engine.window(), {}, {}, engine.preparation(), std::move(table.id_texts)};
}

FrontInput load_nodes(const InputOptions& options, Listener& listener) {
    csv::GraphTable table = load_graph(options, listener);
    require_groups(table.attributes);
    return {{1, std::move(table.attributes), false},
            std::nullopt,
            std::move(table.graph),
            std::move(table.groups),
            {},
            std::move(table.names)};
}

Front search(const FrontCommandOptions& options, const FrontModel& model, const FrontInput& input,
             FrontFigures& figures, StopSignals& signals) {
    const auto handler = signals.poll_for_stop();
    Progress progress("front of " + options.input.name());
    const auto start = Clock::now();
    const std::clock_t cpu = std::clock();
    std::string found = model.text({});
    double share = 0;
    const auto note = [&](const FrontProgress& so_far) {
        found = model.text(so_far) + ", " + counted(so_far.points.size(), "point") + ", hypervolume " +
                fixed(so_far.hypervolume, 6);
        progress.show(share, found);
        return !signals.requested();
    };
    const auto show = [&](const WorkProgress& work) {
        share = work.share;
        progress.show(share, found);
        return !signals.requested();
    };
    progress.show(0.0, found);
    Front front = model.find(input, options.threads, note, show);
    figures.seconds = seconds_since(start);
    figures.cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    figures.stopped = signals.requested();
    return front;
}

void write_picked_labels(const FrontCommandOptions& options, const Front& front, const FrontInput& input,
                         std::size_t picked) {
    std::vector<std::pair<PointId, ClusterId>> rows;
    for (std::size_t i = 0; i < input.size(); ++i) rows.emplace_back(input.id(i), front.labels[picked][i]);
    std::unordered_map<PointId, std::string_view> texts;
    for (std::size_t i = 0; i < input.id_texts.size(); ++i) texts.emplace(input.id(i), input.id_texts[i]);
    write_outputs(options.labels, rows, [&](PointId id) { return texts.empty() ? std::string_view() : texts.at(id); });
}

FairnessTally tally_of(const CompactLabels& labels, const FrontInput& input, int clusters) {
    FairnessTally tally = empty_tally(clusters, input.format);
    std::vector<ClusterId> all(labels.size());
    labels.copy_to(all);
    tally.add(all, input.table().data(), input.window ? input.window->weights() : std::span<const double>());
    return tally;
}

std::string plot_title(const FrontReport& report) {
    const InputOptions& input = report.options.input;
    const std::string points = !input.generate.empty() ? input.generate
                               : input.is_graph()      ? input.edges.filename().string()
                                                       : input.input.filename().string();
    return points + ": " + counted(report.figures.points, report.figures.edges ? "node" : "point") + ", " +
           counted(report.model.targets().clusters, "cluster") + ", " + fairness_name(report);
}

/// Returns notes on what was asked for that has no effect.
std::vector<std::string> notes_on(const FrontCommandOptions& options, const FrontModel& model,
                                  const StreamFormat& format) {
    std::vector<std::string> notes =
        idle_notes(model.options(), names_of_settings(options.settings),
                   options.input.is_graph() ? OptionScope::anywhere : OptionScope::steps, format.has_targets);
    if (options.attributes.empty() && options.input.groups.size() > 1) {
        std::string all;
        for (const Attribute& attribute : format.attributes)
            all += (all.empty() ? "" : ",") + written_name(attribute.name);
        notes.push_back("of the groups only those of '" + format.attributes[0].name + "' are balanced: --attribute " +
                        shell_word(all) + " balances those of all, and --attribute COL those of another");
    }
    return notes;
}

std::vector<OutputFile> outputs(const FrontCommandOptions& options) {
    return {{"--report", options.report},
            {"--csv", options.table},
            {"--plot", options.plot},
            {"--labels", options.labels},
            {"--bad-rows-to", options.input.bad_rows_file}};
}

void check_files(const FrontCommandOptions& options) {
    std::vector<std::filesystem::path> inputs{options.input.input, options.input.rows, options.input.edges,
                                              options.input.nodes, options.input.config};
    for (const std::string& overlay : options.overlays) inputs.push_back(overlay_file(overlay));
    check_outputs(outputs(options), inputs);
    if (!options.labels.empty() && options.pick.empty())
        throw InvalidInput(Reason::bad_option, "--labels needs --pick: which point's labels?");
    if (!options.overlays.empty() && options.plot.empty())
        throw InvalidInput(Reason::bad_option, "--overlay needs --plot: it is drawn there");
    if (!options.plot.empty()) check_plot_file("--plot", options.plot);
}

}  // namespace

std::string weighed_name(const FrontCommandOptions& options) {
    return options.measure + (options.attributes.size() > 1 ? "_share" : "");
}

int run_front(const FrontCommandOptions& options) {
    StopSignals signals;  // before reading, which begins threads
    // Refuses bad options before a long file is read.
    const std::unique_ptr<FrontModel> model = front_model(options);
    const std::string cost = model->cost_name();
    const std::optional<Pick> pick = read_pick(options.pick, options.measure, cost);
    check_files(options);
    if (model->takes_graphs() && !options.input.unknown_group.empty())
        throw InvalidInput(Reason::bad_option,
                           "--unknown-group: a front of " + options.model + " takes no unknown groups: --missing " +
                               shell_word(options.input.groups.empty() ? "COL" : options.input.groups[0]) +
                               "=drop leaves rows without a group out");
    std::vector<NamedFront> drawn = read_overlays(options.overlays, weighed_name(options), cost);
    if (options.input.is_graph() && !model->takes_graphs())
        throw InvalidInput(
            Reason::bad_option,
            "'" + options.input.name() + "' is a graph, and not points: fairstream front fair_spectral takes it");
    ConsoleListener listener;
    std::optional<InputStream> stream = load_stream(options.input, false, listener);
    std::vector<std::string> notes;
    const FrontInput input = options.input.is_graph() ? load_nodes(options.input, listener)
                                                      : load_points(options.input, stream, notes, listener);
    model->balance(balanced_attributes(options, input.format));
    model->check(input.prepared_format());
    listener.enter(Listener::Phase::working);  // the reading is over
    listener.notes(notes);
    listener.notes(notes_on(options, *model, input.format));
    FrontFigures figures{.format = input.format, .points = input.size()};
    figures.stream = stream;
    figures.preparation = input.preparation;
    if (input.is_graph()) figures.edges = input.graph.edges.size();
    figures.left_out = model->left_out(input);
    if (!figures.left_out.empty()) listener.note(left_out_text(model->targets(), figures.format, figures.left_out));

    const Front front = search(options, *model, input, figures, signals);
    // A pick that does not exist is reported once all else is written.
    std::optional<InvalidInput> missing;
    try {
        if (pick) figures.picked = find_pick(*pick, front, options.measure, cost);
    } catch (const InvalidInput& error) {
        missing = error;
    }
    if (figures.picked) figures.tally = tally_of(front.labels[*figures.picked], input, model->targets().clusters);
    const FrontReport report{options, *model, front, figures};
    const std::string json = front_json(report) + "\n";
    // Printed first, so that it is not lost when a file cannot be written.
    print_report(options.json ? json : front_summary(report), outputs(options));
    if (!options.report.empty()) write_file(options.report, json);
    if (!options.table.empty()) write_file(options.table, front_csv(report));
    if (!options.plot.empty()) {
        drawn.insert(drawn.begin(), {"this front", front.points});
        const FrontAxes axes{options.measure, words_of(cost), model->cost_meaning()};
        write_file(options.plot, front_plot(options.plot, plot_title(report), axes, drawn, figures.picked));
    }
    if (figures.picked && !options.labels.empty()) write_picked_labels(options, front, input, *figures.picked);
    if (missing) throw *missing;
    return figures.stopped ? 1 : 0;
}

}  // namespace fairstream::command
