#pragma once
/// Sends events to an engine so that each is taken exactly once, whatever happens to the connection or the engine.
///
/// Unanswered events are kept, and sent again after a lost connection or a restart of the engine. When the bounds below
/// are reached, sending waits, or reports that there is no room. No hidden thread: the protocol runs only inside
/// `send`, `poll`, `flush` and similar calls, so call `poll` regularly while events are unanswered. For one thread at a
/// time. The destructor does not wait: call `flush` first, or unanswered events may be lost.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/zmq/producer_window.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq {

struct ProducerOptions {
    std::string endpoint = {};  ///< endpoint of the engine's ingest socket, e.g. "tcp://127.0.0.1:7101"
    std::string name = {};      ///< 1 to 128 bytes; one producer at a time may use it
    /// Must rise with every life of this producer. 0: microseconds of the system clock; if the engine knows an epoch
    /// that is not lower, the epoch after that.
    std::uint64_t epoch = 0;
    ProducerWindow::Limits unanswered = {};  ///< bounds on events kept; higher: more memory, fewer waits
    ProducerTiming timing = {};
    std::optional<ClientSecurity> security = {};
    std::shared_ptr<Context> context = {};  ///< null: a context of its own
};

class Producer {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Connects in the background. Throws `InvalidInput` (bad_option, malformed) or `SocketError`.
    explicit Producer(ProducerOptions options);
    ~Producer();
    Producer(Producer&&) noexcept;
    Producer& operator=(Producer&&) noexcept;

    // Each function below that runs the protocol throws `ProducerError` when the producer cannot go on, and at each
    // later call; and `SocketError` when the socket fails.

    /// Waits for the engine's first message; returns false when none came in time.
    [[nodiscard]] bool connect(Milliseconds timeout);
    /// Returns the stream's format; nothing until the engine's first message.
    [[nodiscard]] const std::optional<StreamFormat>& format() const noexcept;
    /// Returns how the stream's files are read, from the engine's first message.
    [[nodiscard]] const files::ReaderSettings& reader_settings() const noexcept;
    /// Returns whether the engine scales features, clips them or takes their logarithms; false until its first message.
    [[nodiscard]] bool engine_scales() const noexcept;
    /// Returns the id of the engine's recording; nothing until the engine's first message.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;

    // For points and outcomes with text ids, numbers in `ids` are ignored.

    /// Queues a copy of `batch` and returns its number. Returns nothing, and queues nothing, when there was no room in
    /// time. The engine refuses a batch that breaks a rule of the stream: see `take_refused`. Throws `InvalidInput`
    /// (oversized) for a batch above the engine's limit. Before the limit is known, such a batch is queued, and causes
    /// a `ProducerError` later.
    [[nodiscard]] std::optional<std::uint64_t> send(const PointBatch& batch, Milliseconds timeout);
    [[nodiscard]] std::optional<std::uint64_t> try_send(const PointBatch& batch) {
        return send(batch, Milliseconds(0));
    }
    /// Sends targets of points sent earlier, in order with the batches (`send`).
    [[nodiscard]] std::optional<std::uint64_t> send(const Outcomes& outcomes, Milliseconds timeout);
    /// Changes an option of a running model, in order with the batches.
    [[nodiscard]] std::optional<std::uint64_t> set_option(const KnobChange& change, Milliseconds timeout);
    /// Requests further rounds of a model on the retained points, in order with the batches.
    [[nodiscard]] std::optional<std::uint64_t> refine(const Refinement& refinement, Milliseconds timeout);

    /// Processes answers and sends what is due; returns at the first answer to an event, or after `timeout`.
    void poll(Milliseconds timeout);
    /// Waits until every event is answered; returns false when that took longer than `timeout`.
    [[nodiscard]] bool flush(Milliseconds timeout);

    /// Returns the length in bytes of the longest event that the engine takes; 0: unknown.
    [[nodiscard]] std::uint64_t message_limit() const noexcept;
    /// Returns the limits of the engine's window, as of the last connection.
    [[nodiscard]] const wire::WindowLimits& window_limits() const noexcept;
    /// Returns the number of events without an answer.
    [[nodiscard]] std::size_t unanswered() const noexcept;
    /// Returns the oldest number without an answer; all events before it are on disk or refused.
    [[nodiscard]] std::uint64_t first_unanswered() const noexcept;
    /// Returns whether the engine announced the end of its process and no engine has answered since then. The
    /// unanswered events were then not taken; they are sent again when an engine answers.
    [[nodiscard]] bool engine_ended() const noexcept;
    /// Returns the refusals since the last call, oldest first. Above 10,000 the oldest are dropped; the statistics
    /// count all.
    [[nodiscard]] std::vector<Refused> take_refused();
    [[nodiscard]] const ProducerStatistics& statistics() const noexcept;
    /// Returns the epoch of this life; final after the engine's first message.
    [[nodiscard]] std::uint64_t epoch() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
