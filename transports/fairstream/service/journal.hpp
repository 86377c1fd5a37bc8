#pragma once
/// Writes a service's changes to its log, one flush after another: synchronously, or on a separate thread while the
/// service goes on.

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

/// Stages calls in memory, and hands them to the log in order; one flush covers all calls staged before it. For use by
/// one thread.
class Journal {
public:
    /// Takes over `log`. The destructor waits for a running flush, and discards staged calls.
    explicit Journal(std::unique_ptr<log::Log> log, RunInBackground run_in_background = {})
        : log_(std::move(log)), thread_(std::move(run_in_background)) {}

    /// The recorded data of an event besides its message, see `log::NewEvent`.
    struct EventRecord {
        Sequence sequence;
        std::string producer;
        std::string owner;
        log::ProducerMark mark;
        std::int64_t time;
        std::vector<std::byte> decisions;
        std::uint64_t update_digest;
        std::optional<ProducerExpiry> expiry = {};
    };
    /// Appends an event. Moves the message out, and leaves memory for the next message in its place.
    void append(EventRecord event, wire::AlignedMessage& message);
    void refuse(log::Refusal refusal);
    void begin_checkpoint(log::Checkpoint checkpoint);
    [[nodiscard]] bool staged() const noexcept { return !staged_.empty(); }

    // Functions that write throw `RecordingError` on failure; after that only a recovery can go on.

    /// Writes the staged calls, and a part of a pending checkpoint. No flush may be running.
    void write();
    /// Starts `write` on the journal's thread, which calls `done` at its end. No flush may be running.
    void begin_write(const std::function<void()>& done);
    /// Returns whether a flush is running: begun, and not yet finished by `finish_write`.
    [[nodiscard]] bool writing() const noexcept { return thread_.begun(); }
    /// Returns whether the running flush is on disk or failed. If so, `finish_write` waits at most for `done`.
    [[nodiscard]] bool written() const { return thread_.done(); }
    /// Waits until the running flush is on disk.
    void finish_write();
    /// Returns whether a checkpoint is staged or incomplete, as of the start of the running flush, if any.
    [[nodiscard]] bool checkpoint_pending() const noexcept { return checkpoint_pending_; }

    /// No flush may be running.
    [[nodiscard]] log::Log& log() noexcept { return *log_; }
    [[nodiscard]] const log::Log& log() const noexcept { return *log_; }

private:
    struct Appended {
        EventRecord event;
        wire::AlignedMessage message;
    };
    using Entry = std::variant<Appended, log::Refusal, log::Checkpoint>;

    void write_staged();
    void recycle();
    void put(const Appended& appended);
    void put(const log::Refusal& refusal) { log_->refuse(refusal); }
    void put(log::Checkpoint& checkpoint) { log_->begin_checkpoint(std::move(checkpoint)); }

    std::unique_ptr<log::Log> log_;  // used only by the thread while it writes, as is `writing_`
    std::vector<Entry> staged_;
    std::vector<Entry> writing_;
    std::vector<wire::AlignedMessage> spare_;
    bool checkpoint_pending_ = false;
    log::JobThread thread_;  // declared last: ends before the members it uses
};

}  // namespace fairstream::service
