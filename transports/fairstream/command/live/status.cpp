#include <fairstream/command/live/status.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fairstream/command/console/help_text.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/status_report.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {
namespace {

/// Adds the reports of the models. An older engine answers such requests only after its current event.
void ask_for_models(zmq::ControlClient& client, EngineStatus& status) {
    try {
        status.description = client.description();
        for (const wire::ModelDescription& model : status.description->models) status.models.push_back({model, {}});
        for (ModelStatus& model : status.models) model.figures = client.report(model.description.name).fairness;
    } catch (const zmq::ControlRefused& refusal) {
        const bool is_old = refusal.reason() == Reason::unknown_request;
        status.missing = is_old ? "models and options are unknown: the engine's version does not report them"
                                : std::string("the engine does not report its models now: ") + refusal.what();
    } catch (const zmq::ControlTimeout&) {
        status.missing = "the engine is busy and did not report its models in time";
        status.missing += status.health.activity.empty() ? "" : ": it is " + status.health.activity;
    }
}

EngineStatus ask(zmq::ControlClient& client, const StatusOptions& options) {
    EngineStatus status;
    status.endpoint = options.control;
    try {
        status.health = client.health();
        status.recording = client.recording();
        if (status.health.ready) ask_for_models(client, status);
    } catch (const zmq::ControlTimeout& timeout) {
        status.failure = timeout.what() + (" (" + silence_hint(options.control, !options.keys.keys.empty()) + ")");
    } catch (const zmq::ControlError& error) {
        status.failure = error.what();
    }
    return status;
}

/// Waits until the status is due to be drawn again, or a signal asks to stop.
void wait_until(Clock::time_point due, const StopSignals& signals) {
    for (auto now = Clock::now(); now < due && !signals.requested(); now = Clock::now())
        std::this_thread::sleep_for(std::min<Clock::duration>(stop_check_interval, due - now));
}

/// Returns the number of columns at which lines are broken.
std::size_t widest() {
    return std::min(screen_columns(), help_width);
}

/// Redraws the status every second in place; returns whether the engine was healthy at the end.
bool watch_status(zmq::ControlClient& client, const StatusOptions& options, StopSignals& signals) {
    constexpr std::chrono::seconds every{1};
    const auto handler = signals.poll_for_stop();
    bool healthy = false;
    while (!signals.requested()) {
        const auto due = Clock::now() + every;
        const EngineStatus status = ask(client, options);
        healthy = status.healthy();
        print("\x1b[H\x1b[J" + fit_to_screen(status_text(status, true, widest())));
        wait_until(due, signals);
    }
    return healthy;
}

}  // namespace

std::string status_help() {
    return "\nThe first table shows the recording, the newest event, the retained points, the producers and the "
           "current activity. The second table shows each model: how its visible step ended, the event that made the "
           "step visible, the events since then, the cost and the main figures. The options that may change follow; "
           "changed options are marked. '-' stands for a value from before the start of the process, which the process "
           "does not know.\n\nExit codes: 0 healthy; 1 no answer, or the engine is not ready or cannot write events to "
           "disk; 2 wrong use.\n";
}

int run_status(const StatusOptions& options) {
    require_endpoint("--control", options.control);
    if (options.watch && ::isatty(STDOUT_FILENO) != 1)
        throw InvalidInput(Reason::bad_option,
                           "--watch draws on a terminal, but standard output is not one: leave --watch out, or follow "
                           "a model with fairstream watch --json");
    StopSignals signals;
    zmq::ControlClient client(control_options(options.control, options.timeout, options.keys));
    if (options.watch) return watch_status(client, options, signals) ? 0 : 1;
    const EngineStatus status = ask(client, options);
    const bool styled = ::isatty(STDOUT_FILENO) == 1;
    print(options.json ? status_json(status) : status_text(status, styled, styled ? widest() : help_width));
    return status.healthy() ? 0 : 1;
}

}  // namespace fairstream::command
