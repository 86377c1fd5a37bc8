#include <fairstream/command/live/export.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/open_recording.hpp>
#include <fairstream/command/live/points_csv.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/files/cells/csv_cell.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/files/written/output_stream.hpp>
#include <fairstream/log/sqlite/salvage.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::command {
namespace {

/// A point's id in an outcome: a text, or a number when the text is empty.
struct KnownPoint {
    PointId id = 0;
    std::string text;
    auto operator<=>(const KnownPoint&) const = default;
};

/// Returns the id of the i-th point or outcome.
template <class Points> KnownPoint known_point(const Points& points, std::size_t i) {
    if (!points.id_texts.empty()) return {0, std::string(points.id_texts[i])};
    return {points.ids[i], {}};
}

/// Texts of the ids of points that outcomes may refer to, for streams whose producers hash texts. For a sliding window
/// it keeps the texts of the newest points, as many as the window retains but at least `most_kept`. For other windows
/// it keeps all texts.
class IdTexts {
public:
    explicit IdTexts(const WindowOptions& window)
        : capacity_(window.policy == WindowPolicy::sliding ? std::max(std::size_t{window.capacity}, most_kept)
                                                           : std::numeric_limits<std::size_t>::max()) {}

    void add(const PointBatch& batch) {
        if (batch.ids.empty()) return;
        for (std::size_t i = 0; i < batch.id_texts.size(); ++i) {
            texts_.insert_or_assign(batch.ids[i], std::pair(std::string(batch.id_texts[i]), ++added_));
            order_.push_back(batch.ids[i]);
        }
        for (; order_.size() > capacity_; order_.pop_front()) {
            const auto oldest = texts_.find(order_.front());
            const std::uint64_t number = added_ - order_.size() + 1;
            if (oldest != texts_.end() && oldest->second.second == number) texts_.erase(oldest);
        }
    }
    /// Returns the text of a point's id, or its number when no text is known.
    [[nodiscard]] std::string of(const KnownPoint& point) const {
        if (!point.text.empty()) return files::csv_cell(point.text);
        const auto found = texts_.find(point.id);
        return found == texts_.end() ? std::to_string(point.id) : files::csv_cell(found->second.first);
    }

private:
    static constexpr std::size_t most_kept = std::size_t{1} << 22;

    std::size_t capacity_;
    std::uint64_t added_ = 0;
    std::unordered_map<PointId, std::pair<std::string, std::uint64_t>> texts_;  // text, and the point's number by
                                                                                // arrival
    std::deque<PointId> order_;
};

/// Returns the line of an event without points.
std::string line_of(Sequence sequence, const Event& event, const IdTexts& ids) {
    const std::string number = std::to_string(sequence);
    if (const auto* change = std::get_if<KnobChange>(&event))
        return number + ",option," + files::csv_cell(change->model) + "," + files::csv_cell(change->option) + "," +
               files::csv_cell(change->value) + "\n";
    if (const auto* refinement = std::get_if<Refinement>(&event))
        return number + ",refinement," + files::csv_cell(refinement->model) + ",rounds," +
               std::to_string(refinement->rounds) + "\n";
    if (const auto* outcomes = std::get_if<Outcomes>(&event)) {
        std::string lines;
        for (std::size_t i = 0; i < outcomes->size(); ++i)
            lines += number + ",outcome,," + ids.of(known_point(*outcomes, i)) + "," +
                     number_text(outcomes->targets[i]) + "\n";
        return lines;
    }
    std::string lines;
    if (const auto* removal = std::get_if<PointRemoval>(&event)) {
        for (std::size_t i = 0; i < removal->size(); ++i)
            lines += number + ",removal of points,," + ids.of(known_point(*removal, i)) + ",\n";
        return lines;
    }
    const auto& expiry = std::get<ProducerExpiry>(event);
    if (expiry.last_sequence > 0)
        lines += number + ",expiry,,last_sequence," + std::to_string(expiry.last_sequence) + "\n";
    for (const std::string& name : expiry.names)
        lines += number + (expiry.removed ? ",removal" : ",expiry") + ",,producer," + files::csv_cell(name) + "\n";
    return lines;
}

/// The events to export, first and last included.
struct Range {
    Sequence first = 0, last = 0;
};

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

/// The counts of an export.
struct Exported {
    std::uint64_t events = 0, points = 0, outcomes = 0, others = 0;  // `others`: events without points
    std::uint64_t events_ahead = 0, points_ahead = 0;                // left out: times ahead of the clock
    std::size_t largest = 0, last = 0;                               // points of the largest event and of the last one
    bool sizes_vary = false;  // whether an event before the last has fewer points than the largest

    void add(std::size_t size) {
        sizes_vary = sizes_vary || (last != 0 && (last < largest || size > largest));
        last = size;
        largest = std::max(largest, size);
        points += size;
    }
    /// Returns the number of points of each event (the last event may have fewer); 0 if events have different sizes.
    [[nodiscard]] std::size_t batch() const { return sizes_vary ? 0 : std::max<std::size_t>(largest, 1); }
};

/// Returns whether points are written. Without a file for points, they go to standard output, unless the options name
/// another output.
bool writes_points(const ExportOptions& options) {
    if (!options.points.empty()) return true;
    const bool config_alone = !options.save_config.empty() && options.events.empty() && options.outcomes.empty() &&
                              !options.from && !options.to;
    return !config_alone && !files::is_stdout(options.events) && !files::is_stdout(options.outcomes);
}

/// Writes events as CSV.
class EventWriter {
public:
    EventWriter(const ExportOptions& options, const EngineOptions& engine, files::DecimalMark mark, Range range)
        : csv_(engine.format, mark),
          range_(range),
          max_age_(engine.window.max_age),
          progress_("exporting " + options.recording.string()),
          ids_(engine.window),
          config_(options.config) {
        if (!config_.empty()) given_format_.emplace(engine.format, WindowOptions{.capacity = 1});
        if (options.leave_out_ahead)
            latest_written_ = now_in_microseconds() + wire::WindowLimits{.max_age = max_age_}.most_ahead();
        if (writes_points(options)) {
            points_ = std::make_unique<files::OutputStream>(options.points.empty() ? "-" : options.points);
            points_->write(csv_.heading());
        }
        if (!options.events.empty()) {
            others_ = std::make_unique<files::OutputStream>(options.events);
            others_->write("sequence,kind,model,option,value\n");
        }
        if (options.outcomes.empty()) return;
        outcomes_ = std::make_unique<files::OutputStream>(options.outcomes);
        outcomes_->write("sequence,id,outcome\n");
    }

    /// Returns whether more events may be wanted.
    bool write(const log::RecordedEvent& recorded) {
        if (recorded.sequence > range_.last) return false;
        const Event event = service::read_event(recorded, message_);
        require_format(recorded.sequence, event);
        const auto* const batch = std::get_if<PointBatch>(&event);
        if (batch != nullptr && batch->event_time > latest_written_) {
            ++exported_.events_ahead;
            exported_.points_ahead += batch->size();
            return true;
        }
        ++exported_.events;
        if (batch != nullptr) {
            rows_.clear();
            if (points_) csv_.add(recorded.sequence, *batch, rows_), points_->write(rows_);
            exported_.add(batch->size());
            if (others_ || outcomes_) ids_.add(*batch);
            forget_replaced(*batch);
        } else {
            ++exported_.others;
            if (others_) others_->write(line_of(recorded.sequence, event, ids_));
            if (const auto* outcomes = std::get_if<Outcomes>(&event)) keep_outcomes(recorded.sequence, *outcomes);
            if (const auto* removal = std::get_if<PointRemoval>(&event))
                for (std::size_t i = 0; i < removal->size(); ++i) last_outcomes_.erase(known_point(*removal, i));
        }
        progress_.show(
            static_cast<double>(recorded.sequence - range_.first) / static_cast<double>(range_.last - range_.first + 1),
            counted(exported_.points, "point"));
        return true;
    }
    void close() {
        if (points_) points_->close();
        if (others_) others_->close();
        if (outcomes_) write_outcomes();
        exported_.outcomes = last_outcomes_.size();
    }
    [[nodiscard]] const Exported& exported() const noexcept { return exported_; }
    /// Returns the options with which `send` reads the points back unchanged.
    [[nodiscard]] std::string send_options() const { return csv_.send_options(exported_.batch()); }

private:
    /// Throws for points that do not fit the given configuration, which replaces the recording's own.
    void require_format(Sequence sequence, const Event& event) const {
        const auto* batch = std::get_if<PointBatch>(&event);
        if (!given_format_ || batch == nullptr) return;
        try {
            given_format_->validate(*batch);
        } catch (const InvalidInput& error) {
            throw InvalidInput(error.reason(), "event " + std::to_string(sequence) + " does not fit the stream of " +
                                                   config_.string() + ": " + error.what());
        }
    }

    /// Drops the outcomes of points that the batch replaces: the outcomes of the new points are unknown. A batch that
    /// the window drops as late replaces no point.
    void forget_replaced(const PointBatch& batch) {
        if (max_age_ > 0 && latest_ &&
            static_cast<double>(*latest_) - static_cast<double>(batch.event_time) > static_cast<double>(max_age_))
            return;
        latest_ = std::max(latest_.value_or(batch.event_time), batch.event_time);
        if (last_outcomes_.empty()) return;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            last_outcomes_.erase(known_point(batch, i));
            if (!batch.ids.empty()) last_outcomes_.erase({batch.ids[i], {}});  // for hashed texts
        }
    }

    /// Keeps the last outcome of each point, unless the point came again since.
    void keep_outcomes(Sequence sequence, const Outcomes& outcomes) {
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            last_outcomes_.insert_or_assign(known_point(outcomes, i), LastOutcome{sequence, outcomes.targets[i]});
    }
    void write_outcomes() {
        std::vector<std::pair<KnownPoint, LastOutcome>> ordered(last_outcomes_.begin(), last_outcomes_.end());
        std::ranges::sort(ordered, {}, [](const auto& kept) { return std::pair(kept.second.sequence, kept.first); });
        for (const auto& [point, kept] : ordered)
            outcomes_->write(std::to_string(kept.sequence) + "," + ids_.of(point) + "," + outcome_text(kept.target) +
                             "\n");
        outcomes_->close();
    }

    struct LastOutcome {
        Sequence sequence = 0;
        float target = 0;
    };
    PointsCsv csv_;
    Range range_;
    std::unique_ptr<files::OutputStream> points_, others_, outcomes_;
    std::map<KnownPoint, LastOutcome> last_outcomes_;
    std::int64_t max_age_;                                                    // maximal age in the window
    std::optional<std::int64_t> latest_;                                      // newest event that was not late
    std::int64_t latest_written_ = std::numeric_limits<std::int64_t>::max();  // time of the newest event written
    Progress progress_;
    IdTexts ids_;
    Exported exported_;
    wire::AlignedMessage message_;
    std::string rows_;
    std::filesystem::path config_;
    std::optional<Window> given_format_;  // checks points against the given configuration
};

/// A recording to export, intact or damaged.
struct Source {
    EngineOptions engine;
    files::ReaderSettings reader;
    Range range;
    /// Passes events to `each` until `each` returns false; returns the lost events.
    std::function<std::vector<log::sqlite::LostEvents>(const std::function<bool(const log::RecordedEvent&)>& each)>
        for_each;
    bool end_is_known = true;  // if not, any number of later events may be missing
    bool lacks_log = false;    // if so, any number of events may follow `newest`
    Sequence newest = 0;       // newest event that the file names
};

Source intact_source(const ExportOptions& options) {
    const std::shared_ptr<const log::Log> recording = open_for_reading(options.recording);
    const Range range = range_of(options, *recording);
    return {replay::recorded_options(*recording), replay::recorded_reader_settings(*recording), range,
            [recording, range](const auto& each) {
                recording->for_each_event(range.first, each);
                return std::vector<log::sqlite::LostEvents>();
            }};
}

/// Returns the options for reading a damaged recording. Throws when they are not known.
config::ProcessOptions options_of_damaged(const ExportOptions& options, const log::sqlite::Salvage& salvage) {
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

Source damaged_source(const ExportOptions& options) {
    const auto salvage = std::make_shared<log::sqlite::Salvage>(options.recording);
    const Range range{options.from.value_or(1),
                      std::min(options.to.value_or(salvage->last_sequence()), salvage->last_sequence())};
    const config::ProcessOptions process = options_of_damaged(options, *salvage);
    return {process.engine,
            process.reader,
            range,
            [salvage, range](const auto& each) { return salvage->for_each_event(range.first, each); },
            salvage->knows_last_sequence(),
            salvage->lacks_log(),
            salvage->last_sequence()};
}

void print_line(const std::string& line) {
    std::fprintf(stderr, "%s\n", line.c_str());
}

/// Prints which events of a damaged recording are lost, as far as known.
void print_lost(const std::vector<log::sqlite::LostEvents>& lost, const Source& source) {
    if (!source.end_is_known) return print_line("the number of lost events is not known, as it cannot be read either");
    constexpr std::size_t most_named = 10;
    std::vector<std::string> named;
    for (const auto& [first, last] : lost)
        named.push_back(first == last ? std::to_string(first) : std::to_string(first) + " to " + std::to_string(last));
    const bool one = lost.size() == 1 && lost[0].first == lost[0].last;
    if (!lost.empty())
        print_line((one ? "lost, unreadable: event " : "lost, unreadable: events ") +
                   files::first_few(named, most_named));
    if (source.lacks_log)
        print_line(
            "the log beside it, FILE-wal, is missing or cut short: all events after " + std::to_string(source.newest) +
            " are lost, and their number is not known; if the recording was renamed, rename its log too: then no "
            "event is lost");
    if (lost.empty() && !source.lacks_log) print_line("no event is lost");
}

}  // namespace

std::string export_help() {
    return "\n--points writes the columns sequence, time, id, the features, the groups, and target and weight if the "
           "stream has them. Columns have the names of the stream, features without names x0, x1, ...; if a name is "
           "already taken, _ is added to it. sequence and time belong to the event: the points of one event came "
           "together. Missing values are empty. Groups and categories are names; a category that the stream does not "
           "list is a number, as its name is not kept. Read back as float32, numbers are the same.\n\nAt the end the "
           "command says on stderr how to send the points again. The same labels need the same events. send makes them "
           "with --batch, or with --event if events have different sizes.\n\n--events writes the columns sequence, "
           "kind, model, option, value. Kinds are option, refinement, outcome, removal of points, expiry (of "
           "producers) and removal (of a producer). For an outcome or a removal of points the option is the point's "
           "id; texts of ids are known for the last 4 million points.\n\n--outcomes writes the columns sequence, id, "
           "outcome: the last outcome of each point, unless the point was sent again later. Outcomes other than 1, 0 "
           "and -1 are written as 1 if above 0, and otherwise as 0. Outcomes sent again come after all points, so "
           "figures "
           "before that differ.\n";
}

namespace {

/// Writes the configuration that the recording began with.
void write_config(const ExportOptions& options, EngineOptions engine, const files::ReaderSettings& reader) {
    const std::string config =
        files::is_stdout(options.save_config) ? "FILE" : shell_word(options.save_config.string());
    constexpr std::size_t by_event = 0;
    // The recording gets a new name: the exported points must not go back into the same recording.
    std::filesystem::path recording =
        files::is_stdout(options.save_config) ? "again" : options.save_config.filename().replace_extension();
    if (recording == options.recording.filename().replace_extension()) recording += "_again";
    recording += ".fairstream";
    engine.event_work_limit = EngineOptions{}.event_work_limit;  // recordings do not hold this limit
    files::write_file(options.save_config, "# The configuration with which " +
                                               printable(options.recording.filename().string()) +
                                               " began; later changes of options are among its events (--events).\n"
                                               "# Serve it, and send the points that fairstream export writes:\n"
                                               "#   fairstream serve --config " +
                                               config + " --recording " + shell_word(recording.string()) +
                                               "\n#   fairstream send --input points.csv" +
                                               PointsCsv(engine.format, reader.decimal_mark).send_options(by_event) +
                                               "\n\n" + config::write_config(engine, reader));
}

}  // namespace

int run_export(const ExportOptions& options) {
    const bool config_alone =
        !writes_points(options) && options.events.empty() && options.outcomes.empty() && !options.save_config.empty();
    const bool points_out = writes_points(options) && (options.points.empty() || files::is_stdout(options.points));
    if (int{points_out} + int{files::is_stdout(options.events)} + int{files::is_stdout(options.outcomes)} +
            int{files::is_stdout(options.save_config)} >
        1)
        throw InvalidInput(
            Reason::bad_option,
            "only one output can go to standard output (--points without a file does): name files for the others");
    files::check_outputs(
        {{"--points", points_out ? std::filesystem::path() : options.points},
         {"--events", files::is_stdout(options.events) ? std::filesystem::path() : options.events},
         {"--outcomes", files::is_stdout(options.outcomes) ? std::filesystem::path() : options.outcomes},
         {"--save-config", files::is_stdout(options.save_config) ? std::filesystem::path() : options.save_config}},
        {options.recording});
    StopSignals signals;
    const Source source = options.damaged ? damaged_source(options) : intact_source(options);
    const auto handler = signals.poll_for_stop();
    if (!options.save_config.empty()) write_config(options, source.engine, source.reader);
    if (config_alone) return 0;
    EventWriter writer(options, source.engine, source.reader.decimal_mark, source.range);
    const std::vector<log::sqlite::LostEvents> lost = source.for_each([&](const log::RecordedEvent& event) {
        if (signals.requested()) throw std::runtime_error("stopped");
        return writer.write(event);
    });
    writer.close();
    const Exported& exported = writer.exported();
    if (options.damaged) print_lost(lost, source);
    const std::string again = "; to send them again: fairstream send --input " +
                              (points_out ? "FILE" : shell_word(options.points.string())) + writer.send_options();
    std::fprintf(stderr, "%s, %s%s\n", counted(exported.events, "event").c_str(),
                 counted(exported.points, "point").c_str(),
                 exported.points > 0 && writes_points(options) ? again.c_str() : "");
    if (exported.events_ahead > 0)
        std::fprintf(stderr, "left out %s with %s: their times are too far ahead of this machine's clock\n",
                     counted(exported.events_ahead, "event").c_str(), counted(exported.points_ahead, "point").c_str());
    if (exported.others > 0)
        std::fprintf(stderr,
                     "this does not send the %s without points: changes of options, refinements, outcomes, removals\n",
                     counted(exported.others, "event").c_str());
    if (exported.outcomes > 0)
        std::fprintf(
            stderr, "%s\n",
            (counted(exported.outcomes, "outcome") + ", " +
             (options.outcomes.empty() ? "to write them: fairstream export --outcomes OUT.csv; then"
                                       : "to send them after the points:") +
             " fairstream send --outcomes " +
             (options.outcomes.empty() || files::is_stdout(options.outcomes) ? "OUT.csv"
                                                                             : shell_word(options.outcomes.string())) +
             " --id id --target outcome")
                .c_str());
    const bool is_sound = lost.empty() && source.end_is_known && !source.lacks_log;
    return exported.events == 0 && !is_sound ? 1 : 0;  // all events are lost
}

}  // namespace fairstream::command
