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

/// Throws `zmq::ControlTimeout` when no engine answers `options.endpoint` within a few seconds, or within the options'
/// timeout if that is shorter. A busy engine answers, too.
void require_engine(zmq::ControlOptions options);

/// Returns the text of a timeout with the engine's activity, or with the probable reason why no engine answered.
[[nodiscard]] std::string explained(const zmq::ControlTimeout& timeout, const zmq::ControlOptions& options);

/// Returns the engine's activity, as `fairstream status` shows it; empty when the engine waits for events or does not
/// report an activity.
[[nodiscard]] std::string activity_of(zmq::ControlOptions options);

/// Finds out through the control endpoint whether an engine that does not answer events is busy with a long event, or
/// recovers. For one thread at a time.
class LongWork {
public:
    /// Without options there is no endpoint to ask.
    explicit LongWork(std::optional<zmq::ControlOptions> options);

    /// Asks the engine, for at most a second and no longer than the options allow. Returns the activity that keeps the
    /// engine from answering events. Returns an empty text if the engine went on to newer events since the last call:
    /// silence then has another cause.
    [[nodiscard]] std::string ask();
    /// Returns whether there is an endpoint to ask.
    [[nodiscard]] bool asks() const noexcept { return client_.has_value(); }
    /// Returns whether the engine answered the last call of `ask`.
    [[nodiscard]] bool answered() const noexcept { return answered_; }

private:
    std::optional<zmq::ControlClient> client_;
    std::optional<Sequence> newest_;  // event at the last call of `ask`
    bool answered_ = false;
};

/// Calls a function at this interval on a thread of its own, until the function returns false or this object is
/// destroyed.
class RepeatedCall {
public:
    RepeatedCall(std::chrono::milliseconds every, std::function<bool()> call);
    ~RepeatedCall();
    RepeatedCall(const RepeatedCall&) = delete;
    RepeatedCall& operator=(const RepeatedCall&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread thread_;
};

/// Watches the engine for as long as this object lives. Calls `on_restart` once another process answers, since the
/// first process will never answer. Calls `on_silence` once nobody has answered for ten seconds.
class EngineWatch {
public:
    EngineWatch(const zmq::ControlOptions& options, std::function<void()> on_restart, std::function<void()> on_silence);

private:
    RepeatedCall polling_;
};

/// Shows the engine's activity on stderr, if that is a terminal, for as long as this object lives; `what` begins the
/// line.
class ActivityLine {
public:
    ActivityLine(const std::string& what, const zmq::ControlOptions& options);

private:
    std::optional<RepeatedCall> redraw_;
};

}  // namespace fairstream::command
