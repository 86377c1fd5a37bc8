#include <fairstream/command/live/check.hpp>

#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include <fairstream/base/hexadecimal.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/open_recording.hpp>
#include <fairstream/command/live/replay_report.hpp>
#include <fairstream/command/live/serve.hpp>
#include <fairstream/command/live/unclosed_log.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/cells/times.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/stages/notes.hpp>
#include <fairstream/options.hpp>
#include <fairstream/service/service.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::command {
namespace {

using log::RecordingError;
using nlohmann::ordered_json;

std::string model_list(const EngineOptions& engine) {
    std::string models;
    for (const ModelSetup& model : engine.models) models += (models.empty() ? "" : ", ") + model.name;
    return models;
}

void add_models(const EngineOptions& engine, ordered_json& json) {
    for (const ModelSetup& model : engine.models)
        json["models"].push_back({{"model", model.name}, {"kind", model_name(model.options)}});
}

std::string check_config(const CheckOptions& options) {
    const config::ProcessOptions process = config::load_process(options.config);
    check_process(process);
    const EngineOptions& engine = process.engine;
    const bool has_engine = !config::is_without_engine(process);
    print_notes(fit::idle_notes(engine));
    if (options.json) {
        ordered_json json = {{"config", options.config.string()},
                             {"valid", true},
                             {"features", engine.format.dimensions},
                             {"models", ordered_json::array()}};
        add_models(engine, json);
        return figures::report_text(json) + "\n";
    }
    if (!has_engine)
        return options.config.string() +
               ": in order; it has no [stream] and no models, so fairstream serve takes them from the recording\n";
    return options.config.string() + ": in order; " + counted(engine.format.dimensions, "feature") + ", " +
           counted(engine.format.attributes.size(), "protected attribute") + ", models: " + model_list(engine) + "\n";
}

/// Counts of a recording's contents, found by reading every message.
struct Content {
    Sequence first = 0, last = 0;  ///< events; 0: none
    std::uint64_t events = 0, batches = 0, points = 0, knobs = 0, refinements = 0, outcomes = 0, outcome_events = 0,
                  removals = 0, bytes = 0;
    std::map<std::string, std::uint64_t> producers;  ///< events of each producer
};

void count(const Event& event, Content& content) {
    if (const auto* batch = std::get_if<PointBatch>(&event)) {
        ++content.batches;
        content.points += batch->size();
    } else {
        content.knobs += std::holds_alternative<KnobChange>(event);
        content.refinements += std::holds_alternative<Refinement>(event);
        if (const auto* outcomes = std::get_if<Outcomes>(&event))
            content.outcomes += outcomes->size(), ++content.outcome_events;
        content.removals += std::holds_alternative<PointRemoval>(event);
    }
}

Content read_events(const log::EventLog& recording) {
    Progress progress("reading events");
    Content content;
    wire::AlignedMessage message;
    recording.for_each_event(
        recording.first_sequence(),
        [&](const log::RecordedEvent& event) {
            try {
                message.assign(event.message);
                count(std::get<wire::EventMessage>(wire::read_ingest_request(message)).event, content);
            } catch (const std::exception& error) {
                throw RecordingError("event " + std::to_string(event.sequence) + " cannot be read: " + error.what());
            }
            if (content.first == 0) content.first = event.sequence;
            content.last = event.sequence;
            ++content.events;
            content.bytes += event.message.size();
            ++content.producers[event.producer];
            progress.show(static_cast<double>(event.sequence) / static_cast<double>(recording.last_sequence()),
                          counted(static_cast<std::int64_t>(event.sequence)));
            return true;
        },
        log::OnDeletion::skip);
    return content;
}

/// Loads the newest checkpoint into an engine; returns its event, or nothing when there is no checkpoint.
std::optional<Sequence> load_checkpoint(const log::CheckpointStore& recording, const EngineOptions& engine) {
    const auto checkpoint = recording.newest_checkpoint();
    if (!checkpoint) return std::nullopt;
    try {
        const Sequence loaded = Engine::load(engine, checkpoint->state).sequence();
        if (loaded == checkpoint->sequence) return loaded;
        throw RecordingError("the checkpoint of event " + std::to_string(checkpoint->sequence) +
                             " holds the state after event " + std::to_string(loaded));
    } catch (const InvalidInput& error) {
        throw RecordingError("the checkpoint of event " + std::to_string(checkpoint->sequence) +
                             " cannot be loaded: " + error.what());
    }
}

std::string as_json(const CheckOptions& options, const log::Log& recording, const EngineOptions& engine,
                    const Content& content, std::optional<Sequence> checkpoint) {
    const std::optional<std::uint64_t> unclosed = recording.unclean_end().events;
    ordered_json json = {
        {"recording", options.recording.string()},
        {"valid", true},
        {"cpu_level", recording.cpu_level()},
        {"first_sequence", content.first},
        {"last_sequence", content.last},
        {"events", content.events},
        {"batches", content.batches},
        {"sent", content.points},
        {"option_changes", content.knobs},
        {"refinements", content.refinements},
        {"outcomes", content.outcomes},
        {"removals", content.removals},
        {"bytes", content.bytes},
        {"events_by_producer", content.producers},
        {"checkpoint", checkpoint ? ordered_json(*checkpoint) : ordered_json()},
        {"refused", recording.refused_count()},
        {"running_hash",
         recording.running_hash() ? ordered_json(hexadecimal(*recording.running_hash())) : ordered_json()},
        {"events_of_unclosed_log", unclosed ? ordered_json(*unclosed) : ordered_json()},
        {"recoveries", ordered_json::array()},
        {"erasures", ordered_json::array()},
        {"models", ordered_json::array()},
        {"refusals", ordered_json::array()}};
    for (const log::Build& build : recording.builds())
        if (build.differs_from > 0)
            json["recoveries"].push_back({{"version", build.version},
                                          {"cpu_level", build.cpu_level},
                                          {"differs_from", build.differs_from},
                                          {"own_updates_from", build.from}});
    for (const log::Erasure& each : recording.erasures())
        json["erasures"].push_back({{"from_recording", hexadecimal(each.from)},
                                    {"erased", each.points},
                                    {"erased_at", files::time_text(each.time)}});
    add_models(engine, json);
    for (const log::Refusal& refusal : recording.refusals()) {
        json["refusals"].push_back({{"producer", refusal.producer},
                                    {"reason", std::string(to_string(refusal.reason))},
                                    {"text", refusal.text}});
    }
    return figures::report_text(json) + "\n";
}

std::string as_text(const CheckOptions& options, const log::Log& recording, const EngineOptions& engine,
                    const Content& content, std::optional<Sequence> checkpoint) {
    const auto number = [](std::uint64_t value) { return counted(static_cast<std::int64_t>(value)); };
    std::vector<std::vector<std::string>> rows;
    rows.push_back({"models", model_list(engine)});
    rows.push_back({"events", content.events == 0 ? "none"
                                                  : number(content.events) + ", numbered " + number(content.first) +
                                                        " to " + number(content.last)});
    rows.push_back({"points", number(content.points) + " in " + counted(content.batches, "batch", "batches")});
    rows.push_back({"other events", counted(content.knobs, "change of an option", "changes of options") + ", " +
                                        counted(content.refinements, "refinement") +
                                        (content.outcomes > 0 ? ", " + counted(content.outcomes, "outcome") + " in " +
                                                                    counted(content.outcome_events, "event")
                                                              : "") +
                                        (content.removals > 0 ? ", " + counted(content.removals, "removal of points",
                                                                               "removals of points")
                                                              : "")});
    // Control requests are recorded as events of a producer of their own, which is not counted.
    const bool has_requests = content.producers.contains(std::string(service::control_producer));
    rows.push_back({"producers", number(content.producers.size() - (has_requests ? 1 : 0))});
    rows.push_back({"checkpoint", checkpoint ? "after event " + number(*checkpoint) + ", can be loaded" : "none yet"});
    rows.push_back({"refused", counted(recording.refused_count(), "message")});
    rows.push_back({"CPU level", recording.cpu_level()});
    const std::optional<std::uint64_t> hash = recording.running_hash();
    rows.push_back(
        {"running hash",
         hash ? hexadecimal(*hash) : "none: an older version wrote the recording, and its first events were deleted"});
    for (const log::Build& build : recording.builds())
        if (build.differs_from > 0) rows.push_back({"recovered", recovery_text(build)});
    for (const log::Erasure& each : recording.erasures())
        rows.push_back({"points erased", "from recording " + hexadecimal(each.from) + " without " +
                                             counted(each.points, "point") + ", " + files::time_text(each.time)});
    if (const std::string left = unclosed_log_text(recording); !left.empty()) rows.push_back({"not closed", left});
    std::string text = options.recording.string() + ": in order\n\n" + table(rows, "ll");
    constexpr std::size_t most_shown = 5;
    const std::vector<log::Refusal> refusals = recording.refusals();
    for (std::size_t i = refusals.size() - std::min(most_shown, refusals.size()); i < refusals.size(); ++i) {
        text += (i + most_shown == refusals.size() || i == 0 ? "\nlast refused:\n" : "") +
                ("  " + std::string(to_string(refusals[i].reason))) + ": " + printable(refusals[i].text) + "\n";
    }
    return text;
}

std::string check_recording(const CheckOptions& options) {
    const std::unique_ptr<log::Log> recording = [&] {
        Progress progress("verifying " + options.recording.string());
        progress.show("");
        return open_for_reading(options.recording);
    }();
    const EngineOptions engine = replay::recorded_options(*recording);
    const Content content = read_events(*recording);
    const std::optional<Sequence> checkpoint = load_checkpoint(*recording, engine);
    return (options.json ? as_json : as_text)(options, *recording, engine, content, checkpoint);
}

}  // namespace

int run_check(const CheckOptions& options) {
    if (options.config.empty() == options.recording.empty()) {
        throw InvalidInput(Reason::bad_option, "name one thing to check: a RECORDING or --config FILE");
    }
    if (options.recording.extension() == ".toml")
        throw InvalidInput(Reason::bad_option,
                           options.recording.string() + " is not a recording; to check a configuration: " +
                               "fairstream check --config " + shell_word(options.recording.string()));
    try {
        print(options.config.empty() ? check_recording(options) : check_config(options));
    } catch (const std::exception& error) {
        if (!options.json) throw;
        const bool is_recording = options.config.empty();
        ordered_json json{
            {is_recording ? "recording" : "config", (is_recording ? options.recording : options.config).string()},
            {"valid", false},
            {"failure", error.what()}};
        print(figures::report_text(json) + "\n");
        throw;
    }
    return 0;
}

}  // namespace fairstream::command
