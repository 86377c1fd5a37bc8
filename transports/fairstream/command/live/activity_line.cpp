#include <fairstream/command/live/activity_line.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
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

zmq::ControlOptions asked_often(zmq::ControlOptions options) {
    constexpr std::chrono::milliseconds patience{1000};
    options.timeout = std::min(options.timeout, patience);
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
    if (options) client_.emplace(asked_often(std::move(*options)));
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

EngineWatch::EngineWatch(const zmq::ControlOptions& options, std::function<void()> on_restart,
                         std::function<void()> on_silence)
    : thread_([this, options = asked_often(options), on_restart = std::move(on_restart),
               on_silence = std::move(on_silence)](const std::stop_token& stop) {
          using Clock = std::chrono::steady_clock;
          constexpr std::chrono::seconds ask_every{1}, patience{10};
          constexpr std::chrono::milliseconds drift{20};  // of two machines' clocks
          zmq::ControlClient client(options);
          std::optional<Clock::time_point> began;  // the engine's process, at the latest
          Clock::time_point heard = Clock::now();
          bool told = false;
          std::unique_lock lock(mutex_);
          do {
              try {
                  const Clock::time_point asked = Clock::now();
                  const auto uptime = std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(client.health().uptime_seconds));
                  heard = Clock::now();
                  if (began && asked - uptime > *began + drift) return on_restart();
                  began = began ? std::min(*began, heard - uptime) : heard - uptime;
              } catch (const zmq::ControlError&) {
                  if (!told && Clock::now() - heard >= patience) told = true, on_silence();
              }
          } while (!ended_.wait_for(lock, stop, ask_every, [&] { return stop.stop_requested(); }));
      }) {}

EngineWatch::~EngineWatch() = default;

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
