#include <fairstream/command/fit/fit_groups.hpp>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/fit_stream.hpp>
#include <fairstream/command/fit/model_report.hpp>
#include <fairstream/command/report/group_figures.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

/// Returns the value of the option that names the column of predictions.
std::string prediction_of(const ModelOptions& model) {
    for (const OptionText& option : list_options(model))
        if (option.name == "prediction") return option.value;
    return "";
}

}  // namespace

int fit_groups(const FitOptions& given, const ModelOptions& model, StopSignals& signals) {
    FitOptions options = given;
    const std::string prediction = prediction_of(model);
    // Of a file without a configuration the predictions are all that is read of the features.
    const bool is_named = !options.stream && !prediction.empty() && options.input.generate.empty();
    if (is_named && options.input.features.empty()) options.input.features = {prediction};
    csv::Table table = load_points(options);
    if (table.format.columns.empty() && table.feature_names.size() == table.format.dimensions)
        for (const std::string& name : table.feature_names) table.format.columns.push_back({name});
    GroupMetrics metrics;
    std::size_t retained = 0;
    {
        Progress progress("measuring " + options.input.name());
        const auto show = [&](double share, std::string_view done) { progress.show(share, done); };
        Engine engine(engine_options(options, model, table), options.threads);
        FitFigures figures;
        stream(options, table, engine, show, figures);
        metrics = engine.report(options.model).group_metrics();
        retained = engine.window().size();
    }
    const auto writing = signals.poll_for_stop();
    ordered_json json = {{"model", options.model}, {"n", retained}};
    json.update(group_metrics_json(metrics));
    add_setup(options, model, json);
    write_report(options, json.dump(2, ' ', false, ordered_json::error_handler_t::replace),
                 options.model + " of " + prediction + " in " + options.input.name() + ": " +
                     counted(static_cast<std::int64_t>(retained)) + " points\n\n" + group_tables(metrics));
    return 0;
}

}  // namespace fairstream::command
