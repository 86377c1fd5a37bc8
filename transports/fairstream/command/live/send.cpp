#include <fairstream/command/live/send.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/clock.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/stream_columns.hpp>
#include <fairstream/command/input/value_notes.hpp>
#include <fairstream/command/live/activity_line.hpp>
#include <fairstream/command/live/outcome_source.hpp>
#include <fairstream/command/live/send_report.hpp>
#include <fairstream/command/report/report_text.hpp>
#include <fairstream/csv/byte_source.hpp>
#include <fairstream/csv/input_file.hpp>
#include <fairstream/zmq/producer.hpp>

namespace fairstream::command {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t usual_batch = 1024;
constexpr double ask_after = 2;                              // seconds of silence
constexpr std::size_t largest_event = std::size_t{1} << 24;  // points

/// Returns the points of a message where that is not given: of ten messages a second, where a rate is given.
std::size_t usual_batch_at(double rate) {
    constexpr double messages_per_second = 10;
    return rate <= 0 ? usual_batch
                     : static_cast<std::size_t>(
                           std::clamp(std::ceil(rate / messages_per_second), 1.0, static_cast<double>(usual_batch)));
}

std::string unique_name() {
    return "send-" + std::to_string(::getpid()) + "-" + std::to_string(now_in_microseconds());
}

/// Sends batches and counts their outcomes.
class Sender {
public:
    Sender(const SendOptions& options, const StopSignals& signals)
        : options_(options),
          signals_(signals),
          progress_("sending " + (options.outcomes.empty() ? options.input.name() : options.outcomes.string())),
          producer_(producer_options(options)),
          long_work_(control_of(options)) {}

    /// Connects and returns the stream's format; throws when no engine answers.
    const StreamFormat& connect() {
        heard_ = Clock::now();
        while (!producer_.connect(stop_check_interval)) {
            if (signals_.requested()) throw std::runtime_error("stopped before an engine answered");
            if (gives_up()) throw std::runtime_error("no engine answers at " + options_.ingest + silence_hint());
            progress_.show(activity_.empty() ? "waiting for an engine at " + options_.ingest
                                             : "waiting: the engine is " + activity_);
        }
        start_ = Clock::now();
        return *producer_.format();
    }

    /// Waits for the first bytes of standard input, if that is the input; throws when stopped before.
    void await_input(const std::filesystem::path& path) {
        if (path != "-") return;
        const csv::InputFile::Pass input = csv::InputFile(path).begin();
        while (!input.wait(stop_check_interval)) {
            look();
            if (signals_.requested()) throw std::runtime_error("stopped before standard input had anything");
            progress_.show("waiting for standard input");
        }
    }

    /// Warns once of each thing about the columns of the input that may not be meant.
    void warn_of(const PointSource& source) {
        const csv::Remarks remarks = source.remarks();
        for (InputWarning& warning : input_warnings(options_.input, source.by_position(), remarks, *producer_.format()))
            if (warned_of_.insert(std::move(warning.about)).second) warn(std::move(warning.text));
        remarks_ = remarks;
    }

    /// Warns of points that leave the window since those to be sent have the present time.
    void warn_of_age() {
        if (auto text = age_warning(producer_.window_age(), now_in_microseconds())) warn(std::move(*text));
    }

    /// Warns of values that are probably missing ones, and of a last row that is probably no point, once all were read.
    void warn_of_all(const PointSource& source) {
        const csv::Remarks remarks = source.remarks();
        for (const csv::StandInCells& cells : remarks.stand_ins) warn(stand_in_note(cells));
        if (remarks.last_total) warn(total_note(*remarks.last_total, options_.input.name()));
        if (auto text = span_warning(producer_.window_age(), remarks, options_.input.time)) warn(std::move(*text));
    }

    /// Notes what the report says of the input.
    void note(csv::Remarks remarks) { remarks_ = std::move(remarks); }

    /// Returns how many points come together where that is not given: fewer than usual where those were longer than the
    /// engine takes, ids of half that length included.
    [[nodiscard]] std::size_t batch_that_fits() const {
        const std::uint64_t limit = producer_.message_limit();
        const std::size_t usual = usual_batch_at(options_.rate);
        if (limit == 0) return usual;
        return std::clamp<std::size_t>(limit / 2 / most_bytes_of_point(*producer_.format()), 1, usual);
    }

    /// Sends a batch, or outcomes; returns false when stopped before they were queued. `is_last`: also after a request
    /// to stop.
    template <class Batch> bool send(const Batch& batch, double share, bool is_last = false) {
        keep_rate();
        hear();
        while (is_last || !signals_.requested()) {
            if (const auto number = queue(batch)) {
                begins_.erase(begins_.begin(), begins_.lower_bound(producer_.first_unanswered()));
                begins_.emplace(*number, points_);
                points_ += batch.size();
                show(share);
                return true;
            }
            require_answers();
            show(share);
        }
        return false;
    }

    /// Takes in answers that have come; throws when events have been without one for too long.
    void look() {
        producer_.poll(Milliseconds(0));
        require_answers();
        note_refusals();
    }

    /// Waits for the last answers, also after a request to stop.
    void finish() {
        while (!producer_.flush(stop_check_interval)) {
            require_answers();
            show(1);
        }
        seconds_ = seconds_since(start_);
        note_refusals();
        progress_.clear();
    }

    [[nodiscard]] std::string report() const {
        const zmq::ProducerStatistics& counts = producer_.statistics();
        const double speed = seconds_ > 0 ? static_cast<double>(points_) / seconds_ : 0;
        if (options_.json) {
            nlohmann::ordered_json json{{"ingest", options_.ingest},
                                        {"stopped", stopped_},
                                        {"sent", points_},
                                        {"answered", producer_.unanswered() == 0 ? points_ : first_in_doubt()},
                                        {"events", counts.accepted},
                                        {"acked", counts.acked},
                                        {"refused", counts.refused},
                                        {"sent_again", counts.resent},
                                        {"last_sequence", counts.last_sequence},
                                        {"seconds", seconds_},
                                        {"points_per_second", speed}};
            add_losses(counts, remarks_, json);
            json["warnings"] = warnings_;
            json["failure"] = failure_.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(failure_);
            return report_text(json) + "\n";
        }
        const auto number = [](std::uint64_t value) { return counted(static_cast<std::int64_t>(value)); };
        return (stopped_ ? "stopped before the end; sent " : "sent ") + counted(points_, thing()) + " in " +
               counted(counts.accepted, "event") + " to " + options_.ingest + " in " + fixed(seconds_, 2) + " s (" +
               rate(speed) + " " + thing() + "s/s): " + number(counts.acked) + " on disk, " + number(counts.refused) +
               " refused, " + number(counts.resent) + " sent again\n" + rest_text() +
               losses_text(counts, points_, remarks_);
    }
    [[nodiscard]] std::uint64_t points() const { return points_; }
    [[nodiscard]] bool prints_json() const { return options_.json; }
    /// Notes that not everything was sent, and why.
    void note_stopped(std::string failure = {}) {
        failure_ = std::move(failure);
        stopped_ = true;
        seconds_ = seconds_since(start_);
    }
    [[nodiscard]] bool complete() const { return !stopped_ && producer_.statistics().refused == 0; }

private:
    /// Returns what is sent, one of it.
    [[nodiscard]] const char* thing() const { return options_.outcomes.empty() ? "point" : "outcome"; }
    static zmq::ProducerOptions producer_options(const SendOptions& options) {
        zmq::ProducerOptions result;
        result.endpoint = options.ingest;
        result.name = options.name.empty() ? unique_name() : options.name;
        result.security = client_security(options.keys);
        return result;
    }

    /// Returns where the engine says what it is at work on, if that is known.
    static std::optional<zmq::ControlOptions> control_of(const SendOptions& options) {
        const config::WireOptions usual;
        if (options.control.empty() && options.ingest != usual.ingest) return std::nullopt;
        const std::string& control = options.control.empty() ? usual.control : options.control;
        return control_options(control, 1, options.keys);
    }

    /// Queues an event, if there is room for it soon.
    template <class Batch> std::optional<std::uint64_t> queue(const Batch& batch) {
        try {
            return producer_.send(batch, stop_check_interval);
        } catch (const InvalidInput& error) {
            if (error.reason() != Reason::oversized) throw;
            throw InvalidInput(error.reason(), std::string(error.what()) + " (--batch N; these were " +
                                                   counted(static_cast<std::int64_t>(batch.size())) + ")");
        }
    }

    /// Notes the time where an event was answered since the last call, or none is without an answer; returns whether
    /// that is so.
    bool hear() {
        const zmq::ProducerStatistics& counts = producer_.statistics();
        const bool new_answers =
            std::exchange(answers_, counts.acked + counts.refused) != counts.acked + counts.refused;
        if (!new_answers && producer_.unanswered() > 0) return false;
        heard_ = Clock::now();
        activity_.clear();
        return true;
    }
    /// Throws when events have been without an answer for the time that the options allow.
    void require_answers() {
        if (hear() || !gives_up()) return;
        // Answers may be waiting where this process was stopped for a while.
        producer_.poll(stop_check_interval);
        if (!hear()) fail_silent();
    }
    /// Says whether the engine has neither answered for the time that the options allow nor been at work, which is
    /// asked now and then.
    [[nodiscard]] bool gives_up() {
        const double timeout = options_.timeout, silent = seconds_since(heard_);
        if (silent <= std::min(timeout, ask_after) || (silent <= timeout && seconds_since(asked_) < ask_after))
            return false;
        activity_ = long_work_.ask();
        asked_ = Clock::now();
        if (activity_.empty()) return silent > timeout;
        if (silent > timeout) {
            heard_ = Clock::now();
            if (!std::exchange(told_to_wait_, true))
                progress_.note("note: no answer for " + brief(options_.timeout) + " s, since the engine is " +
                               activity_ + "; waiting for it");
        }
        return false;
    }
    [[nodiscard]] std::string silence_hint() const {
        if (long_work_.answered())
            return ": the one that answers at its control endpoint takes points elsewhere, or refuses this client; its "
                   "log says where it takes them";
        return " (" + command::silence_hint(!options_.keys.keys.empty()) + ")";
    }
    [[noreturn]] void fail_silent() const {
        throw std::runtime_error("the engine at " + options_.ingest + " has not answered for " +
                                 brief(options_.timeout) + " s; " + counted(producer_.unanswered(), "event") +
                                 (producer_.unanswered() == 1 ? " is" : " are") +
                                 " without an answer, and may be on disk or not: send again from " + thing() + " " +
                                 counted(static_cast<std::int64_t>(first_in_doubt() + 1)) + " of this input on" +
                                 rows_hint(first_in_doubt()) +
                                 (options_.outcomes.empty() ? "; points take the place of those with their ids"
                                                            : "; of a point the last outcome counts"));
    }

    /// Returns a line on how to go on after a stop; nothing after the end.
    [[nodiscard]] std::string rest_text() const {
        if (!stopped_ || points_ == 0) return "";
        const std::uint64_t answered = producer_.unanswered() == 0 ? points_ : first_in_doubt();
        return "the rest begins with " + std::string(thing()) + " " + counted(static_cast<std::int64_t>(answered + 1)) +
               " of this input, rows that are left out not counted" + rows_hint(answered) + "\n";
    }

    /// Returns how a part of the input is sent, where an option does that.
    [[nodiscard]] std::string rows_hint(std::uint64_t first) const {
        const InputOptions& input = options_.input;
        const bool has_rows = options_.outcomes.empty() && input.generate.empty() && !csv::comes_once(input.input);
        // Rows are numbered as the file has them, and events are sent as it has them.
        if (!has_rows || !input.rows.empty() || !input.event.empty()) return "";
        return " (--rows FILE takes their numbers, a line each, from " + std::to_string(first) + ")";
    }
    /// Returns how many points or outcomes were sent before the first that has no answer.
    [[nodiscard]] std::uint64_t first_in_doubt() const {
        const auto found = begins_.find(producer_.first_unanswered());
        return found == begins_.end() ? 0 : found->second;
    }

    /// Waits until `rate` allows the next batch, processing answers meanwhile; throws as `look` does.
    void keep_rate() {
        if (options_.rate <= 0) return;
        const auto due = start_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(static_cast<double>(points_) / options_.rate));
        for (auto now = Clock::now(); now < due && !signals_.requested(); now = Clock::now()) {
            producer_.poll(std::min(stop_check_interval, std::chrono::ceil<Milliseconds>(due - now)));
            require_answers();
        }
    }

    void show(double share) {
        note_refusals();
        const double seconds = seconds_since(start_);
        progress_.show(share, counted(points_, thing()) + "  " +
                                  rate(seconds > 0 ? static_cast<double>(points_) / seconds : 0) + "/s  " +
                                  std::to_string(producer_.unanswered()) + " unanswered" +
                                  (activity_.empty() ? "" : ": the engine is " + activity_));
    }

    /// Prints a warning; it is in the report as JSON instead.
    void warn(std::string text) {
        if (!options_.json) progress_.note(text);
        warnings_.push_back(std::move(text));
    }

    /// Prints the first few refusals one by one.
    void note_refusals() {
        constexpr int most_told = 5;
        for (const zmq::Refused& refused : producer_.take_refused()) {
            if (told_++ < most_told)
                progress_.note("event " + std::to_string(refused.producer_sequence) + " was refused: " + refused.text);
        }
    }

    const SendOptions& options_;
    const StopSignals& signals_;
    Progress progress_;
    zmq::Producer producer_;
    LongWork long_work_;
    std::string activity_;  // of an engine that is at work for long
    Clock::time_point heard_ = Clock::now(), asked_ = heard_;
    std::uint64_t answers_ = 0;  // to events
    bool told_to_wait_ = false;
    Clock::time_point start_ = Clock::now();
    double seconds_ = 0;
    std::uint64_t points_ = 0;
    std::map<std::uint64_t, std::uint64_t> begins_;  // by number of an event without an answer, the points before it
    int told_ = 0;
    std::set<std::string> warned_of_;
    std::vector<std::string> warnings_;
    csv::Remarks remarks_;
    bool stopped_ = false;
    std::string failure_;
};

/// Reads a compressed file to its end before a row of it is sent, since rows before damage may be wrong ones.
void require_undamaged(const std::filesystem::path& file, const StopSignals& signals) {
    Progress progress("checking " + file.string());
    csv::require_undamaged(file, [&](double share) {
        progress.show(share);
        if (signals.requested()) throw std::runtime_error("stopped before anything was sent");
        return true;
    });
}

void check_outcome_options(const SendOptions& options) {
    const InputOptions& input = options.input;
    const auto refuse = [](const std::string& why) { throw InvalidInput(Reason::bad_option, "--outcomes " + why); };
    if (input.id.empty() || input.target.empty())
        refuse("FILE needs --id COL and --target COL: the points' ids, and their outcomes");
    check_outputs({{"--bad-rows-to", input.bad_rows_file}}, {options.outcomes});
}

/// Does what sends, and prints the report; also of what was sent before a failure.
int reported(Sender& sender, const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        sender.note_stopped(error.what());
        if (sender.points() > 0 || sender.prints_json()) print(sender.report());
        throw;
    }
    print(sender.report());
    return sender.complete() ? 0 : 1;
}

/// Sends; throws for input that is bad once what came before it is on disk. `more` returns what else there is to say of
/// bad input.
void send_to_the_end(
    Sender& sender, const std::function<void()>& send,
    const std::function<std::string()>& more = [] { return std::string(); }) {
    std::optional<InvalidInput> bad_input;
    try {
        send();
    } catch (const InvalidInput& error) {
        bad_input.emplace(error.reason(), error.what() + more());
    }
    sender.finish();
    if (bad_input) throw InvalidInput(*bad_input);
}

int send_outcomes(const SendOptions& options) {
    check_outcome_options(options);
    require_positive(options.outcomes, options.input);
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    require_undamaged(options.outcomes, signals);
    OutcomeSource source(options.outcomes, options.input);
    Sender sender(options, signals);
    const StreamFormat& format = sender.connect();
    source.take_format(format);
    return reported(sender, [&] {
        PointColumns read;
        send_to_the_end(
            sender,
            [&] {
                while (source.read(options.batch.value_or(usual_batch_at(options.rate)), read) > 0)
                    if (signals.requested() || !sender.send(Outcomes{read.ids, read.targets}, source.progress())) break;
                if (signals.requested()) sender.note_stopped();
                sender.note(source.remarks());
            },
            [&] { return source.bad_rows_text(); });
    });
}

/// Sends the points of a file.
void send_points(PointSource& source, std::size_t most, const StopSignals& signals, Sender& sender) {
    PointColumns points;
    source.set_stop([&] {
        sender.look();
        return signals.requested();
    });
    const auto send = [&] {
        while (source.read(most, points) > 0) {
            sender.warn_of(source);
            if (!source.has_times()) points.event_time = now_in_microseconds();
            // Points of a pipe that were read are sent all the same: they cannot be read again.
            const bool is_last = signals.requested() && source.comes_once();
            if ((signals.requested() && !is_last) || !sender.send(points.view(), source.progress(), is_last)) break;
        }
        if (signals.requested()) sender.note_stopped();
        sender.warn_of(source);
        sender.warn_of_all(source);
    };
    send_to_the_end(sender, send, [&] { return source.bad_rows_text(); });
}

}  // namespace

int run_send(const SendOptions& options) {
    require_endpoint("--ingest", options.ingest);
    if (!options.outcomes.empty()) return send_outcomes(options);
    check_input(options.input);
    if (!options.input.input.empty()) require_positive(options.input.input, options.input);
    if (options.input.input.empty() && !(options.input.id.empty() && options.input.target.empty()))
        throw InvalidInput(Reason::bad_option,
                           "--id and --target name columns of a file: they need --input or --outcomes");
    const InputOptions& of_file = options.input;
    if (of_file.input.empty() && (of_file.bad_rows > 0 || !of_file.bad_rows_file.empty() ||
                                  !of_file.decimal_mark.empty() || !of_file.missing_texts.empty()))
        throw InvalidInput(Reason::bad_option,
                           "--bad-rows, --decimal-mark and --missing-text are about a file: they need --input or "
                           "--outcomes");
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    if (!options.input.input.empty()) require_undamaged(options.input.input, signals);
    Sender sender(options, signals);
    InputOptions input = options.input;
    if (!options.future_times) input.time_ahead = std::chrono::days(1);
    const StreamFormat& format = sender.connect();
    const std::size_t most =
        options.batch.value_or(options.input.event.empty() ? sender.batch_that_fits() : largest_event);
    sender.await_input(input.input);
    PointSource source(input, format);
    if (!source.has_times()) sender.warn_of_age();
    return reported(sender, [&] { send_points(source, most, signals, sender); });
}

}  // namespace fairstream::command
