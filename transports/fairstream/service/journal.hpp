#pragma once
/// What a service writes to its recording, transaction by transaction: in place, or on a thread of its own while the
/// service goes on with the next one. Private to the service.

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/recording/job_thread.hpp>
#include <fairstream/recording/recording.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// Calls are staged in memory and written with the transaction they fall into, in their order. One thread calls.
class Journal {
public:
    /// When it goes it waits for the transaction in flight, and gives up what is staged.
    explicit Journal(recording::Recording recording, RunBeside run_beside = {})
        : recording_(std::move(recording)), thread_(std::move(run_beside)) {}

    /// An event of an engine, with what it decided. Takes the message, and leaves memory for another one in its place.
    void append(Sequence sequence, const std::string& producer, const recording::ProducerMark& mark,
                std::vector<std::byte> decisions, wire::AlignedMessage& message);
    /// With the event appended last: producers expire by it.
    void expire(Sequence through) { staged_.emplace_back(Expired{through}); }
    void refuse(recording::Refusal refusal);
    void begin_checkpoint(recording::Checkpoint checkpoint);
    [[nodiscard]] bool staged() const noexcept { return !staged_.empty(); }

    // Those that write throw `RecordingError` when that failed; only a recovery can go on then.

    /// Writes what is staged, and a part of a pending checkpoint. Nothing may be in flight.
    void write();
    /// Begins to do so on the journal's thread, which calls `done` once it is through. Nothing may be in flight.
    void begin_write(const std::function<void()>& done);
    /// Whether a transaction is in flight: begun, and not finished by `finish_write`.
    [[nodiscard]] bool writing() const noexcept { return thread_.begun(); }
    /// Whether it is on disk, or failed: `finish_write` waits at most for `done` to return.
    [[nodiscard]] bool written() const { return thread_.done(); }
    /// Waits until the transaction in flight is on disk.
    void finish_write();
    /// Whether a checkpoint is staged or has not been written to its end. Of one in flight: before it.
    [[nodiscard]] bool checkpoint_pending() const noexcept { return checkpoint_pending_; }

    /// Nothing may be in flight.
    [[nodiscard]] recording::Recording& recording() noexcept { return recording_; }
    [[nodiscard]] const recording::Recording& recording() const noexcept { return recording_; }

private:
    struct Appended {
        Sequence sequence;
        std::string producer;
        recording::ProducerMark mark;
        std::vector<std::byte> decisions;
        wire::AlignedMessage message;
    };
    struct Expired {
        Sequence through;
    };
    using Entry = std::variant<Appended, Expired, recording::Refusal, recording::Checkpoint>;

    void write_transaction();
    void recycle();
    void put(const Appended& event);
    void put(const Expired& expired) { recording_.expire(expired.through); }
    void put(const recording::Refusal& refusal) { recording_.refuse(refusal); }
    void put(recording::Checkpoint& checkpoint) { recording_.begin_checkpoint(std::move(checkpoint)); }

    recording::Recording recording_;  // the thread's while it writes, as is `transaction_`
    std::vector<Entry> staged_;
    std::vector<Entry> transaction_;
    std::vector<wire::AlignedMessage> spare_;
    bool checkpoint_pending_ = false;
    recording::JobThread thread_;  // ends before what it writes goes
};

}  // namespace fairstream::service
