#include <fairstream/command/watch.hpp>

#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include <fairstream/command/clock.hpp>
#include <fairstream/command/output.hpp>
#include <fairstream/command/stop_signals.hpp>
#include <fairstream/command/terminal.hpp>
#include <fairstream/command/watch_view.hpp>

namespace fairstream::command {
namespace {

/// How long a wait for news goes on before it looks whether to stop.
constexpr std::chrono::milliseconds patience{100};

zmq::LabelSubscriberOptions subscriber_options(const WatchOptions& options, bool table) {
    zmq::LabelSubscriberOptions result;
    result.updates_endpoint = options.updates;
    result.control_endpoint = options.control;
    result.model = options.model;
    result.clusters = table;
    result.security = client_security(options.keys);
    return result;
}

bool reached(const WatchOptions& options, const zmq::LabelSubscriber& subscriber) {
    return options.until_sequence && subscriber.consistent() && subscriber.sequence() >= *options.until_sequence &&
           subscriber.fairness() && subscriber.fairness()->sequence >= *options.until_sequence;
}

void follow(const WatchOptions& options, bool table, zmq::LabelSubscriber& subscriber, const StopSignals& signals) {
    LiveTable live(options.model);
    auto heard = Clock::now();
    while (!signals.requested() && !reached(options, subscriber)) {
        for (const zmq::SubscriberEvent& event : subscriber.poll(patience)) {
            heard = Clock::now();
            if (!table) print(event_json(event, options.model));
            if (const auto* update = std::get_if<zmq::FairnessUpdate>(&event)) live.note(*update);
        }
        if (table) live.show(subscriber);
        if (options.timeout > 0 && seconds_since(heard) > options.timeout) {
            throw std::runtime_error("nothing new of " + options.model + " for " + fixed(options.timeout, 1) + " s");
        }
    }
    if (table) live.show(subscriber, true);
}

}  // namespace

int run_watch(const WatchOptions& options) {
    require_endpoint("--updates", options.updates);
    require_endpoint("--control", options.control);
    check_outputs({{"--labels", options.labels}}, {});
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    const bool table = !options.json && ::isatty(STDOUT_FILENO) == 1;
    zmq::LabelSubscriber subscriber(subscriber_options(options, table));
    try {
        follow(options, table, subscriber, signals);
    } catch (const zmq::ControlRefused& error) {
        throw InvalidInput(error.reason(), error.what());
    }
    if (!options.labels.empty()) write_labels(options.labels, {subscriber.labels().begin(), subscriber.labels().end()});
    return 0;
}

}  // namespace fairstream::command
