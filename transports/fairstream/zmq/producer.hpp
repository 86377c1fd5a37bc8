#pragma once
/// Sends events to an engine so that each is taken exactly once, whatever happens to the connection or the engine.
///
/// What is not answered yet is kept, and sent again after a lost connection or a restart of the engine; when the bounds
/// below are reached, sending waits, or reports that it is full. No hidden thread: the protocol moves only inside
/// `send`, `poll`, `flush` and the like, so call `poll` now and then while there is nothing to send but something
/// unanswered. One thread at a time. The destructor does not wait: `flush` first, or what is unanswered may be lost.

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
    /// Must rise with every life of this producer; 0: microseconds of the system clock, or where the engine knows an
    /// epoch as new, the one after that.
    std::uint64_t epoch = 0;
    ProducerWindow::Limits unanswered = {};  ///< what is kept at most; higher: more memory, fewer waits
    ProducerTiming timing = {};
    std::optional<ClientSecurity> security = {};
    std::shared_ptr<Context> context = {};  ///< none: one of its own
};

class Producer {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Connects in the background. Throws `InvalidInput` (bad_option, malformed) or `SocketError`.
    explicit Producer(ProducerOptions options);
    ~Producer();
    Producer(Producer&&) noexcept;
    Producer& operator=(Producer&&) noexcept;

    // Each of the functions below that moves the protocol throws `ProducerError` when going on is impossible, and then
    // each later call does; and `SocketError` when the socket fails.

    /// Waits for the engine's first word. False: none came in time.
    [[nodiscard]] bool connect(Milliseconds timeout);
    /// The stream's format; empty until the engine's first word.
    [[nodiscard]] const std::optional<StreamFormat>& format() const noexcept;
    /// The recording that the engine writes; empty until the engine's first word.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;

    /// Takes over a copy of `batch` and returns its number; empty when there was no room for it in time, so that
    /// nothing happened. A batch that breaks a rule of the stream is found out by the engine: see `take_refused`.
    /// Throws `InvalidInput` (oversized) for one that is longer than the engine takes, once the engine has told;
    /// before, it is a `ProducerError`.
    [[nodiscard]] std::optional<std::uint64_t> send(const PointBatch& batch, Milliseconds timeout);
    [[nodiscard]] std::optional<std::uint64_t> try_send(const PointBatch& batch) {
        return send(batch, Milliseconds(0));
    }
    /// Changes an option of a running model, in order with the batches.
    [[nodiscard]] std::optional<std::uint64_t> set_option(const KnobChange& change, Milliseconds timeout);
    /// Further rounds of a model on the retained points, in order with the batches.
    [[nodiscard]] std::optional<std::uint64_t> refine(const Refinement& refinement, Milliseconds timeout);

    /// Takes in answers and sends what is due; returns at the first answer to an event, or after `timeout`.
    void poll(Milliseconds timeout);
    /// Waits until everything is answered. False: it was not in time.
    [[nodiscard]] bool flush(Milliseconds timeout);

    /// Events without an answer.
    [[nodiscard]] std::size_t unanswered() const noexcept;
    /// Events before this number are on disk, or refused.
    [[nodiscard]] std::uint64_t first_unanswered() const noexcept;
    /// The refusals since the last call, oldest first; of more than 10,000 the oldest are dropped (the statistics count
    /// all).
    [[nodiscard]] std::vector<Refused> take_refused();
    [[nodiscard]] const ProducerStatistics& statistics() const noexcept;
    /// Of this life; settled with the engine's first word.
    [[nodiscard]] std::uint64_t epoch() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
