#include <fairstream/command/live/export.hpp>

#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <fairstream/command/live/open_recording.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::command {
namespace {

/// Throws `InvalidInput` for events outside the recording.
Range range_of(const ExportOptions& options, const log::EventLog& recording) {
    const Sequence oldest = recording.first_sequence(), newest = recording.last_sequence();
    const std::string file = options.recording.string();
    const auto refuse = [&](const std::string& why) { throw InvalidInput(Reason::bad_option, why); };
    if (options.from && options.to && *options.from > *options.to)
        refuse("--from " + std::to_string(*options.from) + " --to " + std::to_string(*options.to) +
               ": the first event must be at most the last");
    for (const auto& [name, given] : {std::pair("--from ", options.from), std::pair("--to ", options.to)}) {
        if (!given) continue;
        const std::string option = name + std::to_string(*given) + ": ";
        if (newest == 0) refuse(option + file + " has no events");
        if (*given > newest) refuse(option + file + " ends with event " + std::to_string(newest));
        if (*given < oldest)
            refuse(option + file + " keeps events from " + std::to_string(oldest) + " on; older events were deleted");
    }
    if (oldest > 1 && !options.from)
        std::fprintf(stderr, "fairstream export: exports events from %s on; older events were deleted earlier\n",
                     std::to_string(oldest).c_str());
    return {options.from.value_or(oldest), options.to.value_or(newest)};
}

}  // namespace

int run_export(const ExportOptions& options) {
    const bool config_alone = options.config_alone() && !options.from && !options.to;
    const EventFiles files = checked_files(options, config_alone);
    StopSignals signals;
    const std::unique_ptr<log::Log> recording = open_for_reading(options.recording);
    const Range range = range_of(options, *recording);
    const EngineOptions engine = replay::recorded_options(*recording);
    const files::ReaderSettings reader = replay::recorded_reader_settings(*recording);
    const auto handler = signals.poll_for_stop();
    if (!files.save_config.empty()) write_config(files, engine, reader);
    if (config_alone) return 0;
    const std::int64_t latest =
        options.leave_out_ahead
            ? now_in_microseconds() + wire::WindowLimits{.max_age = engine.window.max_age}.most_ahead()
            : std::numeric_limits<std::int64_t>::max();
    std::uint64_t events_ahead = 0, points_ahead = 0;
    const WrittenEvents written = write_events(
        files, engine, reader, range, signals, [&](const auto& each) { recording->for_each_event(range.first, each); },
        [&](Sequence, const Event& event) {
            const auto* const batch = std::get_if<PointBatch>(&event);
            if (batch == nullptr || batch->event_time <= latest) return true;
            ++events_ahead;
            points_ahead += batch->size();
            return false;
        });
    print_written(files, written);
    if (events_ahead > 0)
        std::fprintf(stderr, "left out %s with %s: their times are too far ahead of this machine's clock\n",
                     counted(events_ahead, "event").c_str(), counted(points_ahead, "point").c_str());
    return 0;
}

}  // namespace fairstream::command
