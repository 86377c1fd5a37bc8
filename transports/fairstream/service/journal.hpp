#pragma once
/// Writes a service's changes to its log, flush by flush: synchronously, or on a thread of its own
/// while the service goes on with the next one.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/log/job_thread.hpp>
#include <fairstream/log/log.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// Stages calls in memory and hands them to the log in order, all that one flush covers together. Called by one thread
/// only.
class Journal {
public:
    /// The destructor waits for the flush in flight, and discards staged calls.
    explicit Journal(std::unique_ptr<log::Log> log, RunBeside run_beside = {})
        : log_(std::move(log)), thread_(std::move(run_beside)) {}

    /// What is recorded of an event besides its message, see `log::NewEvent`.
    struct Taken {
        Sequence sequence;
        std::string producer;
        std::string owner;
        log::ProducerMark mark;
        std::int64_t time;
        std::vector<std::byte> decisions;
        std::uint64_t update_digest;
        std::optional<ProducerExpiry> expiry = {};
    };
    /// Appends an event. Moves the message out and leaves memory for the next one in its place.
    void append(Taken event, wire::AlignedMessage& message);
    void refuse(log::Refusal refusal);
    void begin_checkpoint(log::Checkpoint checkpoint);
    [[nodiscard]] bool staged() const noexcept { return !staged_.empty(); }

    // The functions that write throw `RecordingError` on failure; then only a recovery can go on.

    /// Writes the staged calls and a part of a pending checkpoint. No flush may be in flight.
    void write();
    /// Starts `write` on the journal's thread, which calls `done` when it has ended. No flush may be in flight.
    void begin_write(const std::function<void()>& done);
    /// Returns whether a flush is in flight: begun, and not finished by `finish_write`.
    [[nodiscard]] bool writing() const noexcept { return thread_.begun(); }
    /// Returns whether the flush in flight is on disk, or failed: `finish_write` waits at most for `done` to
    /// return.
    [[nodiscard]] bool written() const { return thread_.done(); }
    /// Waits until the flush in flight is on disk.
    void finish_write();
    /// Returns whether a checkpoint is staged or not completely written, as of the start of the flush in flight,
    /// if any.
    [[nodiscard]] bool checkpoint_pending() const noexcept { return checkpoint_pending_; }

    /// No flush may be in flight.
    [[nodiscard]] log::Log& log() noexcept { return *log_; }
    [[nodiscard]] const log::Log& log() const noexcept { return *log_; }

private:
    struct Appended {
        Taken event;
        wire::AlignedMessage message;
    };
    using Entry = std::variant<Appended, log::Refusal, log::Checkpoint>;

    void write_staged();
    void recycle();
    void put(const Appended& appended);
    void put(const log::Refusal& refusal) { log_->refuse(refusal); }
    void put(log::Checkpoint& checkpoint) { log_->begin_checkpoint(std::move(checkpoint)); }

    std::unique_ptr<log::Log> log_;  // used by the thread alone while it writes, as is `writing_`
    std::vector<Entry> staged_;
    std::vector<Entry> writing_;
    std::vector<wire::AlignedMessage> spare_;
    bool checkpoint_pending_ = false;
    log::JobThread thread_;  // declared last: ends before the members that it uses
};

}  // namespace fairstream::service
