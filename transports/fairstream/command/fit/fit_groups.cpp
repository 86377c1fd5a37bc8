#include <fairstream/command/fit/fit_groups.hpp>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/settings.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/fit_notes.hpp>
#include <fairstream/command/fit/fit_stream.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/command/fit/model_report.hpp>
#include <fairstream/command/report/group_figures.hpp>
#include <fairstream/command/report/report_text.hpp>
#include <fairstream/csv/shown.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

int judge_bounds(const GroupMetrics& metrics) {
    const auto is_any = [&](BoundStatus status) {
        return std::ranges::any_of(metrics.attributes, [&](const AttributeMetrics& attribute) {
            return attribute.parity == status || attribute.odds == status;
        });
    };
    return is_any(BoundStatus::left) ? target_missed : is_any(BoundStatus::unmeasured) ? met_in_part : 0;
}

/// Makes a column of words for no and yes, whose cells were read as 0 and 1, one of numbers: of these predictions are.
void take_words_for_numbers(FitOptions& options, const std::string& prediction, StreamFormat& format) {
    if (!options.stream || !options.stream->file) return;
    const auto column = std::ranges::find(format.columns, prediction, &FeatureColumn::name);
    if (column == format.columns.end() || column->levels.size() != 2 || column->may_be_missing) return;
    const auto at = static_cast<std::size_t>(column - format.columns.begin());
    ColumnPreparation& how = options.stream->prepare.columns.at(at);
    if (how.encoding != Encoding::ordinal || how.scale != Scale::none) return;
    if (!options.save_config.empty())
        throw InvalidInput(Reason::bad_option, "--save-config: an engine takes predictions as numbers, and column '" +
                                                   prediction + "' has " + column->levels[0] + " and " +
                                                   column->levels[1] + ": write 0 and 1 for them in the file");
    column->levels.clear();
    options.stream->format.columns.at(at).levels.clear();
    how = {};
}

/// Tells of predictions that are all on one side of the threshold.
void note_one_side(const ModelOptions& model, const csv::Table& table, const std::string& prediction) {
    const auto column = std::ranges::find(table.format.columns, prediction, &FeatureColumn::name);
    const auto& options = model.get<group_metrics::Options>();
    if (column == table.format.columns.end() || table.size() == 0) return;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = static_cast<std::size_t>(column - table.format.columns.begin()); i < table.features.size();
         i += table.format.dimensions) {
        least = std::min(least, table.features[i]);
        most = std::max(most, table.features[i]);
    }
    // Scores of classes, which are no probabilities, are decided at 0.
    const bool are_no_probabilities = least < 0 || most > 1;
    if (options.threshold > 0 && options.threshold <= 1 && are_no_probabilities && least < options.threshold)
        print_note("predictions go from " + brief(least) + " to " + brief(most) +
                   ", and threshold=" + brief(options.threshold) +
                   " is one of 0 to 1: --set threshold=X says from which on they are "
                   "positive");
    if (least < options.threshold && most >= options.threshold) return;
    print_note("all predictions, from " + brief(least) + " to " + brief(most) + ", are " +
               (least >= options.threshold ? "at least" : "below") + " threshold=" + brief(options.threshold) +
               ": --set threshold=X says from which on they are positive");
}

/// Throws for outcomes as numbers that do not say which of them means yes.
void require_outcomes(const FitOptions& options, const csv::Table& table) {
    const auto other =
        std::ranges::find_if(table.targets, [](double y) { return std::abs(y) != 1 && y != 0 && !std::isnan(y); });
    if (other == table.targets.end() || options.input.target.empty()) return;
    throw InvalidInput(Reason::bad_feature, "target column " + csv::shown(options.input.target) +
                                                " has numbers that are not 0 (or -1) and 1, such as " + brief(*other) +
                                                ": name the one that means yes with --positive VALUE");
}

}  // namespace

void read_predictions_alone(const ModelOptions& model, InputOptions& input) {
    if (input.standardise || input.unit_rows)
        throw InvalidInput(Reason::bad_option, std::string(input.standardise ? "--standardise" : "--unit-rows") + ": " +
                                                   std::string(model.kind().name()) +
                                                   " measures predictions as they are: leave it out");
    const std::string prediction = option_text_of(model, "prediction").value_or("");
    const bool is_file = !input.input.empty() && input.config.empty();
    if (is_file && input.features.empty() && !prediction.empty()) input.features = {prediction};
    if (is_file) input.prediction = prediction;
}

int fit_groups(const FitOptions& given, const ModelOptions& model, StopSignals& signals) {
    FitOptions options = given;
    const std::string prediction = option_text_of(model, "prediction").value_or("");
    csv::Table table = load_streamed(options);
    take_words_for_numbers(options, prediction, table.format);
    if (table.format.columns.empty() && table.feature_names.size() == table.format.dimensions)
        for (const std::string& name : table.feature_names) table.format.columns.push_back({name});
    print_notes(notes_on_fit(options, model, table.format));
    note_one_side(model, table, prediction);
    require_outcomes(options, table);
    FitStop stop(signals);
    GroupMetrics metrics;
    std::size_t retained = 0;
    Slot capacity = 0;
    SavedFit saved;
    {
        Progress progress("measuring " + options.input.name());
        Engine engine(engine_options(options, model, table), options.threads);
        FitFigures figures;
        if (!options.save.empty()) figures.saved = &saved;
        stream(options, table, engine, stop.shown_by(progress), figures);
        if (engine.window().size() == 0) stop.end_without_result();
        metrics = engine.report(options.model).group_metrics();
        retained = engine.window().size();
        capacity = engine.window().capacity();
        if (!options.save.empty()) saved.keep_state(engine, stop.stopped());
    }
    const auto writing = signals.poll_for_stop();
    write_config(options, model, capacity);
    if (!options.save_config.empty() && !options.window)
        print_note("the monitor that is saved retains " + counted(static_cast<std::int64_t>(capacity)) +
                   " points, as many as the file has; an outcome that comes when its point is gone counts for nothing: "
                   "--window N retains more");
    if (!options.save.empty()) saved.write(options);
    ordered_json json = {{"model", options.model}, {"points", retained}, {"stopped", stop.stopped()}};
    json.update(figures::group_metrics_json(metrics));
    add_setup(options, model, table.format.attributes, json);
    write_report(options, report_text(json),
                 options.model + " of " + prediction + " in " + options.input.name() + ": " +
                     counted(static_cast<std::int64_t>(retained)) + " points" +
                     (options.stream && options.stream->positive ? ", " + csv::shown(*options.stream->positive) +
                                                                       " of " + options.input.target + " is positive"
                                                                 : "") +
                     stopped_text(stop.stopped()) + "\n\n" + group_tables(metrics));
    return stop.stopped() ? stopped_early : judge_bounds(metrics);
}

}  // namespace fairstream::command
