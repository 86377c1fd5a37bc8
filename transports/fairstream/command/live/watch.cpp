#include <fairstream/command/live/watch.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fairstream/command/console/clock.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/watch_view.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/figure_subscriber.hpp>

namespace fairstream::command {
namespace {

zmq::SubscriberOptions subscriber_options(const WatchOptions& options, bool table) {
    zmq::SubscriberOptions result;
    result.updates_endpoint = options.updates;
    result.control_endpoint = options.control;
    result.model = options.model;
    result.clusters = table || !options.memberships.empty();
    result.security = client_security(options.keys);
    return result;
}

template <class Subscriber> bool has_clusters_for(const WatchOptions& options, const Subscriber& subscriber) {
    return options.memberships.empty() || subscriber.clusters();
}
bool has_clusters_for(const WatchOptions&, const zmq::FigureSubscriber&) {
    return true;
}

template <class Subscriber> bool reached(const WatchOptions& options, const Subscriber& subscriber) {
    return options.until_sequence && subscriber.consistent() && subscriber.sequence() >= *options.until_sequence &&
           subscriber.fairness() && subscriber.fairness()->sequence >= *options.until_sequence &&
           has_clusters_for(options, subscriber);
}

/// Prints what became of late points and of the scales, as a line of JSON when it has changed.
class ConditionLines {
public:
    explicit ConditionLines(const WatchOptions& options) : options_(options) {}

    void show(const wire::Condition& condition) {
        if (shown_ == condition) return;
        shown_ = condition;
        print(condition_json(condition, options_.model));
    }
    /// Shows the condition as of the last event: statuses come once a second. Nothing where the engine has ended.
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

// Returns whether it ended as asked for; otherwise nothing new came for too long.
template <class Subscriber>
[[nodiscard]] bool follow(const WatchOptions& options, bool table, Subscriber& subscriber, const StopSignals& signals) {
    LiveTable live(options.model);
    ConditionLines condition(options);
    constexpr double patience = 3;  // seconds of silence before it is said that no engine answers
    bool told = false;
    auto heard = Clock::now();
    while (!signals.requested() && !reached(options, subscriber)) {
        for (const auto& event : subscriber.poll(stop_check_interval)) {
            heard = Clock::now();
            if (!table) print(event_json(event, options.model));
            if (const auto* update = std::get_if<zmq::FairnessUpdate>(&event)) live.note(*update);
            if (const auto* lost = std::get_if<zmq::LostEvents>(&event)) {
                live.note(*lost);
                if (!table) std::fprintf(stderr, "fairstream watch: %s\n", told_of(*lost).c_str());
            }
        }
        if (table) live.show(subscriber);
        if (!table && subscriber.condition() != wire::Condition{}) condition.show(subscriber.condition());
        if (!table && !subscriber.recording() && !told && seconds_since(heard) > patience) {
            std::fprintf(stderr, "fairstream watch: waiting for an engine at %s\n", options.updates.c_str());
            told = true;
        }
        if (options.timeout > 0 && seconds_since(heard) > options.timeout) return false;
    }
    if (table) live.show(subscriber, true);
    if (!table && reached(options, subscriber)) condition.ask();
    return true;
}

void write_outputs(const WatchOptions& options, const zmq::LabelSubscriber& subscriber) {
    write_labels(options.labels, {subscriber.labels().begin(), subscriber.labels().end()}, options.model);
}
void write_outputs(const WatchOptions& options, const zmq::ScoreSubscriber& subscriber) {
    write_scores(options.labels, {subscriber.scores().begin(), subscriber.scores().end()}, options.model);
}

// Clusters that an update left out have less than half a per cent, and are written as 0.
void write_outputs(const WatchOptions& options, const zmq::MembershipSubscriber& subscriber) {
    const std::size_t clusters = subscriber.clusters() ? subscriber.clusters()->report.clusters : 0;
    Matrix probabilities(subscriber.memberships().size(), clusters);
    std::vector<PointId> ids;
    for (const auto& [id, memberships] : subscriber.memberships()) {
        for (const wire::Membership& membership : memberships)
            if (static_cast<std::size_t>(membership.cluster) < clusters)
                probabilities.at(ids.size(), static_cast<std::size_t>(membership.cluster)) = membership.probability;
        ids.push_back(id);
    }
    write_memberships(options.memberships, ids, probabilities);
}

[[noreturn]] void fail_silent(const WatchOptions& options) {
    throw std::runtime_error("nothing new of " + options.model + " for " + fixed(options.timeout, 1) + " s");
}

/// Watches the figures of a model without outputs.
void watch_figures(const WatchOptions& options, bool table, const StopSignals& signals) {
    zmq::FigureSubscriber subscriber(subscriber_options(options, table));
    if (!follow(options, table, subscriber, signals)) fail_silent(options);
    if (!options.labels.empty())
        throw InvalidInput(Reason::bad_option,
                           "--labels: " + options.model + " gives points neither labels nor scores");
}

template <class T> void watch_outputs(const WatchOptions& options, bool table, const StopSignals& signals) {
    zmq::Subscriber<T> subscriber(subscriber_options(options, table));
    const bool ended = follow(options, table, subscriber, signals);
    const bool known = subscriber.recording().has_value();
    if ((ended || known) && (!options.labels.empty() || !options.memberships.empty()))
        write_outputs(options, subscriber);
    if (!ended) fail_silent(options);
}

/// Watches the model's labels, its scores where the engine refuses the labels, or its figures where it refuses both:
/// only the engine knows which it gives.
void watch(const WatchOptions& options, bool table, const StopSignals& signals) {
    if (!options.memberships.empty()) return watch_outputs<wire::Memberships>(options, table, signals);
    std::optional<zmq::ControlRefused> no_labels;
    try {
        return watch_outputs<ClusterId>(options, table, signals);
    } catch (const zmq::ControlRefused& error) {
        if (error.reason() != Reason::unknown_model) throw;
        no_labels = error;
    }
    try {
        return watch_outputs<Score>(options, table, signals);
    } catch (const zmq::ControlRefused& error) {
        if (error.reason() != Reason::unknown_model) throw;
    }
    try {
        watch_figures(options, table, signals);
    } catch (const zmq::ControlRefused& error) {
        throw error.reason() == Reason::unknown_model ? *no_labels : error;
    }
}

}  // namespace

int run_watch(const WatchOptions& options) {
    require_endpoint("--updates", options.updates);
    require_endpoint("--control", options.control);
    check_outputs({{"--labels", options.labels}, {"--probabilities", options.memberships}}, {});
    StopSignals signals;
    const auto handler = signals.poll_for_stop();
    const bool table = !options.json && ::isatty(STDOUT_FILENO) == 1;
    try {
        watch(options, table, signals);
    } catch (const zmq::ControlRefused& error) {
        throw InvalidInput(error.reason(), error.what());
    }
    return 0;
}

}  // namespace fairstream::command
