#include <fairstream/command/front/front.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

#include <fairstream/command/console/clock.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/plot.hpp>
#include <fairstream/command/console/settings.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/command/front/front_file.hpp>
#include <fairstream/command/front/front_plot.hpp>

namespace fairstream::command {
namespace {

using safairkm::FrontOptions;
using safairkm::UpdatePair;

template <class Number> bool read_number(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

UpdatePair read_pair(const std::string& text) {
    UpdatePair pair;
    const std::string_view view = text;
    const std::size_t colon = view.find(':');
    if (colon == view.npos || !read_number(view.substr(0, colon), pair.kmeans_updates) ||
        !read_number(view.substr(colon + 1), pair.swaps))
        throw InvalidInput(Reason::bad_option, "--pairs " + text + ": must be N_A:N_B, two whole numbers");
    return pair;
}

/// The rule by which a user picks a point of the front.
struct Pick {
    enum class By { knee, fairness, cost } by = By::knee;
    double bound = 0;
};

std::optional<Pick> read_pick(const std::string& text, const std::string& measure) {
    if (text.empty()) return std::nullopt;
    if (text == "knee") return Pick{};
    for (const auto& [prefix, by] :
         {std::pair(measure + ">=", Pick::By::fairness), std::pair(std::string("cost<="), Pick::By::cost)}) {
        Pick pick{by};
        if (text.starts_with(prefix) && read_number(std::string_view(text).substr(prefix.size()), pick.bound) &&
            std::isfinite(pick.bound))
            return pick;
    }
    throw InvalidInput(Reason::bad_option, "--pick " + text + ": must be knee, " + measure + ">=X or cost<=X");
}

std::size_t find_pick(const Pick& pick, const Front& front, const std::string& measure) {
    const std::optional<std::size_t> found = pick.by == Pick::By::knee       ? knee(front.points)
                                             : pick.by == Pick::By::fairness ? cheapest(front.points, pick.bound)
                                                                             : fairest(front.points, pick.bound);
    if (found) return *found;
    const auto end = [&](const TradeOff& point) {
        return "cost " + fixed(point.cost) + ", " + measure + " " + fixed(point.balance);
    };
    const std::string front_ends = "from " + end(front.points.front()) + " to " + end(front.points.back());
    throw InvalidInput(Reason::not_ready,
                       pick.by == Pick::By::knee
                           ? "--pick knee: this front has none; it goes straight or hollow " + front_ends
                           : "--pick: there is no such point; the front goes " + front_ends);
}

void refuse_foreign_settings(const FrontCommandOptions& options) {
    for (const std::string& setting : options.settings)
        for (const auto& [name, instead] :
             {std::pair("kmeans_updates", "--pairs"), std::pair("swaps", "--pairs"), std::pair("starts", "--starts"),
              std::pair("balance_at_least", "--pick"), std::pair("parity_at_least", "--measure parity and --pick"),
              std::pair("share_delta", "no bounds on shares"), std::pair("share_at_least", "no bounds on shares"),
              std::pair("share_at_most", "no bounds on shares"), std::pair("size_at_least", "no bounds on sizes"),
              std::pair("size_at_most", "no bounds on sizes"), std::pair("attribute", "--attribute"),
              std::pair("clusters", "--clusters"), std::pair("seed", "--seed")})
            if (setting.starts_with(std::string(name) + "="))
                throw InvalidInput(Reason::bad_option, "--set " + setting + ": a front takes " + instead);
}

FrontOptions front_options(const FrontCommandOptions& options) {
    refuse_foreign_settings(options);
    FrontOptions front = options.front;
    ModelOptions model = front.model;
    apply_settings(model, options.settings);
    front.model = model.get<safairkm::Options>();
    if (options.measure != "balance" && options.measure != "parity")
        throw InvalidInput(Reason::bad_option, "--measure " + options.measure + ": must be balance or parity");
    front.measure = options.measure == "parity" ? FrontMeasure::parity : FrontMeasure::balance;
    if (!options.pairs.empty()) front.pairs.clear();
    for (const std::string& pair : options.pairs) front.pairs.push_back(read_pair(pair));
    return front;
}

int attribute_of(const std::string& name, const StreamFormat& format) {
    const auto found = std::ranges::find(format.attributes, name, &Attribute::name);
    if (found != format.attributes.end()) return static_cast<int>(found - format.attributes.begin());
    std::string known;
    for (const Attribute& attribute : format.attributes) known += (known.empty() ? "" : ", ") + attribute.name;
    throw InvalidInput(Reason::bad_option, "--attribute " + name + ": the groups are of " + known);
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

Window window_of(const csv::Table& table) {
    if (table.size() > std::numeric_limits<Slot>::max() / 2)
        throw InvalidInput(Reason::bad_option, std::to_string(table.size()) + " points do not fit one window");
    Window window(table.format, {.capacity = static_cast<Slot>(table.size())});
    PointColumns points;
    copy_points(table, 0, table.size(), points);
    const PointBatch batch = points.view();
    window.validate(batch);
    window.apply(batch);
    return window;
}

Front search(const FrontCommandOptions& options, const FrontOptions& front_options, const Window& window,
             FrontFigures& figures) {
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    Progress progress("front of " + options.input.name());
    const auto start = Clock::now();
    const std::clock_t cpu = std::clock();
    const auto show = [&](const FrontProgress& so_far) {
        const int steps = front_options.model.starts + front_options.rounds;
        progress.show(
            static_cast<double>(so_far.starts + so_far.round) / steps,
            (so_far.round == 0 ? "starts " + counted(so_far.starts) + " of " + counted(front_options.model.starts)
                               : "round " + counted(so_far.round)) +
                ", " + counted(static_cast<std::int64_t>(so_far.points.size())) + " points, hypervolume " +
                fixed(so_far.hypervolume, 6));
        return true;
    };
    progress.show(0.0, "starts 0 of " + counted(front_options.model.starts));
    Front front = safairkm::find_front(front_options, window, options.threads, show, &signals.flag());
    figures.seconds = seconds_since(start);
    figures.cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    figures.stopped = signals.requested();
    return front;
}

void write_picked_labels(const FrontCommandOptions& options, const Front& front, const Window& window,
                         std::size_t picked) {
    std::vector<std::pair<PointId, ClusterId>> rows;
    for (Slot slot = 0; slot < window.size(); ++slot) rows.emplace_back(window.id(slot), front.labels[picked][slot]);
    write_labels(options.labels, std::move(rows));
}

FairnessTally tally_of(const CompactLabels& labels, const Window& window, int clusters) {
    FairnessTally tally = empty_tally(clusters, window.format());
    for (Slot slot = 0; slot < window.size(); ++slot) tally.add(labels[slot], window.groups(slot));
    return tally;
}

std::string plot_title(const FrontCommandOptions& options, const FrontFigures& figures) {
    const std::string points =
        options.input.generate.empty() ? options.input.input.filename().string() : options.input.generate;
    return points + ": " + counted(static_cast<std::int64_t>(figures.points)) + " points, " +
           std::to_string(options.front.model.clusters) + " clusters, " + fairness_name(options, figures.format);
}

void check_files(const FrontCommandOptions& options) {
    std::vector<std::filesystem::path> inputs{options.input.input, options.input.rows};
    for (const std::string& overlay : options.overlays) inputs.push_back(overlay_file(overlay));
    check_outputs({{"--output", options.report},
                   {"--csv", options.table},
                   {"--plot", options.plot},
                   {"--labels", options.labels}},
                  inputs);
    if (!options.labels.empty() && options.pick.empty())
        throw InvalidInput(Reason::bad_option, "--labels needs --pick: which point's labels?");
    if (!options.overlays.empty() && options.plot.empty())
        throw InvalidInput(Reason::bad_option, "--overlay needs --plot: it is drawn there");
    if (!options.plot.empty()) check_plot_file(options.plot);
}

}  // namespace

int run_front(const FrontCommandOptions& options) {
    // Refuses bad options before a long file is read.
    FrontOptions front_options = command::front_options(options);
    const std::optional<Pick> pick = read_pick(options.pick, options.measure);
    check_files(options);
    std::vector<NamedFront> drawn = read_overlays(options.overlays, options.measure);
    csv::Table table = load_table(options.input);
    front_options.model.attribute = balanced_attributes(options, table.format);
    safairkm::check(front_options, table.format);
    const Window window = window_of(table);
    FrontFigures figures{.format = std::move(table.format), .points = window.size()};
    table = {};
    figures.left_out = safairkm::left_out_groups(front_options, window);
    if (!figures.left_out.empty())
        std::fprintf(stderr, "fairstream front: note: %s\n",
                     left_out_text(front_options.model, figures.format, figures.left_out).c_str());

    const Front front = search(options, front_options, window, figures);
    // A pick that does not exist is reported once all else is written.
    std::optional<InvalidInput> missing;
    try {
        if (pick) figures.picked = find_pick(*pick, front, options.measure);
    } catch (const InvalidInput& error) {
        missing = error;
    }
    if (figures.picked) figures.tally = tally_of(front.labels[*figures.picked], window, front_options.model.clusters);
    FrontCommandOptions resolved = options;
    resolved.front = front_options;
    const std::string json = front_json(resolved, front, figures) + "\n";
    // Printed first, so that it is not lost when a file cannot be written.
    print(options.json ? json : front_summary(resolved, front, figures));
    if (!options.report.empty()) write_file(options.report, json);
    if (!options.table.empty()) write_file(options.table, front_csv(resolved, front, figures));
    if (!options.plot.empty()) {
        drawn.insert(drawn.begin(), {"this front", front.points});
        write_file(options.plot,
                   front_plot(options.plot, plot_title(resolved, figures), options.measure, drawn, figures.picked));
    }
    if (figures.picked && !options.labels.empty()) write_picked_labels(options, front, window, *figures.picked);
    if (missing) throw *missing;
    return figures.stopped ? 1 : 0;
}

}  // namespace fairstream::command
