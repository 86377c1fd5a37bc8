#include <fairstream/command/live/export.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include <fairstream/base/number_text.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/output_stream.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/points_csv.hpp>
#include <fairstream/command/live/replay_report.hpp>
#include <fairstream/csv/csv_cell.hpp>
#include <fairstream/service/recorded_events.hpp>

namespace fairstream::command {
namespace {

using recording::Recording;

/// Returns the line of an event without points.
std::string line_of(Sequence sequence, const Event& event) {
    const std::string number = std::to_string(sequence);
    if (const auto* change = std::get_if<KnobChange>(&event))
        return number + ",option," + csv::csv_cell(change->model) + "," + csv::csv_cell(change->option) + "," +
               csv::csv_cell(change->value) + "\n";
    if (const auto* refinement = std::get_if<Refinement>(&event))
        return number + ",refinement," + csv::csv_cell(refinement->model) + ",rounds," +
               std::to_string(refinement->rounds) + "\n";
    if (const auto* outcomes = std::get_if<Outcomes>(&event)) {
        std::string lines;
        for (std::size_t i = 0; i < outcomes->size(); ++i)
            lines += number + ",outcome,," + std::to_string(outcomes->ids[i]) + "," +
                     number_text(outcomes->targets[i]) + "\n";
        return lines;
    }
    return number + ",expiry,,last_sequence," + std::to_string(std::get<ProducerExpiry>(event).last_sequence) + "\n";
}

/// The events to export, first and last one included.
struct Range {
    Sequence first = 0, last = 0;
};

/// Throws `InvalidInput` for events that the recording does not have.
Range range_of(const ExportOptions& options, const Recording& recording) {
    const Sequence oldest = recording.first_sequence(), newest = recording.last_sequence();
    const std::string file = options.recording.string();
    const auto refuse = [&](const std::string& why) { throw InvalidInput(Reason::bad_option, why); };
    if (options.from && options.to && *options.from > *options.to)
        refuse("--from " + std::to_string(*options.from) + " --to " + std::to_string(*options.to) +
               ": the first event must not be after the last");
    for (const auto& [name, given] : {std::pair("--from ", options.from), std::pair("--to ", options.to)}) {
        if (!given) continue;
        const std::string option = name + std::to_string(*given) + ": ";
        if (newest == 0) refuse(option + file + " has no events");
        if (*given > newest) refuse(option + file + " ends with event " + std::to_string(newest));
        if (*given < oldest)
            refuse(option + file + " keeps events from " + std::to_string(oldest) + " on; older ones have expired");
    }
    if (oldest > 1 && !options.from)
        std::fprintf(stderr, "fairstream export: the recording keeps events from %s on, and is exported from there\n",
                     std::to_string(oldest).c_str());
    return {options.from.value_or(oldest), options.to.value_or(newest)};
}

/// The counts of an export.
struct Exported {
    std::uint64_t events = 0, points = 0;
    std::size_t largest = 0;  // points of an event
};

Exported write_events(const ExportOptions& options, const Recording& recording, const PointsCsv& csv,
                      const StopSignals& signals) {
    const Range range = range_of(options, recording);
    OutputStream points(options.points.empty() ? "-" : options.points);
    std::unique_ptr<OutputStream> others;
    points.write(csv.heading());
    if (!options.events.empty()) {
        others = std::make_unique<OutputStream>(options.events);
        others->write("sequence,kind,model,option,value\n");
    }
    Progress progress("exporting " + options.recording.string());
    Exported exported;
    wire::AlignedMessage message;
    std::string rows;
    recording.for_each_event(range.first, [&](const recording::RecordedEvent& recorded) {
        if (signals.requested()) throw std::runtime_error("stopped");
        if (recorded.sequence > range.last) return false;
        const Event event = service::read_event(recorded, message);
        ++exported.events;
        if (const auto* batch = std::get_if<PointBatch>(&event)) {
            rows.clear();
            csv.add(recorded.sequence, *batch, rows);
            points.write(rows);
            exported.points += batch->size();
            exported.largest = std::max(exported.largest, batch->size());
        } else if (others) {
            others->write(line_of(recorded.sequence, event));
        }
        progress.show(
            static_cast<double>(recorded.sequence - range.first) / static_cast<double>(range.last - range.first + 1),
            counted(exported.points, "point"));
        return true;
    });
    points.close();
    if (others) others->close();
    return exported;
}

}  // namespace

std::string export_help() {
    return "\nThe columns are sequence, time, id, the features, the groups, target and weight, the last two where the "
           "stream has such. Names are the stream's, features without names x0, x1, ...; a column whose name is taken "
           "gets _ at its end. sequence and time are those of the event: all points of one event came together. "
           "Missing values are empty, categories and groups are names; numbers read back equal as float32. At the end "
           "it says on stderr how to send the points again: --batch must be that of the recording for the same labels. "
           "The file of --events has sequence, kind (option, refinement, expiry), model, option, value.\n";
}

int run_export(const ExportOptions& options) {
    const bool points_out = options.points.empty() || options.points == "-";
    if (points_out && options.events == "-")
        throw InvalidInput(Reason::bad_option,
                           "points and other events both go to standard output: give one of --points and --events a "
                           "file");
    check_outputs({{"--points", points_out ? std::filesystem::path() : options.points},
                   {"--events", options.events == "-" ? std::filesystem::path() : options.events}},
                  {options.recording});
    StopSignals signals;
    const Recording recording = open_for_reading(options.recording);
    const auto handler = signals.poll_for_stop();
    const PointsCsv csv(replay::recorded_options(recording).format);
    const Exported exported = write_events(options, recording, csv, signals);
    std::fprintf(stderr, "%s, %s; to send them again: fairstream send --input %s --batch %zu%s\n",
                 counted(exported.events, "event").c_str(), counted(exported.points, "point").c_str(),
                 points_out ? "FILE" : options.points.c_str(), std::max<std::size_t>(exported.largest, 1),
                 csv.send_options().c_str());
    return 0;
}

}  // namespace fairstream::command
