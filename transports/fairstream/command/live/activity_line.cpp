#include <fairstream/command/live/activity_line.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/security.hpp>

namespace fairstream::command {
namespace {

/// Health is answered at once, whatever the engine does.
constexpr std::chrono::milliseconds health_timeout{5000}, show_every{500};

zmq::ControlOptions for_health(zmq::ControlOptions options) {
    options.timeout = std::min(options.timeout, health_timeout);
    return options;
}

std::string activity_of(zmq::ControlClient& client) {
    try {
        return client.health().activity;
    } catch (const zmq::ControlError&) {
        return {};
    }
}

}  // namespace

void require_engine(zmq::ControlOptions options) {
    const bool has_keys = options.security.has_value();
    zmq::ControlClient client(for_health(std::move(options)));
    try {
        (void)client.health();
    } catch (const zmq::ControlTimeout& timeout) {
        throw zmq::ControlTimeout(timeout.what() + (" (" + silence_hint(has_keys) + ")"));
    }
}

std::string explained(const zmq::ControlTimeout& timeout, const zmq::ControlOptions& options) {
    try {
        const std::string activity = zmq::ControlClient(for_health(options)).health().activity;
        if (activity.empty()) return timeout.what();
        return timeout.what() + (": the engine is " + printable(activity) + "; a longer --timeout waits");
    } catch (const zmq::ControlError&) {
        return timeout.what() + (" (" + silence_hint(options.security.has_value()) + ")");
    }
}

std::string activity_of(zmq::ControlOptions options) {
    zmq::ControlClient client(for_health(std::move(options)));
    return activity_of(client);
}

LongWork::LongWork(std::optional<zmq::ControlOptions> options) {
    constexpr std::chrono::milliseconds patience{1000};
    if (!options) return;
    options->timeout = std::min(options->timeout, patience);
    client_.emplace(std::move(*options));
}

std::string LongWork::ask() {
    answered_ = false;
    if (!client_) return {};
    try {
        const wire::Health health = client_->health();
        answered_ = true;
        const bool goes_on = newest_ && *newest_ != health.sequence;
        newest_ = health.sequence;
        return health.ready && goes_on ? std::string() : printable(health.activity);
    } catch (const zmq::ControlError&) {
        newest_.reset();
        return {};
    }
}

ActivityLine::ActivityLine(const std::string& what, const zmq::ControlOptions& options) {
    if (::isatty(STDERR_FILENO) != 1) return;
    thread_ = std::jthread([this, what, options](const std::stop_token& stop) {
        Progress line(what);
        zmq::ControlClient client(for_health(options));
        std::unique_lock lock(mutex_);
        while (!ended_.wait_for(lock, stop, show_every, [&] { return stop.stop_requested(); })) {
            if (const std::string activity = activity_of(client); !activity.empty()) line.show(printable(activity));
        }
    });
}

ActivityLine::~ActivityLine() = default;

}  // namespace fairstream::command
