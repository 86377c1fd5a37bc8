#include <fairstream/command/live/salvage.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/print.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/log/sqlite/salvage.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

using log::sqlite::LostEvents;
using log::sqlite::Salvage;
using nlohmann::ordered_json;

/// Returns the options for reading the events. Throws when they are not known.
config::ProcessOptions process_options(const SalvageOptions& options, const Salvage& salvage) {
    const bool is_readable = !salvage.config().empty();
    if (is_readable && !options.config.empty())
        throw InvalidInput(Reason::bad_option,
                           "--config: the recording's own configuration is undamaged; leave --config out");
    constexpr const char* source = "the recording's configuration";
    if (is_readable) {
        config::ProcessOptions recorded;
        recorded.engine = config::parse_recorded(salvage.config(), source);
        recorded.reader = config::recorded_reader_settings(salvage.config(), source);
        return recorded;
    }
    if (options.config.empty())
        throw log::RecordingError(
            "recording '" + options.recording.string() +
            "': its configuration is damaged, and events cannot be read without one; to read its " +
            counted(salvage.last_sequence(), "event") +
            ", add --config FILE with the configuration that it was served with");
    return config::load(options.config);
}

/// Checks points against a given configuration, which replaces the recording's own.
class GivenFormat {
public:
    GivenFormat(const std::filesystem::path& config, const StreamFormat& format) : config_(config) {
        if (!config.empty()) window_.emplace(format, WindowOptions{.capacity = 1});
    }
    void require(Sequence sequence, const Event& event) const {
        const auto* const batch = std::get_if<PointBatch>(&event);
        if (!window_ || batch == nullptr) return;
        try {
            window_->validate(*batch);
        } catch (const InvalidInput& error) {
            throw InvalidInput(error.reason(), "event " + std::to_string(sequence) + " does not fit the stream of " +
                                                   config_.string() + ": " + error.what());
        }
    }

private:
    std::filesystem::path config_;
    std::optional<Window> window_;
};

std::string lost_text(const std::vector<LostEvents>& lost, const Salvage& salvage) {
    constexpr std::size_t most_named = 10;
    std::vector<std::string> named;
    for (const auto& [first, last] : lost)
        named.push_back(first == last ? std::to_string(first) : std::to_string(first) + " to " + std::to_string(last));
    const bool one = lost.size() == 1 && lost[0].first == lost[0].last;
    std::string text;
    if (!lost.empty())
        text += (one ? "lost, unreadable: event " : "lost, unreadable: events ") + files::first_few(named, most_named) +
                "\n";
    if (!salvage.knows_last_sequence())
        text += "events after " + std::to_string(salvage.last_sequence()) +
                " may be lost, and their number is not known: it cannot be read either\n";
    if (salvage.lacks_log())
        text += "the log beside it, FILE-wal, is missing or cut short: all events after " +
                std::to_string(salvage.last_sequence()) +
                " are lost, and their number is not known; if the recording was renamed, rename its log too: then no "
                "event is lost\n";
    return text.empty() ? "no event is lost\n" : text;
}

std::string as_json(const EventFiles& files, const WrittenEvents& written, const std::vector<LostEvents>& lost,
                    const Salvage& salvage) {
    ordered_json ranges = ordered_json::array();
    for (const auto& [first, last] : lost) ranges.push_back({first, last});
    const bool knows_end = salvage.knows_last_sequence() && !salvage.lacks_log();
    return figures::report_text(
               ordered_json{{"recording", files.recording.string()},
                            {"events", written.events},
                            {"sent", written.points},
                            {"outcomes", written.outcomes},
                            {"lost", std::move(ranges)},
                            {"lost_after", knows_end ? ordered_json() : ordered_json(salvage.last_sequence())}}) +
           "\n";
}

}  // namespace

bool can_be_salvaged(const std::filesystem::path& path) {
    try {
        const Salvage salvage(path);
        return true;
    } catch (const log::RecordingError&) {
        return false;
    }
}

int run_salvage(const SalvageOptions& options) {
    const EventFiles files = checked_files(options, options.config_alone());
    StopSignals signals;
    const Salvage salvage(options.recording);
    const config::ProcessOptions process = process_options(options, salvage);
    const auto handler = signals.poll_for_stop();
    if (!files.save_config.empty()) write_config(files, process.engine, process.reader);
    if (options.config_alone()) return 0;
    const GivenFormat given(options.config, process.engine.format);
    std::vector<LostEvents> lost;
    const WrittenEvents written = write_events(
        files, process.engine, process.reader, {1, salvage.last_sequence()}, signals,
        [&](const auto& each) { lost = salvage.for_each_event(1, each); },
        [&](Sequence sequence, const Event& event) {
            given.require(sequence, event);
            return true;
        });
    if (options.json) {
        print_report(as_json(files, written, lost, salvage), files.outputs());
    } else {
        std::fputs(lost_text(lost, salvage).c_str(), stderr);
        print_written(files, written);
    }
    const bool is_sound = lost.empty() && salvage.knows_last_sequence() && !salvage.lacks_log();
    return written.events == 0 && !is_sound ? 1 : 0;
}

}  // namespace fairstream::command
