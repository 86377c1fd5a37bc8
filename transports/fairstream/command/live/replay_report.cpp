#include <fairstream/command/live/replay_report.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include <fairstream/base/hexadecimal.hpp>
#include <fairstream/figures/condition.hpp>
#include <fairstream/figures/group_figures.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/outcome_text.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/service/update_digest.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;
using replay::ModelRun;
using replay::Sample;

double speed(const replay::Run& run) {
    return run.seconds > 0 ? static_cast<double>(run.points) / run.seconds : 0;
}

ordered_json sample_json(const Sample& sample) {
    ordered_json json = {{"sequence", sample.sequence}, {"sent", sample.points}};
    json.update(figures::figures_json(sample.figures));
    return json;
}

/// Returns "identical", "differs" or "not recorded".
std::string verified(const replay::Verification& verification) {
    if (verification.differs_from > 0) return "differs";
    return verification.compared > 0 ? "identical" : "not recorded";
}

std::string number_text_of(std::uint64_t value) {
    return counted(static_cast<std::int64_t>(value));
}

log::Build this_build() {
    return {0, FAIRSTREAM_VERSION, std::string(cpu_level()), 0};
}

/// Describes how the updates compare with the published updates.
std::string verification_text(const replay::Verification& verification, const std::vector<log::Build>& builds) {
    if (verification.differs_from > 0) {
        const std::string now = service::text_of(this_build());
        const log::Build* const build = log::build_of_event(builds, verification.differs_from);
        const std::string then = build == nullptr ? "an unknown version" : service::text_of(*build);
        return "differ from event " + number_text_of(verification.differs_from) + " on; they were published by " +
               then + (then == now ? ", this version" : "; updates may differ in this version, " + now);
    }
    if (verification.compared == 0) return "not recorded: the version that made the recording kept no digests";
    std::string text = "identical to the published ones, events " + number_text_of(verification.first_compared) +
                       " to " + number_text_of(verification.last_compared);
    if (verification.not_recorded > 0) text += "; not recorded for " + counted(verification.not_recorded, "event");
    return text;
}

/// Describes which recoveries led to updates that differ from the published updates.
std::string recoveries_text(const std::vector<log::Build>& builds) {
    std::string text;
    for (const log::Build& build : builds)
        if (build.differs_from > 0) text += "a recovery " + recovery_text(build) + "\n";
    return text;
}

void add_verification(const replay::Run& run, const std::vector<log::Build>& builds, ordered_json& json) {
    if (!run.verification) return;
    const replay::Verification& verification = *run.verification;
    const bool differs = verification.differs_from > 0;
    const log::Build* const build = differs ? log::build_of_event(builds, verification.differs_from) : nullptr;
    json["verified"] = verified(verification);
    json["compared_events"] = verification.compared;
    json["not_recorded_events"] = verification.not_recorded;
    json["differs_from"] = differs ? ordered_json(verification.differs_from) : ordered_json();
    json["published_by"] = build == nullptr ? ordered_json() : ordered_json(service::text_of(*build));
}

ordered_json run_json(const NamedRun& named, const std::vector<log::Build>& builds) {
    const replay::Run& run = named.run;
    ordered_json json = {
        {"config", named.name},
        {"events", run.events},
        {"left_out", run.left_out},
        {"changes_left_out", run.changes_left_out},
        {"sent", run.points},
        {"seconds", run.seconds},
        {"points_per_second", speed(run)},
        {"digest", hexadecimal(run.digest)},
        {"updates", run.updates},
        {"update_bytes", run.update_bytes},
        {"from_checkpoint", run.from == 0 ? ordered_json() : ordered_json(run.from)},
        {"running_hash", run.running_hash == 0 ? ordered_json() : ordered_json(hexadecimal(run.running_hash))},
        {"models", ordered_json::array()}};
    add_verification(run, builds, json);
    figures::add_condition(run.condition, json);
    for (std::size_t i = 0; i < run.models.size(); ++i) {
        const ModelRun& model = run.models[i];
        ordered_json entry = {{"model", model.name},
                              {"mean_churn", model.mean_churn},
                              {"steps", model.steps},
                              {"moves", model.moves},
                              {"swaps", model.swaps}};
        entry["options"] = figures::options_json(run.options.models[i].options, run.options.format.attributes);
        entry["final"] = model.samples.empty() ? ordered_json() : sample_json(model.samples.back());
        for (const Sample& sample : model.samples) entry["samples"].push_back(sample_json(sample));
        json["models"].push_back(entry);
    }
    return json;
}

/// A model of a run, shown as a column of the tables.
struct Column {
    std::string heading;
    const replay::Run* run;
    const ModelRun* model;
};

std::vector<Column> columns(const ReplayReport& report) {
    std::vector<Column> result;
    for (const NamedRun& named : report.runs) {
        for (const ModelRun& model : named.run.models) {
            if (model.samples.empty() || model.samples.back().figures.groups() != nullptr) continue;
            result.push_back(
                {report.runs.size() == 1 ? model.name : named.name + ": " + model.name, &named.run, &model});
        }
    }
    return result;
}

template <class Value>
std::vector<std::string> row(const std::string& name, const std::vector<Column>& of, Value&& value) {
    std::vector<std::string> cells{name};
    for (const Column& column : of) cells.push_back(value(column));
    return cells;
}

/// Adds rows of the measures of scores; a clustering has "-" in them.
void add_score_rows(const std::vector<Column>& of, std::vector<std::vector<std::string>>& rows) {
    const auto add = [&](const std::string& name, double ScoreFairness::*figure) {
        rows.push_back(row(name, of, [&](const Column& column) -> std::string {
            const ScoreFairness* scores = column.model->samples.back().figures.scores();
            return scores == nullptr ? "-" : fixed(scores->*figure);
        }));
    };
    add("accuracy", &ScoreFairness::accuracy);
    add("AUC", &ScoreFairness::auc);
    add("statistical parity gap", &ScoreFairness::sp);
    add("demographic parity gap", &ScoreFairness::dp);
    add("group AUC gap", &ScoreFairness::gauc);
    add("equal opportunity gap", &ScoreFairness::eop);
    add("equalised odds gap", &ScoreFairness::eod);
}

/// Adds rows of the measures of predictions; other models have "-" in them.
void add_prediction_rows(const std::vector<Column>& of, std::vector<std::vector<std::string>>& rows) {
    const auto add = [&](const std::string& name, auto value_of) {
        rows.push_back(row(name, of, [&](const Column& column) -> std::string {
            const PredictionFairness* predictions = column.model->samples.back().figures.predictions();
            return predictions == nullptr ? "-" : value_of(*predictions);
        }));
    };
    add("squared error", [](const PredictionFairness& p) { return p.mse ? cost_text(*p.mse) : "-"; });
    add("KS distance", [](const PredictionFairness& p) { return fixed(p.ks); });
    add("KS by chance", [](const PredictionFairness& p) { return fixed(p.ks_by_chance); });
    add("Wasserstein distance", [](const PredictionFairness& p) { return cost_text(p.wasserstein); });
    add("gap of means", [](const PredictionFairness& p) { return cost_text(p.mean_gap); });
}

/// Adds rows of the models' own figures; a model without a figure has "-" in its row.
void add_own_rows(const std::vector<Column>& of, std::vector<std::vector<std::string>>& rows) {
    std::vector<std::string> names;
    for (const Column& column : of)
        for (const wire::NamedFigure& figure : column.model->samples.back().figures.figures)
            if (std::ranges::count(names, figure.name) == 0) names.push_back(figure.name);
    for (const std::string& name : names) {
        rows.push_back(row(words_of(name), of, [&](const Column& column) -> std::string {
            const wire::NamedFigure* figure = find_named(column.model->samples.back().figures.figures, name);
            return figure == nullptr ? "-" : figure_text(figure->value, figure->unit);
        }));
    }
}

std::string final_table(const std::vector<Column>& of) {
    const auto last = [](const Column& column) -> const wire::FairnessReport& {
        return column.model->samples.back().figures;
    };
    std::vector<std::vector<std::string>> rows;
    rows.push_back(row("at the end", of, [](const Column& column) { return column.heading; }));
    rows.push_back({"of the last step:"});
    rows.push_back(row("outcome", of, [&](const Column& column) { return figures::outcome_text(last(column)); }));
    rows.push_back(row("cost", of, [&](const Column& column) { return cost_text(last(column).cost); }));
    add_own_rows(of, rows);
    rows.push_back({"of the retained points:"});
    const std::vector<Attribute>& attributes = of[0].run->options.format.attributes;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
        // A warming model has no figures.
        const auto figure = [&, a](const Column& column, auto value) {
            const auto& reports = last(column).attributes();
            return a < reports.size() ? fixed(value(reports[a])) : "-";
        };
        rows.push_back(row("balance, " + attributes[a].name, of, [&](const Column& column) {
            return figure(column, [](const auto& f) { return f.balance; });
        }));
        rows.push_back(row("average balance, " + attributes[a].name, of, [&](const Column& column) {
            return figure(column, [](const auto& f) { return f.average_balance; });
        }));
    }
    if (std::ranges::any_of(of, [&](const Column& column) { return last(column).scores() != nullptr; }))
        add_score_rows(of, rows);
    if (std::ranges::any_of(of, [&](const Column& column) { return last(column).predictions() != nullptr; }))
        add_prediction_rows(of, rows);
    rows.push_back({"of the whole run:"});
    rows.push_back(row("mean churn", of, [](const Column& column) { return fixed(column.model->mean_churn); }));
    rows.push_back(row("moves", of, [](const Column& column) { return counted(column.model->moves); }));
    rows.push_back(row("swaps", of, [](const Column& column) { return counted(column.model->swaps); }));
    return table(rows);
}

/// Returns the cells of cost and of the first attribute's balance, or the KS distance of predictions.
std::array<std::string, 2> stream_cells(const wire::FairnessReport& figures) {
    if (figures.outcome == Outcome::warming) return {"-", "-"};
    if (const PredictionFairness* predictions = figures.predictions())
        return {cost_text(figures.cost), fixed(predictions->ks)};
    const auto& reports = figures.attributes();
    return {cost_text(figures.cost), reports.empty() ? "-" : fixed(reports[0].balance)};
}

/// Returns the sample of a model at an event; null if there is none, for example because the event was left out.
const Sample* sample_at(const ModelRun& model, Sequence sequence) {
    const auto found = std::ranges::find(model.samples, sequence, &Sample::sequence);
    return found == model.samples.end() ? nullptr : &*found;
}

/// Returns a table of cost and balance (or KS distance) over the stream, with a row for each event at which a model has
/// a sample.
std::string stream_table(const std::vector<Column>& of) {
    std::vector<std::vector<std::string>> rows{{"event", "points"}, {"", ""}};
    std::map<Sequence, std::int64_t> points;  // by event, in order
    for (const Column& column : of) {
        rows[0].insert(rows[0].end(), {column.heading, ""});
        const bool predicts = column.model->samples[0].figures.predictions() != nullptr;
        rows[1].insert(rows[1].end(), {"cost", predicts ? "KS" : "balance"});
        for (const Sample& sample : column.model->samples)
            points.emplace(sample.sequence, static_cast<std::int64_t>(sample.points));
    }
    for (const auto& [sequence, sent] : points) {
        std::vector<std::string>& cells = rows.emplace_back();
        cells = {counted(static_cast<std::int64_t>(sequence)), counted(sent)};
        for (const Column& column : of) {
            const Sample* const sample = sample_at(*column.model, sequence);
            if (sample == nullptr)
                cells.insert(cells.end(), {"", ""});
            else
                std::ranges::move(stream_cells(sample->figures), std::back_inserter(cells));
        }
    }
    return table(rows, "") + "  cost describes the last step; balance and KS describe the points retained after it\n";
}

/// Returns the lines about late points and drift in each run.
std::string condition_lines(const ReplayReport& report) {
    std::string lines;
    for (const NamedRun& named : report.runs) {
        const std::string late = figures::late_text(named.run.condition),
                          drift = figures::drift_text(named.run.condition);
        if (!late.empty()) lines += named.name + ": " + late + "\n";
        if (!drift.empty()) lines += named.name + ": " + drift + " (" + std::string(figures::drift_meaning) + ")\n";
    }
    return lines;
}

/// Returns whether all runs prepare features in the same way, so that their costs are comparable.
bool prepares_alike(const ReplayReport& report) {
    const auto differs = [&](const NamedRun& named) {
        return named.run.options.prepare != report.runs[0].run.options.prepare;
    };
    return std::ranges::none_of(report.runs, differs);
}

/// Returns the tables of the models without outputs, as of the end.
std::string groups_text(const ReplayReport& report) {
    std::string text;
    for (const NamedRun& named : report.runs)
        for (const ModelRun& model : named.run.models) {
            const GroupMetrics* groups = model.samples.empty() ? nullptr : model.samples.back().figures.groups();
            if (groups == nullptr) continue;
            const std::string name = report.runs.size() == 1 ? model.name : named.name + ": " + model.name;
            text += "\n" + name + " at the end\n" + figures::group_tables(*groups);
        }
    return text;
}

}  // namespace

std::string recovery_text(const log::Build& build) {
    return "by " + service::text_of(build) + ": from event " + number_text_of(build.differs_from) +
           " on its updates differ from the ones published before; from event " + number_text_of(build.from) +
           " on it published its own";
}

bool is_identical(const replay::Run& run) noexcept {
    return run.verification && run.verification->compared > 0 && run.verification->differs_from == 0;
}

std::string replay_json(const ReplayReport& report) {
    ordered_json json = {{"recording", report.recording},
                         {"recorded_cpu_level", report.recorded_level},
                         {"cpu_level", std::string(cpu_level())},
                         {"runs", ordered_json::array()}};
    if (report.runs.size() > 1) json["costs_in_one_measure"] = prepares_alike(report);
    for (const NamedRun& named : report.runs) json["runs"].push_back(run_json(named, report.builds));
    return figures::report_text(json) + "\n";
}

std::string replay_summary(const ReplayReport& report) {
    const replay::Run& first = report.runs[0].run;
    std::string text =
        report.recording + ": " + counted(first.events, "event") + ", " + counted(first.points, "point") + "\n";
    if (first.from > 0)
        text += "from the checkpoint of event " + number_text_of(first.from) + " on: older events were deleted\n";
    if (first.running_hash != 0)
        text +=
            "running hash after event " + number_text_of(first.last) + ": " + hexadecimal(first.running_hash) + "\n";
    if (first.verification)
        text +=
            "updates: " + verification_text(*first.verification, report.builds) + "\n" + recoveries_text(report.builds);
    if (report.recorded_level != cpu_level()) {
        text += "recorded at CPU level " + report.recorded_level + ", replayed at " + std::string(cpu_level()) +
                ": updates may differ\n";
    }
    std::vector<std::vector<std::string>> runs{{"run", "digest of the updates", "updates", "points/s"}};
    for (const NamedRun& named : report.runs) {
        runs.push_back({named.name, hexadecimal(named.run.digest),
                        counted(static_cast<std::int64_t>(named.run.updates)), rate(speed(named.run))});
        if (named.run.left_out > 0)
            runs.back().push_back(counted(named.run.left_out, "event") +
                                  " left out: models or options that this configuration does not have");
        if (named.run.changes_left_out > 0)
            runs.back().push_back(counted(named.run.changes_left_out, "recorded change") + " of options left out");
    }
    text += "\n" + table(runs, "ll") + condition_lines(report);
    if (!prepares_alike(report))
        text += "costs cannot be compared: these configurations prepare the features differently\n";
    const std::vector<Column> of = columns(report);
    if (!of.empty()) text += "\n" + final_table(of) + "\n" + stream_table(of);
    return text + groups_text(report);
}

}  // namespace fairstream::command
