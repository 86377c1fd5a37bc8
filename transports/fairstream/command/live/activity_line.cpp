#include <fairstream/command/live/activity_line.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/security.hpp>

namespace fairstream::command {
namespace {

/// An engine answers a health request at once, also during long work.
constexpr std::chrono::milliseconds health_timeout{5000}, show_every{500};

zmq::ControlOptions for_health(zmq::ControlOptions options) {
    options.timeout = std::min(options.timeout, health_timeout);
    return options;
}

zmq::ControlOptions for_polling(zmq::ControlOptions options) {
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
    const std::string endpoint = options.endpoint;
    zmq::ControlClient client(for_health(std::move(options)));
    try {
        (void)client.health();
    } catch (const zmq::ControlTimeout& timeout) {
        throw zmq::ControlTimeout(timeout.what() + (" (" + silence_hint(endpoint, has_keys) + ")"));
    }
}

std::string explained(const zmq::ControlTimeout& timeout, const zmq::ControlOptions& options) {
    try {
        const std::string activity = zmq::ControlClient(for_health(options)).health().activity;
        if (activity.empty()) return timeout.what();
        return timeout.what() + (": the engine is " + printable(activity) + "; to wait longer, raise --timeout");
    } catch (const zmq::ControlError&) {
        return timeout.what() + (" (" + silence_hint(options.endpoint, options.security.has_value()) + ")");
    }
}

std::string activity_of(zmq::ControlOptions options) {
    zmq::ControlClient client(for_health(std::move(options)));
    return activity_of(client);
}

LongWork::LongWork(std::optional<zmq::ControlOptions> options) {
    if (options) client_.emplace(for_polling(std::move(*options)));
}

std::string LongWork::ask() {
    answered_ = false;
    if (!client_) return {};
    try {
        const wire::Health health = client_->health();
        answered_ = true;
        const bool has_advanced = newest_ && *newest_ != health.sequence;
        newest_ = health.sequence;
        return health.ready && has_advanced ? std::string() : printable(health.activity);
    } catch (const zmq::ControlError&) {
        newest_.reset();
        return {};
    }
}

RepeatedCall::RepeatedCall(std::chrono::milliseconds every, std::function<bool()> call)
    : thread_([this, every, call = std::move(call)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (!ended_.wait_for(lock, stop, every, [&] { return stop.stop_requested(); }) && call()) {
          }
      }) {}

RepeatedCall::~RepeatedCall() = default;

namespace {

/// Asks an engine for its health; reports a change of process, and silence.
class HealthQuestion {
public:
    HealthQuestion(const zmq::ControlOptions& options, std::function<void()> on_restart,
                   std::function<void()> on_silence)
        : client_(for_polling(options)), on_restart_(std::move(on_restart)), on_silence_(std::move(on_silence)) {}

    /// Returns whether to ask again.
    bool ask() {
        constexpr std::chrono::seconds patience{10};
        constexpr std::chrono::milliseconds drift{20};  // difference between the clocks of two machines
        try {
            const Clock::time_point asked = Clock::now();
            const auto uptime = std::chrono::duration_cast<Clock::duration>(
                std::chrono::duration<double>(client_.health().uptime_seconds));
            last_answer_ = Clock::now();
            if (began_ && asked - uptime > *began_ + drift) return on_restart_(), false;
            began_ = began_ ? std::min(*began_, last_answer_ - uptime) : last_answer_ - uptime;
        } catch (const zmq::ControlError&) {
            if (silence_reported_ || Clock::now() - last_answer_ < patience) return true;
            silence_reported_ = true;
            on_silence_();
        }
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;

    zmq::ControlClient client_;
    std::function<void()> on_restart_, on_silence_;
    std::optional<Clock::time_point> began_;  // latest possible start of the engine's process
    Clock::time_point last_answer_ = Clock::now();
    bool silence_reported_ = false;
};

/// Asks the engine for its health once. Returns a function that asks again at each call, and returns whether to go on
/// asking.
std::function<bool()> health_poll(const zmq::ControlOptions& options, std::function<void()> on_restart,
                                  std::function<void()> on_silence) {
    const auto question = std::make_shared<HealthQuestion>(options, std::move(on_restart), std::move(on_silence));
    question->ask();
    return [question] { return question->ask(); };
}

}  // namespace

EngineWatch::EngineWatch(const zmq::ControlOptions& options, std::function<void()> on_restart,
                         std::function<void()> on_silence)
    : polling_(std::chrono::seconds(1), health_poll(options, std::move(on_restart), std::move(on_silence))) {}

ActivityLine::ActivityLine(const std::string& what, const zmq::ControlOptions& options) {
    if (::isatty(STDERR_FILENO) != 1) return;
    const auto line = std::make_shared<Progress>(what);
    const auto client = std::make_shared<zmq::ControlClient>(for_health(options));
    redraw_.emplace(show_every, [line, client] {
        if (const std::string activity = activity_of(*client); !activity.empty()) line->show(printable(activity));
        return true;
    });
}

}  // namespace fairstream::command
