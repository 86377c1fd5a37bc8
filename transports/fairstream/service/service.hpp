#pragma once
/// The engine side of the wire, without the wire: what every message does, and what may be sent when.
///
/// It owns an engine and its recording, takes messages as bytes, and leaves the replies and publications they cause in
/// an outbox; it has no socket and no clock. A transport feeds it, and sends what `take` hands out. Between the two it
/// calls `commit` when it has no more to feed, or `begin_commit` and `finish_commit` to feed on while a thread of the
/// service's writes. One thread calls, but for `health`.
///
/// Promises, whatever the messages and wherever the process is killed:
/// - nothing leaves before the events it depends on are on disk: no reply, no publication, no snapshot, no figure;
/// - no answer waits for events that came after its question, and health waits for none;
/// - an acked event is in the recording exactly once; a refused one changed nothing but its producer's numbering;
/// - after recovery the engine's state, the publications and their numbers are those of a run that was never
/// interrupted;
/// - answers and publications carry the running hash of the events they tell of. A client that comes back with one that
/// the recording does not have is told so: events that it had been told of are missing.

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/recording/recording.hpp>
#include <fairstream/service/board.hpp>
#include <fairstream/service/journal.hpp>
#include <fairstream/service/producers.hpp>
#include <fairstream/service/shared_bytes.hpp>
#include <fairstream/service/topics.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// The producer under whose name the service's own events are recorded: knob changes and refinements asked for by
/// control requests, and the expiry of producers. Nobody else may use it.
inline constexpr std::string_view control_producer = "control";

/// What the service can do no more: a write to the recording failed, or an event could not be finished that was begun.
/// The process must end; what is on disk decides, through a recovery, what happened.
class ServiceFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Settings {
    std::uint32_t credit = 64;  ///< events a producer may have unanswered, at least 1; higher: more in each commit
    RingLimits ring = {};       ///< of each topic; an older range is answered by a snapshot. `bytes` at most 128 MiB
    /// A checkpoint is taken after this many events, or bytes of them, whichever comes first; both at least 1. Higher:
    /// fewer writes, longer recovery.
    std::uint64_t checkpoint_events = 4096;
    std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;
    /// Whether to replay events that were taken in at another CPU level: their labels may then differ from the
    /// published ones.
    bool any_cpu_level = false;
    /// Events after which a producer that sent none of them is forgotten, at least 1, and how many producers are known
    /// at most, at least 1, before the idlest are forgotten sooner. A forgotten one must come with a new epoch. Higher:
    /// more memory, about 200 bytes each, and a longer start.
    std::uint64_t producer_idle_events = 100'000'000;
    std::size_t producers = 10'000;
    RunBeside run_beside = {};  ///< gets commits that are begun, and the engine's tasks beside ingestion
    /// Gets what somebody should look at who looks after the engine: a client was told of events that the recording
    /// lacks. Called by those that handle; must not call the service.
    std::function<void(const std::string& text)> warn = {};
};

/// Throws `InvalidInput` (bad_option).
void check(const Settings& settings);

/// What the service did since it was made.
struct Counters {
    std::uint64_t events = 0;        ///< taken in
    std::uint64_t points = 0;        ///< in them
    std::uint64_t duplicates = 0;    ///< numbers that came again
    std::uint64_t out_of_order = 0;  ///< gaps and stale epochs
    std::uint64_t refused = 0;       ///< for their content, or unreadable
    std::uint64_t lost_events = 0;   ///< clients that were told of events which the recording lacks
    std::uint64_t requests = 0;      ///< of control that `handle_control` was given
    std::uint64_t commits = 0;
    std::uint64_t checkpoints = 0;  ///< begun
};

/// A message for one client. `client` is what `handle_...` was given.
struct Reply {
    std::string client;
    SharedBytes message;
};

/// Whether a client may send events in the name of a producer. Empty: in any.
using Names = std::function<bool(std::string_view producer)>;

/// What may be sent, each list in order.
struct Outbox {
    std::vector<Reply> ingest;
    std::vector<Reply> control;
    std::vector<Outgoing> publications;

    void clear() noexcept { ingest.clear(), control.clear(), publications.clear(); }
};

class Service {
public:
    /// Called while a recovery replays: after event `done`, of which `last` is the newest.
    using Progress = std::function<void(Sequence done, Sequence last)>;

    /// Begins with `recording`, or goes on where it ends: newest checkpoint, then the events after it. Its
    /// configuration must be `config::write_toml(options)`. Throws `InvalidInput` for bad options or settings, or ones
    /// that are not the recording's; `RecordingError` when it cannot be recovered from. `threads` is the engine's.
    Service(recording::Recording recording, EngineOptions options, Settings settings = {}, int threads = 0,
            const Progress& progress = {});
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Bad messages are answered, not thrown. Each of these may throw `ServiceFailure`; once one did, those that handle,
    // commit or finish always do. Once `interrupt` had an effect those that handle throw `Interrupted`, but for a stop.

    /// Longest message that the transport hands in, in bytes, which producers are told; 0: there is no limit to tell.
    void tell_message_limit(std::uint64_t bytes) noexcept { message_limit_ = bytes; }

    /// An IngestRequest. Its answer is released by the next commit. One in a name that the client may not use is
    /// refused, and leaves that producer's numbering as it is.
    void handle_ingest(std::string_view client, Bytes message, const Names& may_use = {});
    /// A ControlRequest. Health is answered at once. Any other answer is worked out at once and released by the commit
    /// of the events it depends on: those taken in before, and the one that the request itself is. A stop finishes the
    /// service first. `uptime_seconds` is shown by `health`. Without `may_change` only requests that change nothing are
    /// answered, the others refused.
    void handle_control(std::string_view client, Bytes message, double uptime_seconds, bool may_change = true);
    /// Puts all that was taken in on disk and releases its answers and publications. Writes a part of a pending
    /// checkpoint.
    void commit();
    /// Hands all that was taken in to the service's thread, unless a commit is in flight or nothing is pending. The
    /// thread calls `done`, which may be empty and must not call the service, when `finish_commit` need not wait.
    void begin_commit(const std::function<void()>& done);
    /// Whether a commit is in flight: begun, and not finished.
    [[nodiscard]] bool committing() const noexcept { return journal_.writing(); }
    /// Whether it is through: `finish_commit` would release its answers and publications without waiting.
    [[nodiscard]] bool committed() const { return journal_.writing() && journal_.written(); }
    /// Releases what the commit in flight put on disk, if there is one that is through, or with `wait` when it is.
    void finish_commit(bool wait = false);
    /// Commits, and finishes a checkpoint of the newest event, so that the next start replays nothing; none after an
    /// interruption.
    void finish();
    /// Ends the event that is worked on, and steps in the background: whatever works on them throws `Interrupted`. The
    /// event is neither recorded nor answered, so its producer sends it again; those before it may still be committed,
    /// and nothing else is left to do. From any thread.
    void interrupt() noexcept { engine_.interrupt(); }
    /// Whether an event was ended so, or a checkpoint that would have waited for a step.
    [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

    /// Whether anything is left for a commit besides the one in flight.
    [[nodiscard]] bool pending() const noexcept;
    /// Whether a stop request was answered: send what is released, then end.
    [[nodiscard]] bool stopping() const noexcept { return stopping_; }
    /// Moves what was released since the last call to `out`, which is cleared first. Hand the same one in again: its
    /// memory is reused.
    void take(Outbox& out);
    /// Publishes on topic "status" how far every topic is, once what it tells of is on disk. Finds out when somebody
    /// deleted or replaced the recording.
    void publish_status();
    /// What the service is at, and what the last commit put on disk. From any thread.
    [[nodiscard]] wire::Health health(double uptime_seconds) const { return board_.health(uptime_seconds); }
    /// Size of the answers to control requests that wait for a commit.
    [[nodiscard]] std::size_t held_bytes() const noexcept { return held_.control_bytes + in_flight_.control_bytes; }

    [[nodiscard]] const recording::RecordingId& id() const noexcept { return id_; }
    [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
    /// Not while a commit is in flight.
    [[nodiscard]] const recording::Recording& recording() const noexcept { return journal_.recording(); }
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

private:
    // An answer to an ingest message, held back until the next commit.
    struct Answer {
        std::string client;
        SharedBytes message;   // empty: a duplicate, answered as its original was
        std::string producer;  // of a duplicate
        ProducerMark mark;
    };

    // What a commit releases, and what holds after it.
    struct Held {
        std::vector<Answer> answers;
        std::vector<Reply> control;
        std::size_t control_bytes = 0;
        std::vector<Outgoing> publications;
        Standing standing;
    };

    void run_or_fail(std::string_view what, const std::function<void()>& action);
    void require_usable() const;
    void require_uninterrupted() const;

    void recover(int threads, const Progress& progress);
    using IngestBody = decltype(wire::IngestReply::body);
    void handle_unreadable(std::string_view client, const InvalidInput& error, Bytes message, const Names& may_use);
    void handle(std::string_view client, const wire::Hello& hello);
    void handle(std::string_view client, const wire::EventMessage& event);
    [[nodiscard]] bool expects(std::string_view client, const std::string& producer, const ProducerMark& mark);
    void take_in(const wire::EventMessage& event, wire::AlignedMessage& message);
    void refuse(std::string_view client, recording::Refusal refusal);
    [[nodiscard]] std::vector<std::byte> kept(Bytes refused) const;
    [[nodiscard]] wire::Nack out_of_order(std::string_view producer, const ProducerMark& mark);
    void hold_back(std::string_view client, IngestBody body);
    [[nodiscard]] SharedBytes encode(IngestBody body);
    [[nodiscard]] SharedBytes answer_again(const Answer& duplicate);
    [[nodiscard]] Held* commit_awaited() noexcept;
    [[nodiscard]] Standing standing() const noexcept;
    void release(Held& held);
    [[nodiscard]] bool checkpoint_due() const noexcept;
    void begin_checkpoint();
    void count(const wire::EventMessage& event, std::size_t bytes);

    using ControlBody = decltype(wire::ControlReply::body);
    [[nodiscard]] ControlBody answer(const wire::ControlRequest& request, double uptime_seconds);
    void require_answerable(const wire::ControlRequest& request) const;
    [[nodiscard]] wire::Publication snapshot(const std::string& topic);
    [[nodiscard]] ControlBody answer_range(const wire::RangeRequest& request);
    [[nodiscard]] ControlBody answer_assign(const wire::AssignRequest& request);
    [[nodiscard]] ControlBody answer_event(Event event);
    void require_recording();
    void take_in_own(Event event);
    void expire_producers();
    void require_known(const std::string& client, const wire::KnownEvent& event);
    void require_recorded(const Standing& standing) const;

    Settings settings_;
    std::uint64_t message_limit_ = 0;
    std::size_t refused_bytes_;  // of a refused message that the recording keeps
    recording::RecordingId id_;
    std::uint64_t life_;              // see wire::IngestReply
    recording::RecentHashes hashes_;  // of all events taken in, committed or not
    Journal journal_;
    Engine engine_;
    Publisher publisher_;
    ProducerBook producers_;
    Counters counters_;
    Board board_;
    std::uint64_t refused_before_ = 0;  // by the recording's earlier writers

    Held held_;       // until the next commit
    Held in_flight_;  // until the present one is through
    Outbox released_;

    std::uint64_t events_since_checkpoint_ = 0;
    std::uint64_t bytes_since_checkpoint_ = 0;
    Sequence checkpointed_ = 0;       // the event of the checkpoint begun last
    bool look_at_recording_ = false;  // when the commit in flight is through
    bool stopping_ = false;
    bool interrupted_ = false;
    bool failed_ = false;

    wire::AlignedMessage message_;  // scratch: the message being handled
    wire::Encoder encoder_;
    std::vector<ClusterId> assigned_;
    std::vector<Score> scored_;
};

}  // namespace fairstream::service
