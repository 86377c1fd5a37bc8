#pragma once
/// Writes a service's changes to its recording, transaction by transaction: synchronously, or on a thread of its own
/// while the service goes on with the next one.

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/recording/job_thread.hpp>
#include <fairstream/recording/recording.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// Stages calls in memory and writes them in order with their transaction. Called by one thread only.
class Journal {
public:
    /// The destructor waits for the transaction in flight, and discards staged calls.
    explicit Journal(recording::Recording recording, RunBeside run_beside = {})
        : recording_(std::move(recording)), thread_(std::move(run_beside)) {}

    /// What is recorded of an event besides its message, see `Recording::append`.
    struct Taken {
        Sequence sequence;
        std::string producer;
        std::string owner;
        recording::ProducerMark mark;
        std::int64_t time;
        std::vector<std::byte> decisions;
        std::uint64_t update_digest;
    };
    /// Appends an event. Moves the message out and leaves memory for the next one in its place.
    void append(Taken event, wire::AlignedMessage& message);
    /// Forgets producers, as the event appended last says.
    void expire(ProducerExpiry expiry) { staged_.emplace_back(std::move(expiry)); }
    void refuse(recording::Refusal refusal);
    void begin_checkpoint(recording::Checkpoint checkpoint);
    [[nodiscard]] bool staged() const noexcept { return !staged_.empty(); }

    // The functions that write throw `RecordingError` on failure; then only a recovery can go on.

    /// Writes the staged calls and a part of a pending checkpoint. No transaction may be in flight.
    void write();
    /// Starts `write` on the journal's thread, which calls `done` when it has ended. No transaction may be in flight.
    void begin_write(const std::function<void()>& done);
    /// Returns whether a transaction is in flight: begun, and not finished by `finish_write`.
    [[nodiscard]] bool writing() const noexcept { return thread_.begun(); }
    /// Returns whether the transaction in flight is on disk, or failed: `finish_write` waits at most for `done` to
    /// return.
    [[nodiscard]] bool written() const { return thread_.done(); }
    /// Waits until the transaction in flight is on disk.
    void finish_write();
    /// Returns whether a checkpoint is staged or not completely written, as of the start of the transaction in flight,
    /// if any.
    [[nodiscard]] bool checkpoint_pending() const noexcept { return checkpoint_pending_; }

    /// No transaction may be in flight.
    [[nodiscard]] recording::Recording& recording() noexcept { return recording_; }
    [[nodiscard]] const recording::Recording& recording() const noexcept { return recording_; }

private:
    struct Appended {
        Taken event;
        wire::AlignedMessage message;
    };
    using Entry = std::variant<Appended, ProducerExpiry, recording::Refusal, recording::Checkpoint>;

    void write_transaction();
    void recycle();
    void put(const Appended& appended);
    void put(const ProducerExpiry& expiry) { recording_.expire(expiry); }
    void put(const recording::Refusal& refusal) { recording_.refuse(refusal); }
    void put(recording::Checkpoint& checkpoint) { recording_.begin_checkpoint(std::move(checkpoint)); }

    recording::Recording recording_;  // used by the thread alone while it writes, as is `transaction_`
    std::vector<Entry> staged_;
    std::vector<Entry> transaction_;
    std::vector<wire::AlignedMessage> spare_;
    bool checkpoint_pending_ = false;
    recording::JobThread thread_;  // declared last: ends before the members that it uses
};

}  // namespace fairstream::service
