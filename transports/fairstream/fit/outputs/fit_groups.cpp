#include <fairstream/fit/outputs/fit_groups.hpp>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include <fairstream/config/settings.hpp>
#include <fairstream/figures/group_figures.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/fit/outputs/fit_job.hpp>
#include <fairstream/fit/stages/fit_notes.hpp>
#include <fairstream/fit/stages/fit_stream.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

Judgement judge_bounds(const GroupMetrics& metrics) {
    const auto is_any = [&](BoundStatus status) {
        return std::ranges::any_of(metrics.attributes, [&](const AttributeMetrics& attribute) {
            return attribute.parity == status || attribute.odds == status;
        });
    };
    return {is_any(BoundStatus::left) ? target_missed : is_any(BoundStatus::unmeasured) ? met_in_part : 0};
}

/// Turns a column of words for no and yes, read as 0 and 1, into a column of numbers, as predictions must be.
void make_truth_column_numeric(FitOptions& options, const std::string& prediction, StreamFormat& format) {
    if (!options.stream || !options.stream->file) return;
    const auto column = std::ranges::find(format.columns, prediction, &FeatureColumn::name);
    if (column == format.columns.end() || column->levels.size() != 2 || column->may_be_missing) return;
    const auto at = static_cast<std::size_t>(column - format.columns.begin());
    ColumnPreparation& preparation = options.stream->prepare.columns.at(at);
    if (preparation.encoding != Encoding::ordinal || preparation.scale != Scale::none) return;
    if (!options.save_config.empty())
        throw InvalidInput(Reason::bad_option, "--save-config: an engine takes predictions as numbers, but column '" +
                                                   prediction + "' has " + column->levels[0] + " and " +
                                                   column->levels[1] + ": write 0 and 1 in the file");
    column->levels.clear();
    options.stream->format.columns.at(at).levels.clear();
    preparation = {};
}

/// Notes that all predictions lie on one side of the threshold.
void note_one_sided_predictions(const ModelOptions& model, const files::Table& table, const std::string& prediction,
                                Listener& listener) {
    const auto column = std::ranges::find(table.format.columns, prediction, &FeatureColumn::name);
    const auto& options = model.get<group_metrics::Options>();
    if (column == table.format.columns.end() || table.size() == 0) return;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = static_cast<std::size_t>(column - table.format.columns.begin()); i < table.features.size();
         i += table.format.dimensions) {
        least = std::min(least, table.features[i]);
        most = std::max(most, table.features[i]);
    }
    // Scores outside [0, 1] are no probabilities; their usual threshold is 0.
    const bool are_no_probabilities = least < 0 || most > 1;
    if (options.threshold > 0 && options.threshold <= 1 && are_no_probabilities && least < options.threshold)
        listener.note("predictions go from " + brief(least) + " to " + brief(most) +
                      ", but threshold=" + brief(options.threshold) +
                      " is meant for 0 to 1: --set threshold=X sets the value from which predictions are "
                      "positive");
    if (least < options.threshold && most >= options.threshold) return;
    listener.note("all predictions, from " + brief(least) + " to " + brief(most) + ", are " +
                  (least >= options.threshold ? "at least" : "below") + " threshold=" + brief(options.threshold) +
                  ": --set threshold=X sets the value from which predictions are positive");
}

/// Throws if outcomes are numbers, and none of them is known to mean yes.
void require_outcomes(const FitOptions& options, const files::Table& table) {
    const auto other =
        std::ranges::find_if(table.targets, [](double y) { return std::abs(y) != 1 && y != 0 && !std::isnan(y); });
    if (other == table.targets.end() || options.input.target.empty()) return;
    throw InvalidInput(Reason::bad_feature, "target column " + files::shown(options.input.target) +
                                                " has numbers other than 0 (or -1) and 1, such as " + brief(*other) +
                                                ": name the number that means yes with --positive VALUE");
}

class GroupJob final : public FitJob {
public:
    using FitJob::FitJob;

protected:
    void load() override {
        table_ = load_streamed(options_, listener_);
        make_truth_column_numeric(options_, prediction_, table_.format);
        if (table_.format.columns.empty() && table_.feature_names.size() == table_.format.dimensions)
            for (const std::string& name : table_.feature_names) table_.format.columns.push_back({name});
        listener_.notes(notes_on_fit(options_, model_, table_.format));
        note_one_sided_predictions(model_, table_, prediction_, listener_);
        require_outcomes(options_, table_);
    }
    void fit(FitStop& stop) override {
        Engine engine(engine_options(options_, model_, table_), options_.threads);
        saved_ = new_saved();
        FitFigures figures;
        figures.saved = saved_.get();
        stream(options_, table_, engine, stop.progress_of("measuring " + options_.input.name()), figures);
        if (engine.window().size() == 0) stop.end_without_result();
        metrics_ = engine.report(options_.model).group_metrics();
        retained_ = engine.window().size();
        capacity_ = engine.window().capacity();
        if (saved_) saved_->save_state(engine, stop.stopped());
        if (!options_.save_config.empty() && !options_.window)
            listener_.note("the saved monitor retains " + counted(static_cast<std::int64_t>(capacity_)) +
                           " points, as many as the file has, and ignores an outcome whose point has left the window: "
                           "--window N retains more");
    }
    [[nodiscard]] std::optional<Slot> capacity() const override { return capacity_; }
    [[nodiscard]] std::string json() const override {
        ordered_json json = {{"model", options_.model}, {"points", retained_}, {"stopped", stopped_}};
        json.update(figures::group_metrics_json(metrics_));
        add_setup(options_, model_, table_.format.attributes, json);
        return figures::report_text(json);
    }
    [[nodiscard]] std::string summary() const override {
        return options_.model + " of " + prediction_ + " in " + options_.input.name() + ": " +
               counted(static_cast<std::int64_t>(retained_)) + " points" +
               (options_.stream && options_.stream->positive
                    ? ", " + files::shown(*options_.stream->positive) + " of " + options_.input.target + " is positive"
                    : "") +
               stopped_text(stopped_) + "\n\n" + figures::group_tables(metrics_);
    }
    [[nodiscard]] Judgement judge() const override { return judge_bounds(metrics_); }

private:
    const std::string prediction_ = config::option_text_of(model_, "prediction").value_or("");
    files::Table table_;
    GroupMetrics metrics_;
    std::size_t retained_ = 0;
    Slot capacity_ = 0;
};

}  // namespace

void read_predictions_alone(const ModelOptions& model, files::InputOptions& input) {
    if (input.scales())
        throw InvalidInput(Reason::bad_option, (input.unit_rows ? "--unit-rows" : input.column_scaling()) + ": " +
                                                   std::string(model.kind().name()) +
                                                   " measures predictions as they are: leave it out");
    const std::string prediction = config::option_text_of(model, "prediction").value_or("");
    const bool is_file = !input.input.empty() && input.config.empty();
    if (is_file && input.features.empty() && !prediction.empty()) input.features = {prediction};
    if (is_file) input.prediction = prediction;
}

std::unique_ptr<FitJob> group_job(FitOptions options, ModelOptions model, Listener& listener) {
    return std::make_unique<GroupJob>(std::move(options), std::move(model), listener);
}

}  // namespace fairstream::fit
