#include <fairstream/command/predict/predict_request.hpp>

#include <numeric>
#include <optional>

#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/models.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::command {
namespace {

std::string names_of(const std::vector<AskedModel>& models) {
    std::string names;
    for (const AskedModel& model : models) names += (names.empty() ? "" : ", ") + model.name;
    return names;
}

std::string names_giving(RowKind rows) {
    std::string names;
    for (const ModelKind* kind : model_kinds())
        if (kind->gives(rows)) names += (names.empty() ? "" : ", ") + std::string(kind->name());
    return names;
}

[[noreturn]] void refuse_request(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

/// Returns the model's name, followed by its kind when the two differ.
std::string named(const AskedModel& model) {
    const std::string kind(model.options.kind().name());
    return model.name == kind ? kind : model.name + ", a model of kind " + kind + ",";
}

void refuse_fair(const AskedModel& model, const StreamFormat& format) {
    const ModelKind& kind = model.options.kind();
    if (!kind.assigns_fairly())
        refuse_request("--fair: " + named(model) + " has no fair assignment of new points; leave out --fair; " +
                       model_names_with(&ModelKind::assigns_fairly) + " have one");
    if (format.attributes.empty())
        refuse_request("--fair: the stream of " + model.name +
                       " has no groups, so there are no targets to keep; leave out --fair");
}

}  // namespace

const AskedModel& asked_model(const PredictOptions& options, const std::vector<AskedModel>& models) {
    if (options.model.empty()) {
        if (models.size() == 1) return models[0];
        throw InvalidInput(Reason::unknown_model,
                           options.by + ": has several models; add --model with one of " + names_of(models));
    }
    for (const AskedModel& model : models)
        if (model.name == options.model) return model;
    throw InvalidInput(Reason::unknown_model, "--model " + options.model + ": " + options.by +
                                                  " has no such model; it has " + names_of(models));
}

PredictOptions completed(PredictOptions options, const AskedModel& model, const StreamFormat& format) {
    const ModelKind& kind = model.options.kind();
    if (!gives_outputs(model.options))
        refuse_request(named(model) + " measures groups, and predicts nothing for points");
    const bool numbers = gives_numbers(model.options);
    const std::string rows(options.rows.words().option);
    const std::string gives = model.name + " gives " + (gives_predictions(model.options) ? "predictions" : "scores");
    if (numbers && !options.labels.empty()) refuse_request("--labels: " + gives + ": use --scores");
    if (numbers && !options.rows.empty()) refuse_request(rows + ": " + gives + " and no clusters");
    if (!numbers && !options.scores.empty()) refuse_request("--scores: " + model.name + " clusters: use --labels");
    if (!options.rows.empty() && !kind.gives(options.rows.kind))
        refuse_request(rows + ": " + model.name + " " + options.rows.words().if_model_lacks_it + "; " +
                       names_giving(options.rows.kind) + " does");
    if (options.fair && options.nearest)
        refuse_request("--fair and --nearest ask for different labels: give only one of them");
    if (options.nearest && numbers) refuse_request("--nearest is for clusters: " + gives);
    if (options.fair) refuse_fair(model, format);
    if (options.fair && options.labels.empty() && !options.rows.empty())
        refuse_request("--fair is for labels, but " + rows + " writes no labels; add --labels OUT.csv");
    if (options.labels.empty() && options.scores.empty() && options.rows.empty())
        (numbers ? options.scores : options.labels) = "-";
    if (!options.input.with.empty() && options.labels.empty())
        refuse_request("--with is for labels: " + (numbers ? gives : std::string("add --labels OUT.csv")));
    files::check_other_columns(options.input.with);
    return options;
}

bool has_group_targets(const AskedModel& model, const StreamFormat& format) {
    const std::optional<ClusterTargets> targets = fit::targets_of(model.options);
    if (!targets || format.attributes.empty()) return false;
    return !first_group_option(*targets).empty() || default_parity(*targets, format);
}

bool asks_for_fair_labels(const PredictOptions& options, const AskedModel& model, const StreamFormat& format) {
    if (options.labels.empty() || options.nearest) return false;
    return options.fair || (model.options.kind().assigns_fairly() && has_group_targets(model, format));
}

std::vector<int> needed_attributes(bool fair, const AskedModel& model, const StreamFormat& format) {
    const ModelKind& kind = model.options.kind();
    if (fair) return kind.protected_attributes(model.options);
    if (!kind.needs_groups(model.options)) return {};
    std::vector<int> all(format.attributes.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace fairstream::command
