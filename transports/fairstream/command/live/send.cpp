#include <fairstream/command/console/console_listener.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/live/send.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/outcome_source.hpp>
#include <fairstream/command/live/sender.hpp>
#include <fairstream/files/rows/byte_source.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/text/clock.hpp>

namespace fairstream::command {
namespace {

constexpr std::size_t largest_event = std::size_t{1} << 24;  // points

/// Reads a compressed file to its end before any row is sent: rows before the damage may be wrong, too.
void require_undamaged(const std::filesystem::path& file, const StopSignals& signals) {
    Progress progress("checking " + file.string());
    files::require_undamaged(file, [&](double share) {
        progress.show(share);
        if (signals.requested()) throw std::runtime_error("stopped before anything was sent");
        return true;
    });
}

std::vector<files::OutputFile> outputs(const SendOptions& options) {
    return {{"--bad-rows-to", options.input.bad_rows_file}};
}

void check_outcome_options(const SendOptions& options) {
    const files::InputOptions& input = options.input;
    const auto refuse = [](const std::string& why) { throw InvalidInput(Reason::bad_option, "--outcomes " + why); };
    if (input.id.empty() || input.target.empty())
        refuse("FILE needs --id COL and --target COL, the columns of the points' ids and outcomes");
    files::check_outputs(outputs(options), {options.outcomes});
}

/// Runs `work`, which sends. Then prints the report, also if `work` failed.
int run_and_report(const SendOptions& options, Sender& sender, const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        const auto* const fault = dynamic_cast<const zmq::ProducerError*>(&error);
        if (fault != nullptr && fault->fault() == zmq::ProducerFault::lost_events) sender.note_lost();
        sender.note_stopped(error.what());
        if (sender.points() > 0 || sender.prints_json()) print_report(sender.report(), outputs(options));
        throw;
    }
    print_report(sender.report(), outputs(options));
    return sender.complete() ? 0 : 1;
}

/// Sends everything. Bad input throws once the events before it are on disk; `more` returns further text for that
/// error.
void send_and_finish(
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
    ConsoleListener listener;
    files::require_positive(options.outcomes, options.input, listener);
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    require_undamaged(options.outcomes, signals);
    OutcomeSource source(options.outcomes, options.input);
    Sender sender(options, signals);
    const StreamFormat& format = sender.connect();
    source.take_format(format, sender.reader_settings());
    return run_and_report(options, sender, [&] {
        PointColumns read;
        send_and_finish(
            sender,
            [&] {
                while (source.read(options.batch.value_or(usual_batch_at(options.rate)), read) > 0)
                    if (signals.requested() ||
                        !sender.send(Outcomes{read.ids, read.targets, read.id_texts.view()}, source.progress()))
                        break;
                if (signals.requested()) sender.note_stopped();
                sender.note(source.remarks());
            },
            [&] { return source.bad_rows_text(); });
    });
}

/// Sends the points of a file.
void send_points(files::PointSource& source, std::size_t most, const StopSignals& signals, Sender& sender) {
    PointColumns points;
    source.set_stop([&] {
        sender.process_answers();
        return signals.requested();
    });
    const auto send = [&] {
        while (source.read(most, points) > 0) {
            sender.warn_of(source);
            if (!source.has_times()) points.event_time = now_in_microseconds();
            // Points already read from a pipe are sent even after a signal: they cannot be read again.
            const bool is_last = signals.requested() && source.is_read_once();
            if ((signals.requested() && !is_last) || !sender.send(points.view(), source.progress(), is_last)) break;
        }
        if (signals.requested()) sender.note_stopped();
        sender.warn_of(source);
        sender.warn_at_end(source);
    };
    send_and_finish(sender, send);
}

/// Returns how far times may be ahead of the clock; nothing: no limit.
std::optional<std::chrono::microseconds> time_ahead(const wire::WindowLimits& engine, bool future_times) {
    const std::int64_t taken = engine.ahead_at_most == 0 ? wire::any_time_ahead : engine.ahead_at_most;
    const std::int64_t most = future_times ? taken : std::min(taken, engine.most_ahead());
    return most == wire::any_time_ahead ? std::nullopt : std::optional(std::chrono::microseconds(most));
}

}  // namespace

int run_send(const SendOptions& options) {
    require_endpoint("--ingest", options.ingest);
    if (!options.outcomes.empty()) return send_outcomes(options);
    files::check_input(options.input);
    ConsoleListener listener;
    if (!options.input.input.empty()) files::require_positive(options.input.input, options.input, listener);
    if (options.input.input.empty() && !(options.input.id.empty() && options.input.target.empty()))
        throw InvalidInput(Reason::bad_option, "--id and --target name columns of a file; add --input or --outcomes");
    const files::InputOptions& of_file = options.input;
    if (of_file.input.empty() && (of_file.bad_rows > 0 || !of_file.bad_rows_file.empty() ||
                                  !of_file.decimal_mark.empty() || !of_file.missing_texts.empty()))
        throw InvalidInput(Reason::bad_option,
                           "--bad-rows, --decimal-mark and --missing-text are for a file; add --input or "
                           "--outcomes");
    files::check_outputs(outputs(options), {options.input.input});
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    if (!options.input.input.empty()) require_undamaged(options.input.input, signals);
    Sender sender(options, signals);
    files::InputOptions input = options.input;
    const StreamFormat& format = sender.connect();
    sender.require_unprepared();
    input.time_ahead = time_ahead(sender.window_limits(), options.future_times);
    const std::size_t most =
        options.batch.value_or(options.input.event.empty() ? sender.batch_that_fits() : largest_event);
    sender.await_input(input.input);
    files::PointSource source(input, format, sender.reader_settings(), listener);
    files::require_known_groups(input, format, sender.reader_settings(), listener);
    listener.enter(Listener::Phase::writing);
    if (!source.has_times()) options.future_times ? sender.warn_of_age() : sender.require_age();
    return run_and_report(options, sender, [&] { send_points(source, most, signals, sender); });
}

}  // namespace fairstream::command
