#include <fairstream/fit/front/front.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <unordered_map>

#include <fairstream/base/name_list.hpp>
#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/number_text.hpp>
#include <fairstream/config/settings.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/figures/target_report.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/fit/stages/notes.hpp>
#include <fairstream/input/scale_note.hpp>
#include <fairstream/plots/front_file.hpp>
#include <fairstream/plots/front_plot.hpp>
#include <fairstream/plots/plot.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

template <class Number> bool read_number(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// The rule by which a user picks a point of the front.
struct Pick {
    enum class Rule { knee, fairness, cost } rule = Rule::knee;
    double bound = 0;
};

std::optional<Pick> read_pick(const std::string& text, const std::string& measure, const std::string& cost) {
    if (text.empty()) return std::nullopt;
    if (text == "knee") return Pick{};
    for (const auto& [prefix, rule] :
         {std::pair(measure + ">=", Pick::Rule::fairness), std::pair(cost + "<=", Pick::Rule::cost)}) {
        Pick pick{rule};
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
    const std::optional<std::size_t> found = pick.rule == Pick::Rule::knee       ? knee(front.points)
                                             : pick.rule == Pick::Rule::fairness ? cheapest(front.points, pick.bound)
                                                                                 : fairest(front.points, pick.bound);
    if (found) return *found;
    const auto end = [&](const TradeOff& point) {
        return cost + " " + cost_text(point.cost) + ", " + measure + " " + fixed(point.balance);
    };
    const std::string front_ends = "from " + end(front.points.front()) + " to " + end(front.points.back());
    const std::string bound = pick.rule == Pick::Rule::fairness ? measure + ">=" : cost + "<=";
    throw InvalidInput(Reason::not_ready,
                       (pick.rule == Pick::Rule::knee
                            ? "--pick knee: this front has no knee, as it is straight or curved inwards: pick " +
                                  measure + ">=X or " + cost + "<=X"
                            : "--pick " + bound + number_text(pick.bound) + ": no point of the front meets it") +
                           "; the front goes " + front_ends);
}

int attribute_of(const std::string& name, const StreamFormat& format) {
    const auto found = std::ranges::find(format.attributes, name, &Attribute::name);
    if (found != format.attributes.end()) return static_cast<int>(found - format.attributes.begin());
    std::string known;
    for (const Attribute& attribute : format.attributes)
        known += (known.empty() ? "" : ", ") + written_name(attribute.name);
    std::vector<std::string> names;
    for (const Attribute& attribute : format.attributes) names.push_back(attribute.name);
    throw InvalidInput(Reason::bad_option, "--attribute " + name + did_you_mean(name, names) +
                                               ": must be one of the group columns, " + known);
}

OneOrMore<int> balanced_attributes(const FrontOptions& options, const StreamFormat& format) {
    if (format.attributes.empty())
        throw InvalidInput(Reason::bad_option, "no --group: name the column whose groups must be balanced");
    if (options.attributes.empty()) return 0;
    std::vector<int> attributes;
    for (const std::string& name : options.attributes) {
        if (std::ranges::count(options.attributes, name) > 1)
            throw InvalidInput(Reason::bad_option, "--attribute: '" + name + "' is named twice");
        attributes.push_back(attribute_of(name, format));
    }
    return OneOrMore<int>(std::move(attributes));
}

/// Returns an engine that holds the prepared points, sent in one event. Its model never steps.
Engine engine_of(const files::Table& table, const PrepareOptions& prepare) {
    if (table.size() > std::numeric_limits<Slot>::max() / 2)
        throw InvalidInput(Reason::bad_option, std::to_string(table.size()) + " points are too many for one window");
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

FrontInput load_points(const files::InputOptions& options, std::optional<files::InputStream>& stream,
                       std::vector<std::string>& notes, Listener& listener) {
    files::Table table = files::load_table(options, stream, listener);
    notes = files::notes_on_scales(options, table);
    const Engine engine = engine_of(table, stream ? stream->prepare : PrepareOptions{});
    return {std::move(table.format), engine.window(), {}, {}, engine.preparation(), std::move(table.id_texts)};
}

FrontInput load_nodes(const files::InputOptions& options, Listener& listener) {
    files::GraphTable table = files::load_graph(options, listener);
    files::require_groups(table.attributes);
    return {{1, std::move(table.attributes), false},
            std::nullopt,
            std::move(table.graph),
            std::move(table.groups),
            {},
            std::move(table.names)};
}

Front search(const FrontOptions& options, const FrontModel& model, const FrontInput& input, FrontFigures& figures,
             Listener& listener) {
    const std::string work = "front of " + options.input.name();
    const auto start = Clock::now();
    const std::clock_t cpu = std::clock();
    std::string found = model.text({});
    double share = 0;
    const auto go_on = [&] {
        if (!listener.progress(work, share, found)) figures.stopped = true;
        return !figures.stopped;
    };
    const auto note = [&](const FrontProgress& so_far) {
        found = model.text(so_far) + ", " + counted(so_far.points.size(), "point") + ", hypervolume " +
                fixed(so_far.hypervolume, 6);
        return go_on();
    };
    const auto show = [&](const WorkProgress& so_far) {
        share = so_far.share;
        return go_on();
    };
    (void)go_on();
    Front front = model.find(input, options.threads, note, show);
    figures.seconds = seconds_since(start);
    figures.cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    return front;
}

void write_picked_labels(const FrontOptions& options, const Front& front, const FrontInput& input, std::size_t picked) {
    std::vector<std::pair<PointId, ClusterId>> rows;
    for (std::size_t i = 0; i < input.size(); ++i) rows.emplace_back(input.id(i), front.labels[picked][i]);
    std::unordered_map<PointId, std::string_view> texts;
    for (std::size_t i = 0; i < input.id_texts.size(); ++i) texts.emplace(input.id(i), input.id_texts[i]);
    files::write_outputs(options.labels, rows,
                         [&](PointId id) { return texts.empty() ? std::string_view() : texts.at(id); });
}

FairnessTally tally_of(const CompactLabels& labels, const FrontInput& input, int clusters) {
    FairnessTally tally = empty_tally(clusters, input.format);
    std::vector<ClusterId> all(labels.size());
    labels.copy_to(all);
    tally.add(all, input.table().data(), input.window ? input.window->weights() : std::span<const double>());
    return tally;
}

std::string name_of_points(const files::InputOptions& input) {
    return !input.generate.empty() ? input.generate
           : input.is_graph()      ? input.edges.filename().string()
                                   : input.input.filename().string();
}

/// Returns the title of the plot. For several fronts, the title leaves out the numbers of points and clusters, which
/// may differ: the legend has them.
std::string plot_title(const FrontReport& report, std::size_t fronts) {
    if (fronts > 1)
        return report.options.measure + " and " + words_of(report.model.cost_name()) + " of " +
               counted(fronts, "front");
    return name_of_points(report.options.input) + ": " +
           counted(report.figures.points, report.figures.edges ? "node" : "point") + ", " +
           counted(report.model.targets().clusters, "cluster") + ", " + fairness_name(report);
}

/// Returns notes on options without effect.
std::vector<std::string> notes_on_front(const FrontOptions& options, const FrontModel& model,
                                        const StreamFormat& format) {
    std::vector<std::string> notes =
        idle_notes(model.options(), names_of_settings(options.settings),
                   options.input.is_graph() ? OptionScope::anywhere : OptionScope::steps, format.has_targets);
    if (options.attributes.empty() && options.input.groups.size() > 1) {
        std::string all;
        for (const Attribute& attribute : format.attributes)
            all += (all.empty() ? "" : ",") + written_name(attribute.name);
        notes.push_back("only the groups of '" + format.attributes[0].name + "' are balanced: --attribute " +
                        shell_word(all) +
                        " balances the groups of all columns, and --attribute COL the groups of another column");
    }
    return notes;
}

void check_files(const FrontOptions& options) {
    std::vector<std::filesystem::path> inputs{options.input.input, options.input.rows, options.input.edges,
                                              options.input.nodes, options.input.config};
    for (const std::string& overlay : options.overlays) inputs.push_back(plots::overlay_file(overlay));
    files::check_outputs(options.outputs(), inputs);
    if (!options.labels.empty() && options.pick.empty())
        throw InvalidInput(Reason::bad_option, "--labels needs --pick, to choose the point whose labels are written");
    if (!options.overlays.empty() && options.plot.empty())
        throw InvalidInput(Reason::bad_option, "--overlay needs --plot, in which it is drawn");
    if (!options.plot.empty()) plots::check_plot_file("--plot", options.plot);
}

}  // namespace

std::string traded_measure_name(const FrontOptions& options) {
    return options.measure + (options.attributes.size() > 1 ? "_share" : "");
}

FrontJob::FrontJob(FrontOptions options, Listener& listener) : options_(std::move(options)) {
    // Refuses bad options before reading a long file.
    model_ = front_model(options_);
    const std::string cost = model_->cost_name();
    const std::optional<Pick> pick = read_pick(options_.pick, options_.measure, cost);
    check_files(options_);
    if (model_->takes_graphs() && !options_.input.unknown_group.empty())
        throw InvalidInput(Reason::bad_option,
                           "--unknown-group: a front of " + options_.model + " takes no unknown groups: --missing " +
                               shell_word(options_.input.groups.empty() ? "COL" : options_.input.groups[0]) +
                               "=drop drops rows without a group");
    drawn_ = plots::read_overlays(options_.overlays, traded_measure_name(options_), cost);
    if (options_.input.is_graph() && !model_->takes_graphs())
        throw InvalidInput(
            Reason::bad_option,
            "'" + options_.input.name() + "' is a graph, not points: use it with fairstream front fair_spectral");
    std::optional<files::InputStream> stream = files::load_stream(options_.input, false, listener);
    std::vector<std::string> notes;
    input_ = options_.input.is_graph() ? load_nodes(options_.input, listener)
                                       : load_points(options_.input, stream, notes, listener);
    model_->balance(balanced_attributes(options_, input_.format));
    model_->check(input_.prepared_format());
    listener.enter(Listener::Phase::working);  // reading is done
    listener.notes(notes);
    listener.notes(notes_on_front(options_, *model_, input_.format));
    figures_.format = input_.format;
    figures_.points = input_.size();
    figures_.stream = std::move(stream);
    figures_.preparation = input_.preparation;
    if (input_.is_graph()) figures_.edges = input_.graph.edges.size();
    figures_.left_out = model_->left_out(input_);
    if (!figures_.left_out.empty())
        listener.note(figures::left_out_text(model_->targets(), figures_.format, figures_.left_out, options_.measure));

    front_ = search(options_, *model_, input_, figures_, listener);
    listener.enter(Listener::Phase::writing);
    try {
        if (pick) figures_.picked = find_pick(*pick, front_, options_.measure, cost);
    } catch (const InvalidInput& error) {
        missing_pick_ = error;
    }
    if (figures_.picked) figures_.tally = tally_of(front_.labels[*figures_.picked], input_, model_->targets().clusters);
}

void FrontJob::write() const {
    if (!options_.report.empty()) files::write_file(options_.report, json());
    if (!options_.table.empty()) files::write_file(options_.table, front_csv(report()));
    if (!options_.plot.empty()) {
        const std::string name = drawn_.empty()
                                     ? "this front"
                                     : plots::front_name(name_of_points(options_.input), model_->targets().clusters);
        std::vector<plots::NamedFront> drawn{{name, front_.points}};
        drawn.insert(drawn.end(), drawn_.begin(), drawn_.end());
        const plots::FrontAxes axes{options_.measure, words_of(model_->cost_name()), model_->cost_meaning()};
        files::write_file(options_.plot, plots::front_plot(options_.plot, plot_title(report(), drawn.size()), axes,
                                                           drawn, figures_.picked));
    }
    if (figures_.picked && !options_.labels.empty()) write_picked_labels(options_, front_, input_, *figures_.picked);
}

}  // namespace fairstream::fit
