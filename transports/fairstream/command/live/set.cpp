#include <fairstream/command/live/set.hpp>

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/console_listener.hpp>
#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/live/described_engine.hpp>
#include <fairstream/config/settings.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/fit/stages/notes.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/described_options.hpp>

namespace fairstream::command {
namespace {

std::string live_options(const wire::ModelDescription& model) {
    std::string names;
    for (const wire::OptionState& option : model.options)
        if (option.live) names += (names.empty() ? "" : ", ") + option.name;
    return names;
}

/// Throws for a change that the engine would refuse, as far as its description tells. Call it before any change is
/// made.
void check_changes(const wire::Description& engine, const std::vector<KnobChange>& changes) {
    for (const KnobChange& change : changes) {
        const wire::ModelDescription& model = model_of(engine, change.model);
        const std::optional<ModelOptions> now = zmq::described_options(model, engine.format);
        if (!now) continue;
        const auto option = std::ranges::find(model.options, change.option, &wire::OptionState::name);
        if (option != model.options.end() && !option->live)
            throw InvalidInput(Reason::bad_option,
                               "option '" + change.option + "' of " + model.name +
                                   " cannot change while the engine runs; options that can: " + live_options(model));
        ModelOptions changed = *now;
        set_option(changed, change.option, change.value);
        now->kind().check_change(*now, changed);
    }
}

/// Warns about targets of a model that the retained points cannot meet.
void warn_of_unattainable(zmq::ControlClient& client, const wire::ModelDescription& model, const ModelOptions& options,
                          const StreamFormat& format) {
    const std::optional<ClusterTargets> targets = fit::targets_of(options);
    if (!targets || format.has_weights) return;  // the check counts points and ignores weights
    const wire::FairnessReport fairness = client.report(model.name).fairness;
    GroupTotals totals;
    for (const wire::AttributeReport& attribute : fairness.attributes()) {
        const std::size_t groups = format.attributes.at(totals.size()).groups.size();
        totals.emplace_back(groups);
        for (std::size_t i = 0; i < attribute.counts.size(); ++i) totals.back()[i % groups] += attribute.counts[i];
    }
    ConsoleListener listener;
    if (fairness.points > 0 && totals.size() == format.attributes.size())
        (void)fit::warn_of_targets(*targets, format, totals, fairness.points, listener);
}

/// Prints which of the set options have no effect because of other options, and which targets cannot be met.
void note_effects(zmq::ControlClient& client, const std::vector<KnobChange>& changes) {
    const std::optional<wire::Description> engine = engine_description(client);
    if (!engine) return;
    for (const wire::ModelDescription& model : engine->models) {
        std::vector<std::string> named;
        for (const KnobChange& change : changes)
            if (change.model == model.name) named.push_back(change.option);
        const bool is_told = std::ranges::none_of(model.options, [](const auto& o) { return o.value == "given"; });
        const std::optional<ModelOptions> options = zmq::described_options(model, engine->format);
        if (named.empty() || !is_told || !options) continue;
        for (const std::string& note : fit::idle_notes(*options, named, OptionScope::steps, engine->format.has_targets))
            print_note(model.name + "." + note);
        warn_of_unattainable(client, model, *options, engine->format);
    }
}

std::string change_json(const KnobChange& change, Sequence sequence) {
    const nlohmann::ordered_json json{
        {"model", change.model}, {"option", change.option}, {"value", change.value}, {"sequence", sequence}};
    return figures::report_line(json) + "\n";
}

}  // namespace

int run_set(const SetOptions& options) {
    require_endpoint("--control", options.control);
    const std::vector<KnobChange> changes = config::read_model_settings(options.settings);
    const zmq::ControlOptions control = control_options(options.control, options.timeout, options.keys);
    zmq::ControlClient client(control);
    if (const std::optional<wire::Description> engine = awaited_description(client, control)) {
        try {
            check_changes(*engine, changes);
        } catch (const InvalidInput& error) {
            if (changes.size() == 1) throw;
            throw InvalidInput(error.reason(), error.what() + std::string("; none of the changes was made"));
        }
    }
    std::string made;
    for (const KnobChange& change : changes) {
        const std::string setting = change.model + "." + change.option;
        try {
            const Sequence sequence = client.set_option(change);
            print(options.json ? change_json(change, sequence)
                               : setting + " = " + change.value + " from event " + std::to_string(sequence) + " on\n");
        } catch (const zmq::ControlRefused& refusal) {
            throw InvalidInput(refusal.reason(),
                               refusal.what() + (made.empty() ? "" : "; changes already made, and kept: " + made));
        } catch (const zmq::ControlTimeout& timeout) {
            throw zmq::ControlTimeout(timeout.what() + std::string("; it is not known whether ") + setting +
                                      " is changed or will be: fairstream status shows it");
        }
        made += (made.empty() ? "" : ", ") + setting + "=" + change.value;
    }
    note_effects(client, changes);
    return 0;
}

}  // namespace fairstream::command
