#pragma once
/// Asks an engine, one question at a time, and waits for the answer. One thread at a time.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq {

/// A request that did not succeed.
class ControlError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// No answer came in time. Whether the request was or will be carried out is unknown. An engine cuts off who sends a
/// request longer than its `max_message_bytes`, 4 MiB unless it is told otherwise: `assign` fewer points at a time.
class ControlTimeout : public ControlError {
public:
    using ControlError::ControlError;
};

/// The engine refused the request, and did nothing.
class ControlRefused : public ControlError {
public:
    ControlRefused(Reason reason, const std::string& what) : ControlError(what), reason_(reason) {}
    [[nodiscard]] Reason reason() const noexcept { return reason_; }

private:
    Reason reason_;
};

/// The answer is none to the request: another program, or another version of this one, is behind the endpoint.
class ControlMismatch : public ControlError {
public:
    using ControlError::ControlError;
};

struct ControlOptions {
    std::string endpoint = {};                ///< of the engine's control socket
    std::chrono::milliseconds timeout{5000};  ///< for the answer to each request
    std::optional<ClientSecurity> security = {};
    std::shared_ptr<Context> context = {};  ///< none: one of its own
};

/// Every request throws a `ControlError`, `SocketError`, or `InvalidInput` where it, or a part of its answer, cannot be
/// written or read.
class ControlClient {
public:
    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit ControlClient(ControlOptions options);
    ~ControlClient();
    ControlClient(ControlClient&&) noexcept;
    ControlClient& operator=(ControlClient&&) noexcept;

    /// The state behind a topic, e.g. "labels.safairkm". Its columns borrow from this client until the next request.
    [[nodiscard]] wire::Publication snapshot(const std::string& topic);
    /// Serialised publications (see `wire::read_publication`) of the topic sequences from `first` on, up to `last` at
    /// most; or, where the engine keeps them no longer, a snapshot.
    using Range = std::variant<wire::Publication, std::vector<wire::AlignedMessage>>;
    [[nodiscard]] Range range(const std::string& topic, std::uint64_t first, std::uint64_t last);
    /// The cluster of each row of `features`, n x d. With `groups` (n, of the model's balanced attribute) so that the
    /// balance target is kept; without, the nearest centre.
    [[nodiscard]] std::vector<ClusterId> assign(const std::string& model, ConstRows features,
                                                std::span<const GroupId> groups = {});
    /// The score of each row of `features`, n x d. `groups` is n x a, or empty for a model that does not need them.
    [[nodiscard]] std::vector<Score> score(const std::string& model, ConstRows features,
                                           std::span<const GroupId> groups = {});
    /// Of a clustering.
    [[nodiscard]] wire::ModelReport report(const std::string& model);
    /// Of a model of scores.
    [[nodiscard]] wire::ScoreFairnessReport score_report(const std::string& model);
    /// Returns when the change is on disk, with its number in the recording.
    Sequence set_option(const KnobChange& change);
    Sequence refine(const Refinement& refinement);
    [[nodiscard]] wire::Health health();
    /// Makes the engine write a checkpoint and end. Returns the number of the last event.
    Sequence stop();

    /// Of the following requests; e.g. longer for a refinement without an end.
    void set_timeout(std::chrono::milliseconds timeout);
    /// The recording that the last answer came from; zeros before the first.
    [[nodiscard]] const wire::RecordingId& recording() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
