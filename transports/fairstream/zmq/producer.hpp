#pragma once
/// Sends events to an engine so that each is taken exactly once, whatever happens to the connection or the engine.
///
/// Unanswered events are kept, and sent again after a lost connection or a restart of the engine; when the bounds below
/// are reached, sending waits, or reports that it is full. No hidden thread: the protocol runs only inside `send`,
/// `poll`, `flush` and the like, so call `poll` regularly while events are unanswered. One thread at a time. The
/// destructor does not wait: `flush` first, or unanswered events may be lost.

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
    std::string endpoint = {};  ///< of the engine's ingest socket, e.g. "tcp://127.0.0.1:7101"
    std::string name = {};      ///< 1 to 128 bytes; one producer at a time may use it
    /// Must rise with every life of this producer; 0: microseconds of the system clock or, where the engine knows one
    /// that is not lower, the epoch after that.
    std::uint64_t epoch = 0;
    ProducerWindow::Limits unanswered = {};  ///< bounds on events kept; higher: more memory, fewer waits
    ProducerTiming timing = {};
    std::optional<ClientSecurity> security = {};
    std::shared_ptr<Context> context = {};  ///< null: one of its own
};

class Producer {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Connects in the background. Throws `InvalidInput` (bad_option, malformed) or `SocketError`.
    explicit Producer(ProducerOptions options);
    ~Producer();
    Producer(Producer&&) noexcept;
    Producer& operator=(Producer&&) noexcept;

    // Each function below that runs the protocol throws `ProducerError` when it cannot go on, and then at each later
    // call; and `SocketError` when the socket fails.

    /// Waits for the engine's first message; returns false when none came in time.
    [[nodiscard]] bool connect(Milliseconds timeout);
    /// Returns the stream's format; empty until the engine's first message.
    [[nodiscard]] const std::optional<StreamFormat>& format() const noexcept;
    /// Returns how the stream's files are written, as the engine's first message said.
    [[nodiscard]] const files::ReaderSettings& reader_settings() const noexcept;
    /// Returns the id of the engine's recording; empty until the engine's first message.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;

    // Points and outcomes whose ids stand for texts are known by their texts: ids beside them are not looked at.

    /// Queues a copy of `batch` and returns its number; empty, and nothing is queued, when there was no room in time. A
    /// batch that breaks a rule of the stream is refused by the engine: see `take_refused`. Throws `InvalidInput`
    /// (oversized) for a batch above the engine's limit once that is known; queued before, it causes a `ProducerError`.
    [[nodiscard]] std::optional<std::uint64_t> send(const PointBatch& batch, Milliseconds timeout);
    [[nodiscard]] std::optional<std::uint64_t> try_send(const PointBatch& batch) {
        return send(batch, Milliseconds(0));
    }
    /// Sends targets of points that were sent before, in order with the batches (`send`).
    [[nodiscard]] std::optional<std::uint64_t> send(const Outcomes& outcomes, Milliseconds timeout);
    /// Changes an option of a running model, in order with the batches.
    [[nodiscard]] std::optional<std::uint64_t> set_option(const KnobChange& change, Milliseconds timeout);
    /// Requests further rounds of a model on the retained points, in order with the batches.
    [[nodiscard]] std::optional<std::uint64_t> refine(const Refinement& refinement, Milliseconds timeout);

    /// Processes answers and sends what is due; returns at the first answer to an event, or after `timeout`.
    void poll(Milliseconds timeout);
    /// Waits until every event is answered; returns false when that took longer than `timeout`.
    [[nodiscard]] bool flush(Milliseconds timeout);

    /// Returns the bytes of the longest event that the engine takes; 0: not known.
    [[nodiscard]] std::uint64_t message_limit() const noexcept;
    /// Returns what makes points leave the engine's window, as it was when it was last connected to.
    [[nodiscard]] const wire::WindowLimits& window_limits() const noexcept;
    /// Returns the number of events without an answer.
    [[nodiscard]] std::size_t unanswered() const noexcept;
    /// Returns the oldest number without an answer: all events before it are on disk or refused.
    [[nodiscard]] std::uint64_t first_unanswered() const noexcept;
    /// Returns whether the engine said that its process ends, and none answered since: the unanswered events were not
    /// taken. They are sent again when an engine answers.
    [[nodiscard]] bool engine_ended() const noexcept;
    /// Returns the refusals since the last call, oldest first; of more than 10,000 the oldest are dropped (the
    /// statistics count all).
    [[nodiscard]] std::vector<Refused> take_refused();
    [[nodiscard]] const ProducerStatistics& statistics() const noexcept;
    /// Returns the epoch of this life; final after the engine's first message.
    [[nodiscard]] std::uint64_t epoch() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
