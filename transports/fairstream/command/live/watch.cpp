#include <fairstream/command/live/watch.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/live/activity_line.hpp>
#include <fairstream/command/live/described_engine.hpp>
#include <fairstream/command/live/update_lines.hpp>
#include <fairstream/command/live/watch_view.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {
namespace {

zmq::SubscriberOptions subscriber_options(const WatchOptions& options, bool table) {
    zmq::SubscriberOptions result;
    result.updates_endpoint = options.updates;
    result.control_endpoint = options.control;
    result.model = options.model;
    result.clusters = table || !options.rows.empty();
    result.security = client_security(options.keys);
    return result;
}

template <class Subscriber> bool reached(const WatchOptions& options, const Subscriber& subscriber) {
    return options.until_sequence && subscriber.consistent() && subscriber.sequence() >= *options.until_sequence &&
           subscriber.fairness_as_of() >= *options.until_sequence && (options.rows.empty() || subscriber.clusters());
}

std::vector<files::OutputFile> outputs(const WatchOptions& options) {
    return {{"--labels", options.labels}, {options.rows.words().option, options.rows.path}};
}

/// Prints the counts of late points and the state of the scales as a line of JSON whenever they change.
class ConditionLines {
public:
    explicit ConditionLines(const WatchOptions& options) : options_(options) {}

    void show(const wire::Condition& condition) {
        if (shown_ == condition) return;
        shown_ = condition;
        print_report(condition_json(condition, options_.model), outputs(options_));
    }
    /// Prints the condition as of the last event, as statuses come only once a second. Prints nothing if the engine has
    /// ended.
    void ask() {
        zmq::ControlOptions control;
        control.endpoint = options_.control;
        control.security = client_security(options_.keys);
        try {
            show(zmq::ControlClient(control).health().condition);
        } catch (const zmq::ControlError&) {
        }
    }

private:
    const WatchOptions& options_;
    std::optional<wire::Condition> shown_;
};

enum class WatchEnd : std::uint8_t {
    requested,     ///< the sequence was reached, or a signal came
    timed_out,     ///< nothing new came for too long
    engine_ended,  ///< the engine announced its end, or no longer answers
};

zmq::ControlOptions control_options(const WatchOptions& options) {
    constexpr double patience = 2;  // seconds; a signal takes effect within this time
    return control_options(options.control, patience, options.keys);
}

/// Returns the engine's description; nothing when the engine is busy, or of a version that gives none.
std::optional<wire::Description> describe(const WatchOptions& options) {
    try {
        return zmq::ControlClient(control_options(options)).description();
    } catch (const zmq::ControlError&) {
        return std::nullopt;
    }
}

/// Returns the id of the recording of the engine that answers; nothing when none answers.
std::optional<wire::RecordingId> answered_recording(const WatchOptions& options) {
    try {
        zmq::ControlClient client(control_options(options));
        (void)client.health();
        return client.recording();
    } catch (const zmq::ControlError&) {
        return std::nullopt;
    }
}

/// Returns whether an engine answers, even a busy one.
bool answers(const WatchOptions& options) {
    try {
        (void)zmq::ControlClient(control_options(options)).health();
        return true;
    } catch (const zmq::ControlTimeout&) {
        return false;
    } catch (const zmq::ControlError&) {
        return true;
    }
}

/// Reports the connection to the engine, for people and programs: when it is made, and when the engine is gone.
class Connection {
public:
    Connection(const WatchOptions& options, bool table, LiveTable& live)
        : options_(options),
          table_(table),
          live_(live),
          work_(command::control_options(options.control, health_wait, options.keys)),
          waiting_since_(Clock::now()) {}

    /// Reports a new connection, before anything received over it.
    template <class Subscriber> void begin(const Subscriber& subscriber) {
        if (connected_ || subscriber.engine_ended() || !subscriber.recording() || !is_of_one_engine(subscriber)) return;
        if (subscriber.consistent()) connect(subscriber);
    }
    [[nodiscard]] bool connected() const noexcept { return connected_; }
    /// Checks the connection; returns false once the engine is gone.
    template <class Subscriber> [[nodiscard]] bool check(const Subscriber& subscriber) {
        if (subscriber.engine_ended()) {
            if (std::exchange(end_reported_, true)) return true;  // already reported, now waiting
            return end(subscriber, true);
        }
        end_reported_ = false;
        if (!connected_) {
            report_waiting();
            return true;
        }
        const auto now = Clock::now();
        if (subscriber.consistent()) lagging_since_ = now;
        // Asks the engine whether it is alive, as a lagging view may only be waiting for its repair.
        if (now - lagging_since_ < unanswered_after_) return true;
        lagging_since_ = now;
        return answers(options_) || end(subscriber, false);
    }

private:
    /// Returns whether updates and answers come from one recording, or nobody answers. The recordings differ briefly
    /// while an engine begins another one; throws `InvalidInput` when they keep differing.
    template <class Subscriber> [[nodiscard]] bool is_of_one_engine(const Subscriber& subscriber) {
        constexpr double patience = 3, ask_every = 0.5;  // seconds
        if (compared_ == subscriber.recording()) return true;
        if (seconds_since(compared_at_) < ask_every) return !differs_since_;
        const std::optional<wire::RecordingId> answered = answered_recording(options_);
        compared_at_ = Clock::now();
        if (!answered || answered == subscriber.recording()) {
            if (answered) compared_ = answered;
            differs_since_.reset();
            return true;
        }
        if (!differs_since_) differs_since_ = Clock::now();
        if (seconds_since(*differs_since_) > patience)
            throw InvalidInput(Reason::bad_option, "--updates " + options_.updates + " and --control " +
                                                       options_.control +
                                                       " belong to two engines: they name different recordings");
        return false;
    }

    template <class Subscriber> void connect(const Subscriber& subscriber) {
        connected_ = true;
        lagging_since_ = Clock::now();
        const std::optional<wire::Description> description = describe(options_);
        live_.connect(description);
        if (table_) return;
        print(connected_json(description, subscriber.sequence(), options_.model));
        print_message("connected to " + (description ? "recording " + description->recording : "an engine") +
                      " at event " + std::to_string(subscriber.sequence()));
    }
    /// Handles the engine's end; returns whether to go on without the engine.
    template <class Subscriber> [[nodiscard]] bool end(const Subscriber& subscriber, bool in_order) {
        const std::string where = " at event " + std::to_string(subscriber.sequence());
        const std::string how =
            in_order ? "the engine stopped" + where
                     : "the engine at " + options_.control +
                           " no longer answers: it was killed, or cannot be reached; the last update is" + where;
        if (!table_) print(ended_json(in_order, subscriber.sequence(), options_.model));
        if (!table_ || !options_.reconnect) print_message(how);
        if (options_.reconnect)
            live_.note_engine_gone(how + "; waiting for its next start");
        else
            live_.end(how);
        connected_ = waiting_reported_ = false;
        waiting_since_ = Clock::now();
        return options_.reconnect;
    }
    /// Asks for the engine's activity once a second. The table shows the activity; without a table it is printed once.
    void report_waiting() {
        constexpr double patience = 1;  // seconds; a live engine answers sooner
        if (seconds_since(waiting_since_) < patience) return;
        waiting_since_ = Clock::now();
        const std::string activity = work_.ask();
        std::string text = "waiting for an engine at " + options_.updates, hint;
        if (!activity.empty()) {
            text = "waiting: the engine is " + activity;
        } else if (work_.answered()) {
            hint = "an engine answers at " + options_.control + ", but may publish elsewhere" +
                   (options_.keys.keys.empty() ? "" : ", or refuse this client") + "; its log names its endpoints";
        } else {
            text += ", and for an answer at " + options_.control + " (--control)";
            hint = silence_hint(options_.updates, !options_.keys.keys.empty());
        }
        live_.wait_for(text + (hint.empty() ? "" : "\n" + hint));
        if (!std::exchange(waiting_reported_, true)) print_message(text + (hint.empty() ? "" : " (" + hint + ")"));
    }
    void print_message(const std::string& text) const {
        if (!table_) std::fprintf(stderr, "fairstream watch: %s\n", printable(text).c_str());
    }

    static constexpr std::chrono::seconds unanswered_after_{1};
    static constexpr double health_wait = 0.2;  // seconds; the watch does nothing else meanwhile
    const WatchOptions& options_;
    bool table_;
    LiveTable& live_;
    LongWork work_;
    bool connected_ = false, waiting_reported_ = false, end_reported_ = false;
    Clock::time_point waiting_since_, lagging_since_, compared_at_;
    std::optional<wire::RecordingId> compared_;       // recording of both updates and answers
    std::optional<Clock::time_point> differs_since_;  // time since which updates and answers differ
};

template <class Subscriber> [[nodiscard]] WatchEnd follow(const WatchOptions& options, bool table,
                                                          Subscriber& subscriber, const StopSignals& signals) {
    LiveTable live(options.model);
    ConditionLines condition(options);
    Connection connection(options, table, live);
    WatchEnd end = WatchEnd::requested;
    auto heard = Clock::now();
    std::vector<typename Subscriber::Event> events;  // shown only once there is a connection
    while (!signals.requested() && !(connection.connected() && reached(options, subscriber))) {
        for (auto& event : subscriber.poll(stop_check_interval)) {
            heard = Clock::now();
            events.push_back(std::move(event));
        }
        connection.begin(subscriber);
        if (!table && !connection.connected() && !subscriber.engine_ended()) {
            if (!connection.check(subscriber)) return WatchEnd::engine_ended;
            if (options.timeout > 0 && seconds_since(heard) > options.timeout) return WatchEnd::timed_out;
            continue;
        }
        for (const auto& event : std::exchange(events, {})) {
            if (!table) print_report(event_json(event, options.model), outputs(options));
            if (const auto* update = std::get_if<zmq::FairnessUpdate>(&event)) live.note(*update);
            if (const auto* lost = std::get_if<zmq::LostEvents>(&event)) {
                live.note(*lost);
                if (!table) std::fprintf(stderr, "fairstream watch: %s\n", lost_events_text(*lost).c_str());
            }
        }
        if (table) live.show(subscriber);
        if (!table && subscriber.condition() != wire::Condition{}) condition.show(subscriber.condition());
        if (reached(options, subscriber)) break;
        if (!connection.check(subscriber)) {
            end = WatchEnd::engine_ended;
            break;
        }
        if (options.timeout > 0 && seconds_since(heard) > options.timeout) return WatchEnd::timed_out;
    }
    if (table) live.show(subscriber, true);
    if (!table && reached(options, subscriber)) condition.ask();
    return end;
}

template <class T> void write_view(const WatchOptions& options, const zmq::Subscriber<T>& subscriber) {
    const auto& outputs = subscriber.outputs();
    const auto text = [&](PointId id) { return subscriber.id_text(id); };
    if constexpr (requires { wire::PointOutput<T>::rows; }) {
        Matrix rows(outputs.size(), subscriber.clusters() ? subscriber.clusters()->report.clusters : 0);
        std::vector<PointId> ids;
        for (const auto& [id, output] : outputs) {
            wire::PointOutput<T>::spread(output, {rows.row(ids.size()), rows.cols});
            ids.push_back(id);
        }
        files::write_rows(options.rows, ids, rows, text);
    } else {
        files::write_outputs(options.labels, std::vector<std::pair<PointId, T>>(outputs.begin(), outputs.end()), text,
                             options.model);
    }
}

constexpr int exit_of_ended_engine = 3;

/// Returns the exit code for this end of a watch; throws when the watch gave up.
int exit_code(const WatchOptions& options, WatchEnd end) {
    if (end == WatchEnd::timed_out)
        throw std::runtime_error("no news of " + options.model + " for " + fixed(options.timeout, 1) + " s");
    return end == WatchEnd::engine_ended ? exit_of_ended_engine : 0;
}

/// Watches the figures of a model without outputs.
int watch_figures(const WatchOptions& options, bool table, const StopSignals& signals) {
    if (!options.labels.empty()) {
        (void)zmq::ControlClient(control_options(options)).report(options.model);  // throws when there is no such model
        throw InvalidInput(Reason::bad_option,
                           "--labels: " + options.model + " gives points neither labels nor scores");
    }
    zmq::FigureSubscriber subscriber(subscriber_options(options, table));
    return exit_code(options, follow(options, table, subscriber, signals));
}

template <class T> int watch_outputs(const WatchOptions& options, bool table, const StopSignals& signals) {
    zmq::Subscriber<T> subscriber(subscriber_options(options, table));
    const WatchEnd end = follow(options, table, subscriber, signals);
    const bool known = subscriber.recording().has_value();
    if ((end != WatchEnd::timed_out || known) && (!options.labels.empty() || !options.rows.empty()))
        write_view(options, subscriber);
    return exit_code(options, end);
}

/// Watches the model's labels. If the engine refuses labels, watches its scores; if it refuses both, its figures. Only
/// the engine knows what the model has.
int watch(const WatchOptions& options, bool table, const StopSignals& signals) {
    if (!options.rows.empty()) {
        int code = 0;
        wire::PointOutputs::visit(options.rows.kind,
                                  [&]<class T>() { code = watch_outputs<T>(options, table, signals); });
        return code;
    }
    std::optional<zmq::ControlRefused> refusal;  // first refusal
    for (const auto watch_as : {watch_outputs<ClusterId>, watch_outputs<Score>, watch_figures}) {
        try {
            return watch_as(options, table, signals);
        } catch (const zmq::ControlRefused& error) {
            if (error.reason() != Reason::unknown_model) throw;
            if (!refusal) refusal = error;
        }
    }
    throw *refusal;
}

/// Returns the name of the engine's only model. Throws `InvalidInput`, which lists the models, when there are several.
std::string only_model(const WatchOptions& options) {
    const std::optional<wire::Description> engine = describe(options);
    if (!engine)
        throw std::runtime_error("no engine answers with its models at " + options.control +
                                 ": to wait for a model, add --model NAME (" +
                                 silence_hint(options.control, !options.keys.keys.empty()) + ")");
    if (engine->models.size() == 1) return engine->models[0].name;
    std::string names;
    for (const wire::ModelDescription& model : engine->models) names += (names.empty() ? "" : ", ") + model.name;
    throw InvalidInput(Reason::bad_option, "the engine has several models: name one of " + names + " with --model");
}

}  // namespace

int run_watch(const WatchOptions& given) {
    require_endpoint("--updates", given.updates);
    require_endpoint("--control", given.control);
    files::check_outputs(outputs(given), {});
    WatchOptions options = given;
    if (options.model.empty())
        options.model = only_model(given);
    else if (const std::optional<wire::Description> engine = describe(given))
        static_cast<void>(model_of(*engine, given.model));
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    const bool table = !options.json && !files::takes_stdout(outputs(options)) && ::isatty(STDOUT_FILENO) == 1;
    try {
        return watch(options, table, signals);
    } catch (const zmq::ControlRefused& error) {
        throw InvalidInput(error.reason(), error.what());
    }
}

}  // namespace fairstream::command
