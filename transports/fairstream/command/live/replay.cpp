#include <fairstream/command/live/replay.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/open_recording.hpp>
#include <fairstream/command/live/replay_report.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/config/settings.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/files/written/output_stream.hpp>
#include <fairstream/options.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

/// Writes an update: its length in bytes (8 bytes, little-endian), then its bytes.
void write_update(files::OutputStream& file, std::span<const std::byte> message) {
    std::array<char, 8> length;
    for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(message.size() >> (8 * i));
    file.write({length.data(), length.size()});
    file.write({reinterpret_cast<const char*>(message.data()), message.size()});
}

/// Delays events to the pace of their times, multiplied by `speed`. Events without a time are not delayed.
class Pace {
public:
    explicit Pace(std::optional<double> speed) : speed_(speed) {}
    void wait(std::int64_t event_time, const StopSignals& signals) {
        if (!speed_ || event_time == 0) return;
        if (first_time_ == 0) first_time_ = event_time, start_ = Clock::now();
        const std::chrono::duration<double, std::micro> after(static_cast<double>(event_time - first_time_) / *speed_);
        const auto due = start_ + std::chrono::duration_cast<Clock::duration>(after);
        // Waits in short pieces, so that a signal soon ends the wait.
        constexpr std::chrono::milliseconds patience{50};
        for (auto now = Clock::now(); now < due && !signals.requested(); now = Clock::now()) {
            std::this_thread::sleep_for(std::min<Clock::duration>(patience, due - now));
        }
    }

private:
    std::optional<double> speed_;
    std::int64_t first_time_ = 0;
    Clock::time_point start_;
};

void write_labels_of(const std::filesystem::path& path, const Engine& engine) {
    const Window& window = engine.window();
    const std::span<const PointId> retained = window.points().ids;
    const std::vector<PointId> ids(retained.begin(), retained.end());
    std::vector<ModelSetup> models = engine.options().models;
    std::erase_if(models, [](const ModelSetup& model) { return !gives_outputs(model.options); });
    std::string text = "id";
    for (const ModelSetup& model : models) text += "," + model.name;
    text += "\n";
    for (const std::size_t slot : files::order_by_id(ids, [&](PointId id) { return engine.id_text(id); })) {
        text += files::id_cell(ids[slot], engine.id_text(ids[slot]));
        for (const ModelSetup& model : models)
            text += "," + (gives_numbers(model.options) ? files::score_text(engine.scores(model.name)[slot])
                                                        : std::to_string(engine.labels(model.name)[slot]));
        text += "\n";
    }
    files::write_file(path, text);
}

/// Returns the configured value that a recorded change overrides; nothing if there is none.
std::optional<std::string> replaced_by(const KnobChange& knob, const EngineOptions& engine) {
    const auto model = std::ranges::find(engine.models, knob.model, &ModelSetup::name);
    if (model == engine.models.end()) return std::nullopt;
    ModelOptions changed = model->options;
    try {
        set_option(changed, knob.option, knob.value);
    } catch (const InvalidInput&) {
        return std::nullopt;  // the replay skips the event
    }
    std::optional<std::string> configured = config::option_text_of(model->options, knob.option);
    return configured == config::option_text_of(changed, knob.option) ? std::nullopt : configured;
}

/// Returns a warning for each option of `engine` that recorded changes override.
std::vector<std::string> override_warnings(const log::EventLog& recording, const EngineOptions& engine) {
    struct Change {
        KnobChange knob;  // last change of the option to a value other than the configured one
        Sequence from = 0, to = 0;
        std::string configured;
    };
    std::vector<Change> changes;
    wire::AlignedMessage message;
    recording.for_each_event(1, [&](const log::RecordedEvent& recorded) {
        const Event event = service::read_event(recorded, message);
        const auto* knob = std::get_if<KnobChange>(&event);
        if (knob == nullptr) return true;
        const std::optional<std::string> configured = replaced_by(*knob, engine);
        if (!configured) return true;
        const auto same = std::ranges::find_if(changes, [&](const Change& change) {
            return change.knob.model == knob->model && change.knob.option == knob->option;
        });
        if (same == changes.end())
            changes.push_back({*knob, recorded.sequence, recorded.sequence, *configured});
        else
            same->knob = *knob, same->to = recorded.sequence;
        return true;
    });
    std::vector<std::string> lines;
    for (const Change& change : changes) {
        const std::string option = change.knob.model + "." + change.knob.option;
        const bool once = change.from == change.to;
        lines.push_back("warning: the recording sets " + option + "=" + change.knob.value + " at event " +
                        std::to_string(change.to) +
                        (once ? "" : " (first changed at event " + std::to_string(change.from) + ")") +
                        ", which overrides the configuration's " + change.configured +
                        "; to leave recorded changes out, add --without-changes");
    }
    return lines;
}

/// Runs a replay. The last run also writes the files, and leaves out recorded changes of options if asked to.
replay::Run play(const ReplayOptions& options, const log::Log& recording, const EngineOptions& engine,
                 const std::string& what, bool is_last, const StopSignals& signals) {
    Progress progress("replaying " + what);
    Pace pace(options.speed);
    std::optional<files::OutputStream> file;
    replay::Hooks hooks;
    hooks.before = [&](std::int64_t event_time) {
        pace.wait(event_time, signals);
        if (signals.requested()) throw std::runtime_error("stopped");
        return true;
    };
    hooks.after = [&](Sequence done, Sequence last, std::uint64_t points) {
        progress.show(static_cast<double>(done) / static_cast<double>(last), counted(points, "point"));
    };
    if (is_last && !options.updates.empty()) {
        file.emplace(options.updates);
        hooks.update = [&](std::span<const std::byte> message) { write_update(*file, message); };
    }
    if (is_last && !options.labels.empty())
        hooks.end = [&](const Engine& at_end) { write_labels_of(options.labels, at_end); };
    const replay::Settings settings{.threads = options.threads, .without_changes = is_last && options.without_changes};
    replay::Run run = replay::run(recording, engine, settings, hooks);
    if (file) file->close();
    return run;
}

}  // namespace

int run_replay(const ReplayOptions& options) {
    if (options.compare && options.config.empty())
        throw InvalidInput(Reason::bad_option, "--compare: needs another configuration; add --config FILE");
    if (options.verify && (options.without_changes || (!options.config.empty() && !options.compare)))
        throw InvalidInput(Reason::bad_option,
                           "--verify: compares with the published updates, so it needs the recorded configuration and "
                           "its changes: leave out --without-changes; with --config, add --compare");
    const std::vector<files::OutputFile> outputs{{"--labels", options.labels}, {"--updates-to", options.updates}};
    files::check_outputs(outputs, {options.recording, options.config});
    StopSignals signals;
    std::optional<EngineOptions> other;
    if (!options.config.empty()) other = config::load(options.config).engine;
    const auto recording = open_for_reading(options.recording);
    const auto handler = signals.poll_for_stop();
    if (other && !options.without_changes)
        for (const std::string& line : override_warnings(*recording, *other))
            std::fprintf(stderr, "fairstream replay: %s\n", printable(line).c_str());
    ReplayReport report{.recording = options.recording.string(),
                        .recorded_level = recording->cpu_level(),
                        .runs = {},
                        .builds = recording->builds()};
    if (!other || options.compare) {
        const bool changed = !other && options.without_changes;
        report.runs.push_back({changed ? "recorded, without changes" : "recorded",
                               play(options, *recording, replay::recorded_options(*recording),
                                    changed ? "without changes" : "as recorded", !other, signals)});
    }
    if (other)
        report.runs.push_back({options.config.stem().string(),
                               play(options, *recording, *other, "with " + options.config.string(), true, signals)});
    print_report(options.json ? replay_json(report) : replay_summary(report), outputs);
    return options.verify && !is_identical(report.runs[0].run) ? 1 : 0;
}

}  // namespace fairstream::command
