#pragma once
/// The files that `export` and `salvage` write: the events of a recording as CSV, which `send` and `fit` read, and its
/// configuration.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/files/reader_settings.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/log/event_log.hpp>

namespace fairstream::command {

/// The recording to read, and the files to write. "-" is standard output; an empty path: not written.
struct EventFiles {
    std::filesystem::path recording;
    std::filesystem::path points;       ///< by default standard output, if no other output goes there
    std::filesystem::path events;       ///< the other events
    std::filesystem::path outcomes;     ///< the last outcome of each point
    std::filesystem::path save_config;  ///< the configuration that the recording began with

    [[nodiscard]] bool config_alone() const;  ///< whether only the configuration is given
    [[nodiscard]] std::vector<files::OutputFile> outputs() const;
};

/// The events to write, first and last included.
struct Range {
    Sequence first = 0, last = 0;
};

struct WrittenEvents {
    std::uint64_t events = 0, points = 0, outcomes = 0, others = 0;  ///< `others`: events without points
    std::string send_options;  ///< options with which `send` reads the points back unchanged
};

/// Passes recorded events on in order, until the function returns false.
using EventSource = std::function<void(const std::function<bool(const log::RecordedEvent&)>& each)>;
/// Returns whether an event is written.
using EventFilter = std::function<bool(Sequence, const Event&)>;

/// Returns the files with their default for points, unless only the configuration is written. Throws `InvalidInput`
/// (`files::check_outputs`).
[[nodiscard]] EventFiles checked_files(EventFiles files, bool config_alone);
void write_config(const EventFiles& given, EngineOptions engine, const files::ReaderSettings& reader);
/// Writes the wanted events of `range`.
[[nodiscard]] WrittenEvents write_events(const EventFiles& given, const EngineOptions& engine,
                                         const files::ReaderSettings& reader, Range range, const StopSignals& signals,
                                         const EventSource& source, const EventFilter& is_wanted);
/// Prints on stderr what was written, and how to send it again.
void print_written(const EventFiles& given, const WrittenEvents& written);

/// Returns the help text on the columns.
[[nodiscard]] std::string event_files_help();

}  // namespace fairstream::command
