#pragma once
/// A synchronous client of an engine's control socket: one request at a time, by one thread at a time.

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

/// No answer came in time; whether the request was or will be carried out is unknown. An engine disconnects a client
/// whose request is longer than its `max_message_bytes`, by default 4 MiB: `assign` fewer points at a time.
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

/// The answer does not fit the request: the endpoint belongs to another program, or to another version of this one.
class ControlMismatch : public ControlError {
public:
    using ControlError::ControlError;
};

struct ControlOptions {
    std::string endpoint = {};                ///< endpoint of the engine's control socket
    std::chrono::milliseconds timeout{5000};  ///< for the answer to each request
    std::optional<ClientSecurity> security = {};
    std::shared_ptr<Context> context = {};  ///< null: a context of its own
};

/// Every request throws a `ControlError`, a `SocketError`, or `InvalidInput` when it cannot be written, or part of its
/// answer cannot be read.
class ControlClient {
public:
    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit ControlClient(ControlOptions options);
    ~ControlClient();
    ControlClient(ControlClient&&) noexcept;
    ControlClient& operator=(ControlClient&&) noexcept;

    /// Returns the state behind a topic, e.g. "labels.safairkm". Its columns borrow from this client until the next
    /// request.
    [[nodiscard]] wire::Publication snapshot(const std::string& topic);
    /// A snapshot, or serialised publications (see `wire::read_publication`).
    using Range = std::variant<wire::Publication, std::vector<wire::AlignedMessage>>;
    /// Returns the publications of the topic sequences from `first` to at most `last`; a snapshot if the engine no
    /// longer keeps them.
    [[nodiscard]] Range range(const std::string& topic, std::uint64_t first, std::uint64_t last);
    /// Returns the cluster of each row of `features`, n x d. `groups` is n x a, for the a attributes that the model
    /// balances. With groups, labels are those of `Engine::assign_fair`. Without groups, each row gets its nearest
    /// cluster.
    [[nodiscard]] std::vector<ClusterId> assign(const std::string& model, ConstRows features,
                                                std::span<const GroupId> groups = {});
    /// Returns the score of each row of `features`, n x d. `groups` is n x a, or empty for a model that needs none.
    [[nodiscard]] std::vector<Score> score(const std::string& model, ConstRows features,
                                           std::span<const GroupId> groups = {});
    /// Returns the rows of numbers, n x k, for the points in `features`, n x d, from a model with such rows;
    /// `memberships` are the probabilities of the clusters.
    [[nodiscard]] std::vector<float> rows(const std::string& model, RowKind kind, ConstRows features);
    [[nodiscard]] std::vector<float> memberships(const std::string& model, ConstRows features) {
        return rows(model, RowKind::memberships, features);
    }
    /// Returns the figures of a model, with their meanings, as of the engine's last commit, which covers every answered
    /// event. Answered at once, even while the engine works on a longer event. The same holds for `description`.
    [[nodiscard]] wire::ModelReport report(const std::string& model);
    /// Changes an option; returns the number of its event once that is on disk. The same holds for `refine`.
    Sequence set_option(const KnobChange& change);
    Sequence refine(const Refinement& refinement);
    [[nodiscard]] wire::Health health();
    /// Returns what the engine runs. An engine of a version without this request refuses it (unknown_request).
    [[nodiscard]] wire::Description description();
    /// Returns the producers that the engine knows, by name.
    [[nodiscard]] std::vector<wire::ProducerState> producers();
    /// Makes the engine forget a producer. A later life of the producer needs a higher epoch, so that no event counts
    /// twice. Returns the number of this event once it is on disk.
    Sequence remove_producer(const std::string& name);
    /// Removes points from the window, for good once the removal is on disk. An engine of a version without this
    /// request refuses it (unknown_request).
    wire::RemovedPoints remove_points(const PointRemoval& removal);
    /// Makes the engine write a checkpoint and end. Returns the number of the last event.
    Sequence stop();

    /// Sets the timeout of later requests, for example longer for a refinement without a bound on rounds.
    void set_timeout(std::chrono::milliseconds timeout);
    /// Returns the id of the recording that the last answer came from; zeros before the first.
    [[nodiscard]] const wire::RecordingId& recording() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
