#pragma once
/// The activity of an engine, shown while a command waits for its answer.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {

/// Throws `zmq::ControlTimeout` where no engine answers `options.endpoint` within a few seconds, or within its timeout
/// if that is less. An engine at work answers, too.
void require_engine(zmq::ControlOptions options);

/// Returns the text of a timeout, and what the engine is at work on, or why none may have answered.
[[nodiscard]] std::string explained(const zmq::ControlTimeout& timeout, const zmq::ControlOptions& options);

/// Returns the engine's activity, as `fairstream status` shows it; empty where it waits for events or does not tell.
[[nodiscard]] std::string activity_of(zmq::ControlOptions options);

/// Tells whether an engine that does not answer events is at work on a long one, or recovers, as its control endpoint
/// says. One thread at a time.
class LongWork {
public:
    /// Without options nothing is known of the engine.
    explicit LongWork(std::optional<zmq::ControlOptions> options);

    /// Asks the engine, at most a second long, and no longer than the options allow; returns its activity where that
    /// keeps it from answering events: where it went on to newer ones since it was asked last, silence has another
    /// cause.
    [[nodiscard]] std::string ask();
    /// Says whether there is an endpoint to ask at.
    [[nodiscard]] bool asks() const noexcept { return client_.has_value(); }
    /// Says whether the engine answered when it was asked last.
    [[nodiscard]] bool answered() const noexcept { return answered_; }

private:
    std::optional<zmq::ControlClient> client_;
    std::optional<Sequence> newest_;  // event, when it was asked last
    bool answered_ = false;
};

/// Calls a function every so often, on a thread of its own, until that returns false or this ends.
class Repeated {
public:
    Repeated(std::chrono::milliseconds every, std::function<bool()> call);
    ~Repeated();
    Repeated(const Repeated&) = delete;
    Repeated& operator=(const Repeated&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread thread_;
};

/// Watches the engine for as long as it lives: calls `on_restart` once another process than at first answers, whose
/// predecessor's answers will not come, and `on_silence` once nobody has answered for ten seconds.
class EngineWatch {
public:
    EngineWatch(const zmq::ControlOptions& options, std::function<void()> on_restart, std::function<void()> on_silence);

private:
    Repeated asking_;
};

/// Shows the engine's activity on stderr, if that is a terminal, for as long as it lives: `what` begins the line.
class ActivityLine {
public:
    ActivityLine(const std::string& what, const zmq::ControlOptions& options);

private:
    std::optional<Repeated> showing_;
};

}  // namespace fairstream::command
