#include <fairstream/fit/fit.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fairstream/config/settings.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/outputs/fit_curve.hpp>
#include <fairstream/fit/outputs/fit_groups.hpp>
#include <fairstream/fit/outputs/fit_job.hpp>
#include <fairstream/fit/stages/fit_notes.hpp>
#include <fairstream/fit/stages/notes.hpp>
#include <fairstream/fit/stages/tau_scan.hpp>
#include <fairstream/models.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::fit {
namespace {

/// Returns the verb of the model for messages: "clusters".
std::string_view verb_for(const ModelOptions& model) {
    if (!gives_outputs(model)) return "measures groups";
    return gives_predictions(model) ? "gives predictions" : gives_numbers(model) ? "gives scores" : "clusters";
}

/// Throws `InvalidInput` for an option of network models that is given with another model.
void refuse_network_options(const FitOptions& options, const ModelOptions& model) {
    for (const auto& [option, given] : {std::pair("--network", !options.network.empty()),
                                        {"--train", options.trains},
                                        {"--save-network", !options.save_network.empty()},
                                        {"--densities", !options.densities.empty()}})
        if (given && !gives_predictions(model))
            throw InvalidInput(Reason::bad_option, std::string(option) +
                                                       " is for models that predict with a network: " + options.model +
                                                       " " + std::string(verb_for(model)));
}

/// Returns the defaults of the model; the error says more when a file name stands in the model's place.
ModelOptions defaults_of(const FitOptions& options) {
    try {
        return default_options(options.model);
    } catch (const InvalidInput& error) {
        std::error_code ignored;
        if (!std::filesystem::exists(options.model, ignored)) throw;
        throw InvalidInput(error.reason(), std::string(error.what()) + "; '" + options.model +
                                               "' is a file: name it with --input " + shell_word(options.model) +
                                               ", after the model");
    }
}

ModelOptions model_options(const FitOptions& options) {
    // The configuration is read for names of attributes only if a setting has any.
    const bool names_attributes = std::ranges::count(names_of_settings(options.settings), attribute_option) > 0;
    ModelOptions model = defaults_of(options);
    refuse_network_options(options, model);
    const auto text = [](const std::optional<std::uint64_t>& number) {
        return number ? std::optional(std::to_string(*number)) : std::nullopt;
    };
    config::apply_settings(model, options.settings,
                           {{"--clusters", "clusters", text(options.clusters)},
                            {"--seed", "seed", text(options.seed)},
                            {"--network", "network",
                             options.network.empty() ? std::nullopt : std::optional("@" + options.network.string())}},
                           names_attributes ? files::attribute_columns(options.input) : std::vector<Attribute>());
    return model;
}

/// Throws `InvalidInput` for an option that the model does not use.
void refuse_foreign_options(const FitOptions& options, const ModelOptions& model) {
    const auto refuse_given = [&](std::string_view option, bool given, bool for_numbers) {
        if (!given || (gives_outputs(model) && for_numbers == gives_numbers(model))) return;
        throw InvalidInput(Reason::bad_option, std::string(option) + " is for models that " +
                                                   (for_numbers ? "give scores or predictions" : "cluster") + ": " +
                                                   options.model + " " + std::string(verb_for(model)));
    };
    refuse_given("--labels", !options.labels.empty(), false);
    refuse_given("--clusters-csv", !options.clusters_csv.empty(), false);
    refuse_given("--probabilities", !options.memberships.empty(), false);
    refuse_given("--scores", !options.scores.empty(), true);
    refuse_given("--split", !options.input.split.empty(), true);
    refuse_given("--curve", options.curve.has_value(), true);
    refuse_given("--plot", !options.plot.empty(), true);
    if (!options.memberships.empty() && !has_memberships(model))
        throw InvalidInput(Reason::bad_option, "--probabilities: " + options.model +
                                                   " gives no probabilities of clusters; " +
                                                   model_names_with(&ModelKind::has_memberships) + " does");
    if (options.iterations.value_or(0) != 0 && !model.kind().is_refinable())
        throw InvalidInput(Reason::bad_option, "--refine-rounds: " + options.model + " cannot be refined");
}

/// Throws `InvalidInput` for true classes that the model would see as groups or weights. Reading the file refuses them
/// as features.
void refuse_seen_classes(const files::InputOptions& input) {
    const auto refuse = [&](std::string_view option) {
        throw InvalidInput(Reason::bad_option, "--target " + input.classes + " is the column of " +
                                                   std::string(option) +
                                                   ", which the model sees: it must not see the true classes");
    };
    if (input.classes.empty()) return;
    if (std::ranges::count(input.groups, input.classes) > 0) refuse("--group");
    if (input.weight == input.classes) refuse("--weight");
}

/// Returns the job for the model's kind of output.
std::unique_ptr<FitJob> job_of(FitOptions options, const ModelOptions& model, Listener& listener) {
    const auto job = !gives_outputs(model)      ? group_job
                     : options.input.is_graph() ? graph_job
                     : gives_predictions(model) ? prediction_job
                     : gives_numbers(model)     ? score_job
                                                : cluster_job;
    return job(std::move(options), model, listener);
}

}  // namespace

FitResult fit(const FitOptions& given, Listener& listener) {
    listener.enter(Listener::Phase::reading);
    // Refuses bad options before reading a long file.
    FitOptions options = given;
    take_tau_scan(options);
    const ModelOptions model = model_options(options);
    const bool takes_targets = gives_numbers(model) || (!gives_outputs(model) && !options.input.target.empty());
    if (!takes_targets) options.input.classes = std::exchange(options.input.target, {});
    refuse_foreign_options(options, model);
    refuse_seen_classes(options.input);
    files::check_other_columns(options.input.with);
    options.input.keeps_unscaled = gives_outputs(model) && !gives_numbers(model);
    if (options.scans_tau) check_tau_scan(options, model);
    if (options.curve && options.curve->empty())
        options.curve = gives_predictions(model) ? usual_means_curve : usual_curve;
    check_save(options);
    options.input.describes = !options.save_config.empty() || !options.save.empty();
    options.input.targets_come_later = !gives_outputs(model);  // a monitor counts the known outcomes
    if (!gives_outputs(model)) read_predictions_alone(model, options.input);
    options.stream = files::load_stream(options.input, takes_targets, listener);
    files::check_outputs(options.outputs(), {options.input.input, options.input.rows, options.input.edges,
                                             options.input.nodes, options.input.config, options.network});
    return job_of(std::move(options), model, listener)->run();
}

}  // namespace fairstream::fit
