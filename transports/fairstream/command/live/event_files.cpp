#include <fairstream/command/live/event_files.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/points_csv.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/files/cells/csv_cell.hpp>
#include <fairstream/files/written/output_stream.hpp>
#include <fairstream/service/recorded_events.hpp>
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

/// Sizes of events of points.
struct EventSizes {
    std::size_t largest = 0, last = 0;  // points of the largest event and of the last one
    bool sizes_vary = false;            // whether an event before the last has fewer points than the largest

    void add(std::size_t size) {
        sizes_vary = sizes_vary || (last != 0 && (last < largest || size > largest));
        last = size;
        largest = std::max(largest, size);
    }
    /// Returns the number of points of each event (the last event may have fewer); 0 if events have different sizes.
    [[nodiscard]] std::size_t batch() const { return sizes_vary ? 0 : std::max<std::size_t>(largest, 1); }
};

/// Writes events as CSV.
class EventWriter {
public:
    EventWriter(const EventFiles& given, const EngineOptions& engine, files::DecimalMark mark)
        : csv_(engine.format, mark), max_age_(engine.window.max_age), ids_(engine.window) {
        points_ = begun(given.points, csv_.heading());
        others_ = begun(given.events, "sequence,kind,model,option,value\n");
        outcomes_ = begun(given.outcomes, "sequence,id,outcome\n");
    }

    void write(Sequence sequence, const Event& event) {
        ++written_.events;
        if (const auto* const batch = std::get_if<PointBatch>(&event)) {
            rows_.clear();
            if (points_) csv_.add(sequence, *batch, rows_), points_->write(rows_);
            sizes_.add(batch->size());
            written_.points += batch->size();
            if (others_ || outcomes_) ids_.add(*batch);
            forget_replaced(*batch);
        } else {
            ++written_.others;
            if (others_) others_->write(line_of(sequence, event, ids_));
            if (const auto* outcomes = std::get_if<Outcomes>(&event)) keep_outcomes(sequence, *outcomes);
            if (const auto* removal = std::get_if<PointRemoval>(&event))
                for (std::size_t i = 0; i < removal->size(); ++i) last_outcomes_.erase(known_point(*removal, i));
        }
    }
    [[nodiscard]] WrittenEvents close() {
        if (points_) points_->close();
        if (others_) others_->close();
        if (outcomes_) write_outcomes();
        written_.outcomes = last_outcomes_.size();
        written_.send_options = csv_.send_options(sizes_.batch());
        return written_;
    }
    [[nodiscard]] std::uint64_t points() const noexcept { return written_.points; }

private:
    /// Returns null without a file.
    static std::unique_ptr<files::OutputStream> begun(const std::filesystem::path& file, const std::string& heading) {
        if (file.empty()) return nullptr;
        auto stream = std::make_unique<files::OutputStream>(file);
        stream->write(heading);
        return stream;
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
    std::unique_ptr<files::OutputStream> points_, others_, outcomes_;
    std::map<KnownPoint, LastOutcome> last_outcomes_;
    std::int64_t max_age_;                // maximal age in the window
    std::optional<std::int64_t> latest_;  // newest event that was not late
    IdTexts ids_;
    EventSizes sizes_;
    WrittenEvents written_;
    std::string rows_;
};

}  // namespace

bool EventFiles::config_alone() const {
    return points.empty() && events.empty() && outcomes.empty() && !save_config.empty();
}

std::vector<files::OutputFile> EventFiles::outputs() const {
    return {{"--points", points}, {"--events", events}, {"--outcomes", outcomes}, {"--save-config", save_config}};
}

EventFiles checked_files(EventFiles files, bool config_alone) {
    if (files.points.empty() && !config_alone && !files::is_stdout(files.events) && !files::is_stdout(files.outcomes))
        files.points = "-";
    files::check_outputs(files.outputs(), {files.recording});
    return files;
}

void write_config(const EventFiles& given, EngineOptions engine, const files::ReaderSettings& reader) {
    const std::string config = files::is_stdout(given.save_config) ? "FILE" : shell_word(given.save_config.string());
    constexpr std::size_t by_event = 0;
    // The recording gets a new name: the exported points must not go back into the same recording.
    std::filesystem::path recording =
        files::is_stdout(given.save_config) ? "again" : given.save_config.filename().replace_extension();
    if (recording == given.recording.filename().replace_extension()) recording += "_again";
    recording += ".fairstream";
    engine.event_work_limit = EngineOptions{}.event_work_limit;  // recordings do not hold this limit
    files::write_file(given.save_config, "# The configuration with which " +
                                             printable(given.recording.filename().string()) +
                                             " began; later changes of options are among its events (--events).\n"
                                             "# Serve it, and send the points again:\n"
                                             "#   fairstream serve --config " +
                                             config + " --recording " + shell_word(recording.string()) +
                                             "\n#   fairstream send --input points.csv" +
                                             PointsCsv(engine.format, reader.decimal_mark).send_options(by_event) +
                                             "\n\n" + config::write_config(engine, reader));
}

WrittenEvents write_events(const EventFiles& given, const EngineOptions& engine, const files::ReaderSettings& reader,
                           Range range, const StopSignals& signals, const EventSource& source,
                           const EventFilter& is_wanted) {
    EventWriter writer(given, engine, reader.decimal_mark);
    Progress progress("reading " + given.recording.string());
    wire::AlignedMessage message;
    source([&](const log::RecordedEvent& recorded) {
        if (signals.requested()) throw std::runtime_error("stopped");
        if (recorded.sequence > range.last) return false;
        const Event event = service::read_event(recorded, message);
        if (is_wanted(recorded.sequence, event)) writer.write(recorded.sequence, event);
        progress.show(
            static_cast<double>(recorded.sequence - range.first) / static_cast<double>(range.last - range.first + 1),
            counted(writer.points(), "point"));
        return true;
    });
    return writer.close();
}

void print_written(const EventFiles& given, const WrittenEvents& written) {
    const auto word_of = [](const std::filesystem::path& file, const char* stdout_word) {
        return file.empty() || files::is_stdout(file) ? std::string(stdout_word) : shell_word(file.string());
    };
    std::string text = counted(written.events, "event") + ", " + counted(written.points, "point");
    if (written.points > 0 && !given.points.empty())
        text += "; to send them again: fairstream send --input " + word_of(given.points, "FILE") + written.send_options;
    if (written.others > 0)
        text += "\nthis does not send the " + counted(written.others, "event") +
                " without points: changes of options, refinements, outcomes, removals";
    if (written.outcomes > 0)
        text += "\n" + counted(written.outcomes, "outcome") +
                (given.outcomes.empty() ? ", to write them: add --outcomes OUT.csv; then"
                                        : ", to send them after the points:") +
                " fairstream send --outcomes " + word_of(given.outcomes, "OUT.csv") + " --id id --target outcome";
    std::fprintf(stderr, "%s\n", text.c_str());
}

std::string event_files_help() {
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

}  // namespace fairstream::command
