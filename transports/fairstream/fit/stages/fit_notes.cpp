#include <fairstream/fit/stages/fit_notes.hpp>

#include <algorithm>
#include <iterator>

#include <fairstream/config/config.hpp>
#include <fairstream/config/settings.hpp>
#include <fairstream/fit/stages/classes_note.hpp>
#include <fairstream/fit/stages/feature_notes.hpp>
#include <fairstream/fit/stages/notes.hpp>
#include <fairstream/input/scale_note.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::fit {
namespace {

/// Returns whether all points are sent in one event.
bool sends_one_event(const FitOptions& options, const ModelOptions& model) {
    const bool by_default = model.kind().about().solves_window || gives_predictions(model);
    return !options.batch && by_default && options.passes.value_or(1) == 1;
}

/// Returns the names of the options set on the command line. An option with a flag of its own counts only if that flag
/// sets nothing else.
std::vector<std::string> named_options(const FitOptions& options) {
    std::vector<std::string> named = names_of_settings(options.settings);
    return named;
}

bool is_named(const FitOptions& options, std::string_view name) {
    return std::ranges::count(names_of_settings(options.settings), name) > 0;
}

/// Returns a note if solving for the last layer takes seconds.
std::vector<std::string> notes_on_width(const ModelOptions& model) {
    constexpr std::size_t most_quick = 1500;  // inputs; the time of a solution grows with their cube
    const std::optional<NetworkUse> use = model.kind().network_use(model);
    if (!use || use->solved_inputs <= most_quick) return {};
    return {"the last layer has " + counted(use->solved_inputs, "input") + ": each solve takes seconds" +
            (use->ks_at_most < 1 ? ", and a search for ks_at_most tries hundreds of them" : "")};
}

/// Returns notes on command-line options without effect, and on a last layer that takes long to solve.
std::vector<std::string> notes_on_options(const FitOptions& options, const ModelOptions& model, bool has_targets) {
    // A saved configuration is for an engine, which makes many steps.
    const OptionScope there = options.input.is_graph()                                         ? OptionScope::anywhere
                              : options.save_config.empty() && sends_one_event(options, model) ? OptionScope::points
                                                                                               : OptionScope::steps;
    const bool may_have_targets = has_targets || !options.save_config.empty();
    std::vector<std::string> notes = idle_notes(model, named_options(options), there, may_have_targets);
    const bool refines_to_the_end = !options.iterations && model.kind().is_refinable();
    if (is_named(options, "effort") && refines_to_the_end && options.save_config.empty())
        notes.push_back(
            "effort has an effect only with --refine-rounds N: without it, clusters are improved at the end until "
            "nothing improves");
    std::ranges::move(notes_on_width(model), std::back_inserter(notes));
    return notes;
}

/// Returns a note if the configuration of the points has a model of this kind with other options. The fit does not use
/// that model's options.
std::vector<std::string> notes_on_config(const FitOptions& options, const ModelOptions& model,
                                         const std::vector<Attribute>& attributes) {
    if (options.input.config.empty()) return {};
    const std::vector<ModelSetup> models = config::load_models(options.input.config);
    const auto same_kind =
        std::ranges::find(models, model_name(model), [](const ModelSetup& setup) { return model_name(setup.options); });
    if (same_kind == models.end()) return {};
    constexpr std::size_t most_named = 6;
    std::vector<std::string> named = named_options(options);
    if (options.clusters) named.emplace_back("clusters");
    if (options.seed) named.emplace_back("seed");
    if (!options.network.empty()) named.emplace_back("network");
    const std::vector<OptionText> here = list_options(model);
    std::vector<std::string> settings;
    for (const OptionText& there : list_options(same_kind->options)) {
        const OptionText* const option = find_option(here, there.name);
        if (option->value == there.value || there.from_file) continue;
        if (std::ranges::any_of(named, [&](const std::string& name) { return there.is_called(name); })) continue;
        const bool is_attribute = there.name == attribute_option;
        settings.push_back(
            "--set " +
            shell_word(there.name + "=" + (is_attribute ? attribute_names(there.value, attributes) : there.value)));
    }
    if (settings.empty()) return {};
    return {options.input.config.string() + ": only [stream] and [prepare] are read; to fit with the options of '" +
            same_kind->name + "' there, add " + files::first_few(settings, most_named, " ")};
}

/// Returns a note on groups with so few points that figures comparing groups are unreliable. Scorers and predictors
/// have no target that leaves such groups out.
std::vector<std::string> notes_on_small_groups(const ModelOptions& model, const files::Table& table) {
    constexpr std::int64_t few = 10;
    constexpr std::size_t most_named = 4, least_points = 100;  // with fewer points all groups are small
    if (table.size() < least_points) return {};
    if (!gives_predictions(model) && model.kind().outputs() != OutputKind::scores) return {};
    const std::size_t a = table.format.attributes.size();
    std::vector<std::string> notes;
    for (const int index : model.kind().protected_attributes(model)) {
        const auto at = static_cast<std::size_t>(index);
        const Attribute& attribute = table.format.attributes[at];
        std::vector<std::int64_t> points(attribute.groups.size());
        for (std::size_t row = 0; row < table.size(); ++row) ++points[table.groups[row * a + at]];
        std::vector<std::string> small;
        for (std::size_t g = 0; g < attribute.known_groups(); ++g)
            if (points[g] < few)
                small.push_back(files::shown(attribute.groups[g]) + " (" + counted(points[g], "point") + ")");
        if (!small.empty())
            notes.push_back("column " + files::shown(attribute.name) + " has groups of few points, " +
                            files::first_few(small, most_named) +
                            ", and all figures compare them: --unknown-group NAME leaves one of them out of the "
                            "comparison");
    }
    return notes;
}

}  // namespace

std::vector<std::string> notes_on_fit(const FitOptions& options, const ModelOptions& model,
                                      const StreamFormat& format) {
    std::vector<std::string> notes = notes_on_options(options, model, format.has_targets);
    if (options.input.groups.size() > 1 && !is_named(options, "attribute"))
        std::ranges::move(notes_on_attributes(model, format.attributes), std::back_inserter(notes));
    std::ranges::move(notes_on_config(options, model, format.attributes), std::back_inserter(notes));
    return notes;
}

std::vector<std::string> notes_on_points(const FitOptions& options, const ModelOptions& model,
                                         const files::Table& table) {
    std::vector<std::string> notes = notes_on_fit(options, model, table.format);
    if (auto note = classes_note(options, model, table)) notes.push_back(std::move(*note));
    std::ranges::move(notes_on_features(options.input, table), std::back_inserter(notes));
    std::ranges::move(notes_on_small_groups(model, table), std::back_inserter(notes));
    // Models of scores or predictions scale their inputs themselves.
    if (!gives_predictions(model) && model.kind().outputs() != OutputKind::scores)
        std::ranges::move(files::notes_on_scales(options.input, table), std::back_inserter(notes));
    return notes;
}

}  // namespace fairstream::fit
