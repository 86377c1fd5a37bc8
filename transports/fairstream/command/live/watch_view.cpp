#include <fairstream/command/live/watch_view.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/figures/condition.hpp>
#include <fairstream/figures/front_table.hpp>
#include <fairstream/figures/group_figures.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/outcome_text.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/figures/score_figures.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/stages/group_columns.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::command {
namespace {

std::string number(std::uint64_t value) {
    return counted(static_cast<std::int64_t>(value));
}

/// Returns a line about late points, if there are any, and a line about drift, if there is any.
std::string condition_lines(const wire::Condition& condition) {
    std::string lines;
    for (const std::string& line : {figures::late_text(condition), figures::drift_text(condition)})
        if (!line.empty()) lines += line + "\n";
    return lines;
}

template <class Subscriber> std::string heading(const std::string& model, const std::string& waiting_for, bool is_gone,
                                                const std::string& ended, const Subscriber& subscriber,
                                                std::size_t points) {
    const bool waits =
        ended.empty() && (is_gone || (!subscriber.consistent() && !subscriber.recording() && points == 0));
    // A snapshot may arrive before the first update, which gives the newest event.
    const std::string state = !ended.empty()            ? "\x1b[31mended\x1b[0m"
                              : is_gone                 ? "\x1b[31mno engine\x1b[0m"
                              : subscriber.consistent() ? "\x1b[32mlive\x1b[0m"
                              : subscriber.recording()  ? "\x1b[33mlagging\x1b[0m"
                              : points > 0              ? "\x1b[33mnot confirmed yet\x1b[0m"
                                                        : "\x1b[33mwaiting\x1b[0m";
    return "\x1b[1m" + model + "\x1b[0m  event " + number(subscriber.sequence()) + "  " + counted(points, "point") +
           "  " + state + "\n" + (waits ? waiting_for + "\n" : condition_lines(subscriber.condition()));
}

/// The range of a small plot.
struct PlotRange {
    double low = 0, high = 0;
};

/// Returns a range around the values. It is at least a tenth of the largest magnitude and at least `least` wide, so
/// that noise looks flat. The range does not go below 0 unless a value does.
PlotRange plot_range(const std::deque<double>& values, double least) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double narrowest = std::max(0.1 * std::max(std::abs(*low), std::abs(*high)), least);
    const double missing = std::max(0.0, narrowest - (*high - *low));
    const double shift = *low >= 0 ? std::min(missing / 2, *low) : missing / 2;
    return {*low - shift, *high + missing - shift};
}

/// Returns the values as blocks of eight heights, followed by the range from the lowest block to the highest. If the
/// values take more than `room` columns, only the newest are shown.
std::string trend_line(const std::deque<double>& values, double least, std::size_t room) {
    constexpr std::array<const char*, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (values.empty()) return "";
    const PlotRange range = plot_range(values, least);
    const std::string scale = "  " + brief(range.low) + " to " + brief(range.high);
    const std::size_t shown = std::min(values.size(), room > width(scale) ? room - width(scale) : 1);
    std::string line;
    for (auto at = values.end() - static_cast<std::ptrdiff_t>(shown); at != values.end(); ++at) {
        const double value = *at;
        const double share = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.0;
        line += blocks[std::min<std::size_t>(7, static_cast<std::size_t>(std::max(0.0, share) * 8))];
    }
    return line + scale;
}

// Least widths of the ranges of plots: for costs, and for shares and distances in [0, 1].
constexpr double least_of_costs = 0, least_of_shares = 0.02;

void append(std::deque<double>& values, double value) {
    constexpr std::size_t longest = 48;
    values.push_back(value);
    if (values.size() > longest) values.pop_front();
}

/// Returns "0.0312 to 0.0745".
std::string interval_text(const Interval& interval) {
    return fixed(interval.low) + " to " + fixed(interval.high);
}

/// Returns a table of cost, churn, fairness, the model's own figures, and the outcome of its last step.
std::string figures_table(const wire::FairnessReport& report, const std::optional<ScoreIntervals>& intervals,
                          const LiveTable::Trend& trend) {
    std::vector<std::vector<std::string>> rows{{"cost", cost_text(report.cost), ""},
                                               {"churn", fixed(report.churn), ""}};
    std::size_t fairness_row = 0;  // 0: no such row
    std::string done = counted(report.iterations, "iteration");
    if (const ScoreFairness* scores = report.scores()) {
        fairness_row = rows.size();
        rows.push_back({"statistical parity gap", fixed(scores->sp), ""});
        if (intervals) rows.push_back({"95 % interval, last step", interval_text(intervals->sp), ""});
    } else if (const PredictionFairness* predictions = report.predictions()) {
        fairness_row = rows.size();
        rows.push_back({"KS distance of groups", fixed(predictions->ks), ""});
        rows.push_back({"expected by chance", fixed(predictions->ks_by_chance), ""});
    } else {
        if (!report.attributes().empty()) {
            fairness_row = rows.size();
            rows.push_back({"balance", fixed(report.attributes().front().balance), ""});
        }
        done = counted(report.moves, "move") + ", " + counted(report.swaps, "swap");
    }
    for (const wire::NamedFigure& figure : report.figures)
        rows.push_back({words_of(figure.name), figure_text(figure.value, figure.unit), ""});
    rows.push_back({"step", figures::outcome_text(report), done});
    std::size_t names = 0, values = 0;
    for (const auto& row : rows) names = std::max(names, width(row[0])), values = std::max(values, width(row[1]));
    constexpr std::size_t blanks = 6;  // before and between the columns
    const std::size_t used = names + values + blanks, columns = screen_columns();
    const std::size_t room = columns > used ? columns - used : 0;
    rows[0][2] = trend_line(trend.cost, least_of_costs, room);
    rows[1][2] = trend_line(trend.churn, least_of_shares, room);
    if (fairness_row > 0) rows[fairness_row][2] = trend_line(trend.fairness, least_of_shares, room);
    return table(rows, "lrl");
}

std::string attribute_table(const std::vector<wire::AttributeReport>& attributes) {
    std::vector<std::vector<std::string>> rows{
        {"", "balance", "average", "possible", "parity", "possible", "worst gap"}};
    for (const wire::AttributeReport& attribute : attributes) {
        rows.push_back({attribute.attribute, fixed_down(attribute.balance), fixed(attribute.average_balance),
                        fixed_down(attribute.best_balance), fixed_down(attribute.parity),
                        fixed_down(attribute.best_parity), fixed(attribute.worst_gap)});
    }
    return table(rows);
}

/// Returns the attribute of that name; null when the format is unknown, or its attribute has another number of groups.
const Attribute* find_attribute(const std::optional<wire::Description>& description,
                                const wire::AttributeReport& report, std::size_t groups) {
    if (!description) return nullptr;
    const auto found = std::ranges::find(description->format.attributes, report.attribute, &Attribute::name);
    return found != description->format.attributes.end() && found->groups.size() == groups ? &*found : nullptr;
}

/// Returns the headings of `cluster_table`. Groups appear by number if `named` is null.
std::vector<std::string> cluster_headings(const wire::AttributeReport& attribute, std::size_t groups,
                                          const fit::GroupColumns& columns, const Attribute* named) {
    const bool weighted = !attribute.weights.empty();
    std::vector<std::string> headings{"cluster", "points"}, names;
    if (weighted) headings.emplace_back("weight");
    headings.emplace_back("share");
    for (std::size_t g = 0; g < groups; ++g) {
        const bool unknown = attribute.known > 0 && g >= attribute.known;
        const std::string name = named != nullptr ? named->groups[g] : std::to_string(g);
        names.push_back(printable(attribute.attribute + " " + name) + (unknown ? " (unknown)" : ""));
    }
    columns.add_headings(names, weighted ? " (weight)" : "", headings);
    return headings;
}

/// Returns a table with a row for each cluster: its points, and how many of them are in each group of the first
/// attribute. In a stream with weights, shares and groups are sums of weights.
std::string cluster_table(const wire::AttributeReport& attribute, std::size_t clusters, std::size_t most_rows,
                          const std::optional<wire::Description>& description) {
    const std::size_t groups = attribute.counts.size() / clusters;
    const std::vector<double>& weights = attribute.weights;
    const auto sum = [](const auto& values) { return std::accumulate(values.begin(), values.end(), 0.0); };
    const double total = weights.empty() ? sum(attribute.counts) : sum(weights);
    std::vector<double> totals(groups);
    for (std::size_t i = 0; i < attribute.counts.size(); ++i)
        totals[i % groups] += weights.empty() ? static_cast<double>(attribute.counts[i]) : weights[i];
    const fit::GroupColumns columns(totals);
    std::vector<std::vector<std::string>> rows{
        cluster_headings(attribute, groups, columns, find_attribute(description, attribute, groups))};
    for (std::size_t c = 0; c < std::min(clusters, most_rows); ++c) {
        const auto counts = std::span(attribute.counts).subspan(c * groups, groups);
        std::vector<std::string>& row = rows.emplace_back();
        row = {std::to_string(c), counted(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}))};
        const auto of_cluster =
            std::span(weights).subspan(weights.empty() ? 0 : c * groups, weights.empty() ? 0 : groups);
        const double mass = weights.empty() ? sum(counts) : sum(of_cluster);
        if (!weights.empty()) row.push_back(fixed(mass));
        row.push_back(fixed(total > 0 ? 100 * mass / total : 0, 1) + " %");
        if (weights.empty())
            columns.add_cells(counts, row);
        else
            columns.add_cells(of_cluster, row);
    }
    return table(rows) + (clusters > most_rows ? "  ... " + std::to_string(clusters - most_rows) + " more\n" : "");
}

/// Returns as much of the table of clusters as fits on the screen below `above`.
std::string clusters_that_fit(const wire::FairnessReport& report, std::size_t clusters, const std::string& above,
                              const std::optional<wire::Description>& description) {
    if (clusters == 0 || report.attributes().empty()) return "";
    const auto used = static_cast<std::size_t>(std::count(above.begin(), above.end(), '\n')) + 4;
    const std::size_t rows = screen_rows();
    return rows > used ? "\n" + cluster_table(report.attributes().front(), clusters, rows - used, description) : "";
}

/// Returns a table of all figures of scores, with their intervals if there are any.
std::string score_table(const ScoreFairness& scores, const std::optional<ScoreIntervals>& intervals) {
    std::vector<std::vector<std::string>> rows{
        {"", "at the threshold", "group AUC", "opportunity", "odds", "tail", "overall", "accuracy", "AUC"},
        {"", fixed(scores.dp), fixed(scores.gauc), fixed(scores.eop), fixed(scores.eod), fixed(scores.tail_gap),
         fixed(scores.overall_gap), fixed(scores.accuracy), fixed(scores.auc)}};
    if (const auto& in = intervals)
        for (double Interval::*const end : {&Interval::low, &Interval::high})
            rows.push_back({end == &Interval::low ? "95 % from" : "to", fixed(in->dp.*end), fixed(in->gauc.*end),
                            fixed(in->eop.*end), fixed(in->eod.*end), fixed(in->tail_gap.*end),
                            fixed(in->overall_gap.*end), fixed(in->accuracy.*end), fixed(in->auc.*end)});
    return table(rows);
}

std::string line_of(const std::string& text) {
    return text.empty() ? "" : text + "\n";
}

std::string prediction_table(const PredictionFairness& predictions) {
    return table({{"", "squared error", "Wasserstein", "gap of means"},
                  {"", predictions.mse ? cost_text(*predictions.mse) : "-", cost_text(predictions.wasserstein),
                   cost_text(predictions.mean_gap)}});
}

}  // namespace

std::string lost_events_text(const zmq::LostEvents& lost) {
    return "events are missing from the engine's recording: event " + number(lost.known) +
           " was published, but the engine now has different events, or fewer";
}

void LiveTable::note(const zmq::FairnessUpdate& update) {
    const wire::FairnessReport& report = update.report;
    append(trend_.cost, report.cost);
    append(trend_.churn, report.churn);
    if (const ScoreFairness* scores = report.scores()) {
        append(trend_.fairness, scores->sp);
        if (scores->intervals) intervals_ = scores->intervals;
    } else if (const PredictionFairness* predictions = report.predictions())
        append(trend_.fairness, predictions->ks);
    else if (const GroupMetrics* groups = report.groups()) {
        if (const GroupComparison* largest = largest_comparison(*groups, &AttributeMetrics::demographic_parity))
            append(trend_.fairness, largest->difference);
    } else if (!report.attributes().empty())
        append(trend_.fairness, report.attributes().front().balance);
}

void LiveTable::note(const zmq::LostEvents& lost) {
    lost_ = lost_events_text(lost);
}

bool LiveTable::is_due(bool now) {
    const auto time = std::chrono::steady_clock::now();
    if (!now && time < next_) return false;
    next_ = time + std::chrono::milliseconds(100);
    return true;
}

void LiveTable::draw(std::string text) {
    if (!lost_.empty()) text = "\x1b[31m" + lost_ + "\x1b[0m\n" + text;
    constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
    text = fit_to_screen(text, screen_columns(), ended_.empty() ? screen_rows() : any);
    if (!ended_.empty()) text += "\n" + ended_ + "\n";
    print((lines_ > 0 ? "\x1b[" + std::to_string(lines_) + "A\r" : "") + "\x1b[J" + text);
    lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

template <class T> void LiveTable::show(const zmq::Subscriber<T>& subscriber, bool now) {
    if (!is_due(now)) return;
    const auto& figures = subscriber.fairness();
    std::size_t points = subscriber.outputs().size();
    if (std::same_as<T, NoOutput> && figures)
        points = static_cast<std::size_t>(std::max<std::int64_t>(figures->report.points, 0));
    std::string text = heading(model_, waiting_for_, is_gone_, ended_, subscriber, points);
    if (description_) text += "recording " + printable(description_->recording) + "\n";
    if (const GroupMetrics* groups = figures ? figures->report.groups() : nullptr) {
        constexpr std::size_t most_groups_in_full = 64;
        const std::size_t rows = screen_rows();
        const std::string what = "demographic parity difference  ";
        const std::size_t columns = std::max(screen_columns(), what.size());
        if (const std::string bounds = figures::bounds_text(*groups); !bounds.empty()) text += "\n" + bounds + "\n";
        text += "\n" + what + trend_line(trend_.fairness, least_of_shares, columns - what.size()) + "\n\n";
        text +=
            figures::group_tables(*groups, ended_.empty() ? std::max<std::size_t>(4, rows / 4) : most_groups_in_full);
    } else if (figures) {
        const wire::FairnessReport& report = figures->report;
        text += "\n" + figures_table(report, intervals_, trend_) + "\n";
        if (const ScoreFairness* scores = report.scores())
            text += score_table(*scores, intervals_) + line_of(figures::missing_classes_text(*scores));
        else if (const PredictionFairness* predictions = report.predictions())
            text += prediction_table(*predictions);
        else
            text += attribute_table(report.attributes());
        if (const auto& front = subscriber.front()) text += "\n" + figures::front_table(front->report.points);
        if (const auto& clusters = subscriber.clusters())
            text += clusters_that_fit(report, clusters->report.clusters, text, description_);
    }
    draw(std::move(text));
}

#define FAIRSTREAM_INSTANTIATE(T) template void LiveTable::show(const zmq::Subscriber<T>&, bool);
FAIRSTREAM_EACH_POINT_OUTPUT(FAIRSTREAM_INSTANTIATE)
FAIRSTREAM_INSTANTIATE(NoOutput)
#undef FAIRSTREAM_INSTANTIATE

}  // namespace fairstream::command
