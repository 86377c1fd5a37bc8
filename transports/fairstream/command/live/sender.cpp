#include <fairstream/command/live/sender.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/command/live/send_report.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/rows/byte_source.hpp>
#include <fairstream/files/rows/input_file.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/input/stream_columns.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr double silence_before_asking = 2;  // seconds of silence

std::string unique_name() {
    return "send-" + std::to_string(::getpid()) + "-" + std::to_string(now_in_microseconds());
}

zmq::ProducerOptions producer_options(const SendOptions& options) {
    zmq::ProducerOptions result;
    result.endpoint = options.ingest;
    result.name = options.name.empty() ? unique_name() : options.name;
    result.security = client_security(options.keys);
    return result;
}

/// Returns the engine's control endpoint, if it is known.
std::optional<zmq::ControlOptions> control_of(const SendOptions& options) {
    const config::WireOptions usual;
    if (options.control.empty() && options.ingest != usual.ingest) return std::nullopt;
    const std::string& control = options.control.empty() ? usual.control : options.control;
    return control_options(control, 1, options.keys);
}

}  // namespace

std::size_t usual_batch_at(double rate) {
    constexpr double messages_per_second = 10;
    return rate <= 0 ? fit::usual_batch
                     : static_cast<std::size_t>(std::clamp(std::ceil(rate / messages_per_second), 1.0,
                                                           static_cast<double>(fit::usual_batch)));
}

Sender::Sender(const SendOptions& options, const StopSignals& signals)
    : options_(options),
      signals_(signals),
      progress_("sending " + (options.outcomes.empty() ? options.input.name() : options.outcomes.string())),
      producer_(producer_options(options)),
      long_work_(control_of(options)) {}

const StreamFormat& Sender::connect() {
    last_answer_ = Clock::now();
    while (!producer_.connect(stop_check_interval)) {
        if (signals_.requested()) throw std::runtime_error("stopped before an engine answered");
        if (gives_up()) throw std::runtime_error("no engine answers at " + options_.ingest + silence_hint());
        progress_.show(activity_.empty() ? "waiting for an engine at " + options_.ingest
                                         : "waiting: the engine is " + activity_);
    }
    start_ = Clock::now();
    return *producer_.format();
}

void Sender::require_unprepared() const {
    const bool is_prepared =
        producer_.engine_scales() || std::ranges::any_of(producer_.format()->columns, [](const FeatureColumn& column) {
            return column.may_be_missing || column.is_category();
        });
    const std::string scaling = options_.input.column_scaling();
    if (!scaling.empty() && is_prepared)
        throw InvalidInput(Reason::bad_option,
                           scaling +
                               ": [prepare] in the engine's configuration already says how columns are prepared: "
                               "remove this option; to scale columns, set scale under [prepare] and begin a new "
                               "recording");
}

void Sender::await_input(const std::filesystem::path& path) {
    if (path != "-") return;
    const files::InputFile::Pass input = files::InputFile(path).begin();
    while (!input.wait(stop_check_interval)) {
        process_answers();
        if (signals_.requested()) throw std::runtime_error("stopped before standard input had any data");
        progress_.show("waiting for standard input");
    }
}

// Warnings about the input

void Sender::warn_of(const files::PointSource& source) {
    const files::Remarks remarks = source.remarks();
    for (InputWarning& warning : input_warnings(options_.input, source.by_position(), remarks, *producer_.format()))
        if (warned_topics_.insert(std::move(warning.about)).second) warn(std::move(warning.text));
    remarks_ = remarks;
}

void Sender::warn_of_age() {
    if (auto text = age_warning(producer_.window_limits(), now_in_microseconds())) warn(std::move(*text));
}

void Sender::warn_at_end(const files::PointSource& source) {
    const files::Remarks remarks = source.remarks();
    if (auto text = span_warning(producer_.window_limits(), remarks, options_.input.time)) warn(std::move(*text));
}

void Sender::note(files::Remarks remarks) {
    remarks_ = std::move(remarks);
}

/// Prints a warning, or adds it to the report if that is JSON.
void Sender::warn(std::string text) {
    if (!options_.json) progress_.note(text);
    warnings_.push_back(std::move(text));
}

void Sender::require_age() const {
    if (const auto text = age_warning(producer_.window_limits(), now_in_microseconds()))
        throw InvalidInput(Reason::bad_option, *text + "; to send them anyway, add --future-times");
}

// Queueing of events

std::size_t Sender::batch_that_fits() const {
    const std::uint64_t limit = producer_.message_limit();
    const std::size_t usual = usual_batch_at(options_.rate);
    if (limit == 0) return usual;
    return std::clamp<std::size_t>(limit / 2 / files::most_bytes_of_point(*producer_.format()), 1, usual);
}

bool Sender::send(const PointBatch& points, double share, bool is_last) {
    return queue_in_time(points, share, is_last);
}
bool Sender::send(const Outcomes& outcomes, double share) {
    return queue_in_time(outcomes, share, false);
}

/// Queues an event as soon as the rate allows and there is room.
template <class Batch> bool Sender::queue_in_time(const Batch& batch, double share, bool is_last) {
    keep_rate();
    note_new_answers();
    while (is_last || !signals_.requested()) {
        if (const auto number = queue(batch)) {
            points_before_.erase(points_before_.begin(), points_before_.lower_bound(producer_.first_unanswered()));
            points_before_.emplace(*number, points_);
            points_ += batch.size();
            show(share);
            return true;
        }
        require_answers();
        show(share);
    }
    return false;
}

/// Queues an event; gives up if there is no room soon.
template <class Batch> std::optional<std::uint64_t> Sender::queue(const Batch& batch) {
    try {
        return producer_.send(batch, stop_check_interval);
    } catch (const InvalidInput& error) {
        if (error.reason() != Reason::oversized) throw;
        throw InvalidInput(error.reason(), std::string(error.what()) + " (--batch N; these were " +
                                               counted(static_cast<std::int64_t>(batch.size())) + ")");
    }
}

/// Waits until `rate` allows the next batch, and processes answers meanwhile. Throws like `process_answers`.
void Sender::keep_rate() {
    if (options_.rate <= 0) return;
    const auto due = start_ + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(static_cast<double>(points_) / options_.rate));
    for (auto now = Clock::now(); now < due && !signals_.requested(); now = Clock::now()) {
        producer_.poll(std::min(stop_check_interval, std::chrono::ceil<Milliseconds>(due - now)));
        require_answers();
    }
}

// Answers

void Sender::process_answers() {
    producer_.poll(Milliseconds(0));
    require_answers();
    note_refusals();
}

void Sender::finish() {
    while (!producer_.flush(stop_check_interval)) {
        require_answers();
        show(1);
    }
    seconds_ = seconds_since(start_);
    note_refusals();
    progress_.clear();
}

void Sender::note_stopped(std::string failure) {
    failure_ = std::move(failure);
    stopped_ = true;
    seconds_ = seconds_since(start_);
}

/// Returns whether an event was answered since the last call, or no event is unanswered. In both cases, notes the time.
bool Sender::note_new_answers() {
    const zmq::ProducerStatistics& counts = producer_.statistics();
    const bool new_answers = std::exchange(answers_, counts.acked + counts.refused) != counts.acked + counts.refused;
    if (!new_answers && producer_.unanswered() > 0) return false;
    last_answer_ = Clock::now();
    activity_.clear();
    return true;
}

/// Throws when events have been unanswered for longer than the options allow.
void Sender::require_answers() {
    if (producer_.engine_ended()) fail_ended();
    if (note_new_answers() || !gives_up()) return;
    // If this process was suspended, answers may be waiting.
    producer_.poll(stop_check_interval);
    if (!note_new_answers()) fail_silent();
}

/// Returns whether the engine has neither answered for the allowed time nor been busy. Asks the engine now and then.
bool Sender::gives_up() {
    const double timeout = options_.timeout, silent = seconds_since(last_answer_);
    if (silent <= std::min(timeout, silence_before_asking) ||
        (silent <= timeout && seconds_since(last_question_) < silence_before_asking))
        return false;
    activity_ = long_work_.ask();
    last_question_ = Clock::now();
    if (activity_.empty()) return silent > timeout;
    if (silent > timeout) {
        last_answer_ = Clock::now();
        if (!std::exchange(wait_noted_, true))
            progress_.note("note: no answer for " + brief(options_.timeout) + " s, as the engine is " + activity_ +
                           "; waiting for it");
    }
    return false;
}

std::string Sender::silence_hint() const {
    if (long_work_.answered())
        return ": an engine answers at its control endpoint, but it takes points elsewhere or refuses this client; its "
               "log names its endpoints";
    return " (" + command::silence_hint(options_.ingest, !options_.keys.keys.empty()) +
           (long_work_.asks() ? ""
                              : "; to wait for an engine in a long step, name its control endpoint with --control") +
           ")";
}

void Sender::fail_silent() const {
    throw std::runtime_error("the engine at " + options_.ingest + " has not answered for " + brief(options_.timeout) +
                             " s; " + counted(producer_.unanswered(), "event") +
                             (producer_.unanswered() == 1 ? " is" : " are") +
                             " without an answer, and may or may not be on disk: send again from " + item_name() + " " +
                             counted(static_cast<std::int64_t>(points_before_unanswered() + 1)) + " of this input on" +
                             rows_hint(points_before_unanswered()) +
                             (options_.outcomes.empty() ? "; a point replaces an earlier one with the same id"
                                                        : "; the last outcome of a point counts"));
}

void Sender::fail_ended() const {
    const std::uint64_t taken = answered_points();
    throw std::runtime_error("the engine at " + options_.ingest + " has ended" +
                             (producer_.unanswered() == 0
                                  ? std::string()
                                  : ", and did not take the last " + counted(producer_.unanswered(), "event")) +
                             ": send again from " + item_name() + " " + counted(static_cast<std::int64_t>(taken + 1)) +
                             " of this input on" + rows_hint(taken));
}

/// Prints the first few refusals one by one.
void Sender::note_refusals() {
    constexpr int most_noted = 5;
    for (const zmq::Refused& refused : producer_.take_refused()) {
        if (noted_refusals_++ < most_noted)
            progress_.note("event " + std::to_string(refused.producer_sequence) + " was refused: " + refused.text);
    }
}

// The report

std::string Sender::report() const {
    const zmq::ProducerStatistics& counts = producer_.statistics();
    const double speed = seconds_ > 0 ? static_cast<double>(points_) / seconds_ : 0;
    if (options_.json) return json_report(speed);
    const auto number = [](std::uint64_t value) { return counted(static_cast<std::int64_t>(value)); };
    return (stopped_ ? "stopped before the end; sent " : "sent ") + counted(points_, item_name()) + " in " +
           counted(counts.accepted, "event") + " to " + options_.ingest + " in " + fixed(seconds_, 2) + " s (" +
           rate(speed) + " " + item_name() + "s/s): " + number(counts.acked) +
           (lost_ ? " that were on disk, " : " on disk, ") + number(counts.refused) + " refused, " +
           number(counts.resent) + " sent again\n" + rest_text() +
           (options_.outcomes.empty() ? passed_text(window_limits(), points_) : "") +
           losses_text(counts, points_, remarks_, !options_.input.input.empty() && options_.input.id.empty());
}

std::string Sender::json_report(double speed) const {
    const zmq::ProducerStatistics& counts = producer_.statistics();
    nlohmann::ordered_json json{
        {"ingest", options_.ingest},     {"stopped", stopped_},         {"sent", points_},
        {"answered", answered_points()}, {"events", counts.accepted},   {"acked", counts.acked},
        {"refused", counts.refused},     {"sent_again", counts.resent}, {"last_sequence", counts.last_sequence},
        {"seconds", seconds_},           {"points_per_second", speed}};
    add_losses(counts, remarks_, json);
    json["warnings"] = warnings_;
    json["failure"] = failure_.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(failure_);
    return figures::report_text(json) + "\n";
}

/// Returns what the input consists of: "point" or "outcome".
const char* Sender::item_name() const {
    return options_.outcomes.empty() ? "point" : "outcome";
}

/// Returns a line on how to go on after a stop; empty at the end of the input.
std::string Sender::rest_text() const {
    if (!stopped_ || points_ == 0) return "";
    if (lost_)
        return "the engine's recording may have lost some of these events: send all of this input again" +
               std::string(options_.outcomes.empty() ? "; a point replaces an earlier one with the same id\n" : "\n");
    return "the rest begins with " + std::string(item_name()) + " " +
           counted(static_cast<std::int64_t>(answered_points() + 1)) +
           " of this input, not counting rows that are left out" + rows_hint(answered_points()) + "\n";
}

/// Returns the option that sends the rest of the input, if an option can do that.
std::string Sender::rows_hint(std::uint64_t first) const {
    const files::InputOptions& input = options_.input;
    const bool has_rows = options_.outcomes.empty() && input.generate.empty() && !files::is_read_once(input.input);
    // The option needs row numbers, and events that consist of successive rows of the file.
    if (!has_rows || !input.rows.empty() || !input.event.empty()) return "";
    if (remarks_.bad_rows > 0 || !remarks_.left_out.empty()) return "";  // there are fewer points than rows
    return " (to send only the rest, write the row numbers from " + std::to_string(first) +
           " on, one a line, to a file, and add --rows FILE; the first row is 0)";
}

/// Returns the number of points or outcomes before the first unanswered event.
std::uint64_t Sender::points_before_unanswered() const {
    const auto found = points_before_.find(producer_.first_unanswered());
    return found == points_before_.end() ? 0 : found->second;
}
/// Returns the number of points or outcomes from the start of the input whose answers still hold.
std::uint64_t Sender::answered_points() const {
    if (lost_) return 0;
    return producer_.unanswered() == 0 ? points_ : points_before_unanswered();
}

void Sender::show(double share) {
    note_refusals();
    const double seconds = seconds_since(start_);
    progress_.show(share, counted(points_, item_name()) + "  " +
                              rate(seconds > 0 ? static_cast<double>(points_) / seconds : 0) + "/s  " +
                              std::to_string(producer_.unanswered()) + " unanswered" +
                              (activity_.empty() ? "" : ": the engine is " + activity_));
}

}  // namespace fairstream::command
