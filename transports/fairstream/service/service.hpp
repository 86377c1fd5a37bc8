#pragma once
/// The engine's side of the protocol without the transport: what every message does, and when which answer may be sent.
///
/// It owns an engine and its recording, takes messages as bytes, and leaves the replies and publications they cause in
/// an outbox; it has no socket and no clock. A transport hands in messages, and sends what `take` returns. In between
/// it calls `commit` when it has no more messages, or `begin_commit` and `finish_commit` to hand in more while the
/// service's thread writes. One thread calls, except `health` and `interrupt`.
///
/// Promises, whatever the messages and wherever the process is killed:
/// - nothing leaves before the events it depends on are on disk: no reply, no publication, no snapshot, no figure;
/// - no answer waits for events that came after its question, and health waits for none;
/// - an acked event is in the recording exactly once; a refused one changed nothing but its producer's numbering;
/// - after recovery the engine's state, the publications and their numbers are those of a run that was never
/// interrupted; where another build comes to other updates than were published, the recording says so, and each topic
/// leaves numbers out, so that subscribers take a snapshot;
/// - answers and publications carry the running hash of the events they tell of. A client that comes back with a hash
/// that the recording does not have is told that events it knew of are missing.

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/log/log.hpp>
#include <fairstream/service/access.hpp>
#include <fairstream/service/board.hpp>
#include <fairstream/service/journal.hpp>
#include <fairstream/service/producers.hpp>
#include <fairstream/service/shared_bytes.hpp>
#include <fairstream/service/topics.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

class MonitorWatch;
class Question;

/// The producer under whose name the service's own events are recorded: knob changes and refinements asked for by
/// control requests, and the expiry of producers. No client may use it.
inline constexpr std::string_view control_producer = "control";

/// A write to the recording failed, or an event failed half way, so that the service cannot go on. The process must
/// end; a recovery from what is on disk decides what happened.
class ServiceFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Settings {
    std::uint32_t credit = 64;  ///< events a producer may have unanswered, at least 1; higher: more in each commit
    RingLimits ring = {};  ///< of each topic; a range older than it is answered by a snapshot. `bytes` at most 128 MiB
    /// A checkpoint is taken after this many events, bytes of them, or multiply-adds that they took (`Update::work`),
    /// whichever comes first; all at least 1. Higher: fewer writes, longer recovery, which does the work again: some
    /// seconds of one core by default.
    std::uint64_t checkpoint_events = 4096;
    std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;
    std::uint64_t checkpoint_work = 10'000'000'000;
    /// Allows the replay of events recorded at another CPU level: their labels may then differ from the published ones.
    bool any_cpu_level = false;
    /// Events after which a producer that sent none of them is forgotten, at least 1, and how many producers are known
    /// at most, at least 1, before the idlest of the client that has most are forgotten sooner. A forgotten producer
    /// must use a new epoch. Higher: more memory, about 300 bytes each, and a longer start.
    std::uint64_t producer_idle_events = 100'000'000;
    std::size_t producers = 10'000;
    /// Leaves the recovery to `Service::recover`, so that health is answered meanwhile.
    bool recover_later = false;
    RunBeside run_beside = {};  ///< runs the writes of `begin_commit` and the engine's background tasks
    /// Called with a warning for the operator: a client was told of events that the recording lacks, an event was far
    /// ahead of `clock`, one was refused, or a monitored figure is above its bound or means nothing. Called within
    /// `handle_ingest` and `handle_control`; must not call the service.
    std::function<void(const std::string& text)> warn = {};
    /// Called likewise with a change of a model that was taken in, of an option, or a refinement; and where a monitored
    /// figure keeps its bound again.
    std::function<void(const std::string& text)> tell = {};
    /// Returns the time now, in microseconds since the Unix epoch. Empty: times of events and epochs of producers are
    /// not compared with it, and a recording that keeps events for a time is refused.
    std::function<std::int64_t()> clock = {};
    /// How far the time of an event may be ahead of `clock`, in microseconds, or it is refused; 0: a day, or a tenth of
    /// the window's `max_age` if that is less, but at least a second; `wire::any_time_ahead`: any. Higher: one event
    /// with a wrong time can make more points leave, and later ones too late for the window.
    std::int64_t ahead_at_most = 0;
    files::ReaderSettings reader_settings = {};  ///< told to clients, who read files of the stream's points by them
};

/// Throws `InvalidInput` (bad_option).
void check(const Settings& settings);

/// Counts since the service was constructed.
struct Counters {
    std::uint64_t events = 0;        ///< taken in
    std::uint64_t points = 0;        ///< in them
    std::uint64_t duplicates = 0;    ///< numbers received again
    std::uint64_t out_of_order = 0;  ///< gaps and stale epochs
    std::uint64_t refused = 0;       ///< for their content, or unreadable
    std::uint64_t lost_events = 0;   ///< clients that were told of events which the recording lacks
    std::uint64_t late = 0;          ///< events of points that came too late for the window
    std::uint64_t ahead = 0;  ///< events ahead of the clock by `max_age`, or a day, that moved the window's present
    std::uint64_t refused_ahead = 0;     ///< events refused because they were ahead of it by more than `ahead_at_most`
    std::uint64_t changes = 0;           ///< of options, and refinements, taken in
    std::uint64_t monitor_warnings = 0;  ///< of monitored figures above their bounds, or that mean nothing
    std::uint64_t monitor_notes = 0;     ///< of those that keep their bounds again
    std::uint64_t requests = 0;          ///< control requests given to `handle_control`
    std::uint64_t commits = 0;
    std::uint64_t checkpoints = 0;  ///< begun
};

/// A message for one client. `client` is what `handle_...` was given.
struct Reply {
    std::string client;
    SharedBytes message;
};

/// Messages that may be sent now, each list in order.
struct Outbox {
    std::vector<Reply> ingest;
    std::vector<Reply> control;
    std::vector<Outgoing> publications;

    void clear() noexcept { ingest.clear(), control.clear(), publications.clear(); }
};

class Service {
public:
    /// Called while a recovery replays, after event `done`; `last` is the newest event.
    using Progress = std::function<void(Sequence done, Sequence last)>;

    /// Starts on an empty `recording`, or recovers from it, see `recover`. Its configuration must be
    /// `config::write_toml(options)`. Throws `InvalidInput` for bad options or settings, or ones that are not the
    /// recording's; `RecordingError` when it cannot be recovered from. `threads` is for the engine.
    Service(std::unique_ptr<log::Log> recording, const EngineOptions& options, Settings settings = {}, int threads = 0,
            const Progress& progress = {});
    /// The same with a log of any kind, which it takes.
    template <std::derived_from<log::Log> Recording>
    Service(Recording recording, const EngineOptions& options, Settings settings = {}, int threads = 0,
            const Progress& progress = {})
        : Service(std::make_unique<Recording>(std::move(recording)), options, std::move(settings), threads, progress) {}
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// Recovers from the recording, once: newest checkpoint, then the events after it. Before, only `health`, `id`,
    /// `interrupt` and `tell_message_limit` may be called, and health is not ready. Throws `RecordingError` when it
    /// cannot be recovered from, and `Interrupted`.
    void recover(const Progress& progress = {});
    [[nodiscard]] bool recovered() const noexcept { return recovered_; }

    // Bad messages are answered, not thrown. Each of these may throw `ServiceFailure`; after that `handle_...`,
    // `commit` and `finish` always do. Once `interrupt` had an effect `handle_...` throws `Interrupted`, except for a
    // stop request.

    /// Sets the longest message that the transport hands in, in bytes, which Welcomes tell producers; 0: no limit.
    void tell_message_limit(std::uint64_t bytes) noexcept { message_limit_ = bytes; }

    /// Lets `run` make the answers to requests to label or score points beside the caller: from the state at the
    /// request, while events come; one at a time. Empty, as at first, and while one is being made, such a request is
    /// answered at once by the caller.
    void answer_beside(RunBeside run) { answer_beside_ = std::move(run); }
    /// Returns whether this is a request to label or score points.
    [[nodiscard]] static bool is_question(const wire::ControlRequest& request);
    /// Returns whether such an answer is being made.
    [[nodiscard]] bool answering() const noexcept;
    /// Ends the making of that answer, if there is one and it is not made: its client is refused for this reason.
    void end_answer(Reason reason, const std::string& text);

    /// Handles an IngestRequest that came from the address `client`, see `Reply`. Its answer is released by the next
    /// commit, and allows the producer at most `credit` unanswered events, and never more than `Settings::credit`. An
    /// event of a producer that `sender` may not send as is refused, and leaves that producer's numbering
    /// unchanged; one that its rights do not allow is refused for its content.
    void handle_ingest(std::string_view client, Bytes message, const Client& sender = {},
                       std::uint32_t credit = std::numeric_limits<std::uint32_t>::max());
    /// Handles a ControlRequest. Health is answered at once. Any other answer is computed at once, or beside the caller
    /// if `answer_beside` says so, and released by the commit of the events it depends on: those before it, and the
    /// request's own event if it makes one. A stop finishes the service first. `uptime_seconds` is reported in a health
    /// answer. Requests that the rights of `sender` do not allow are refused.
    void handle_control(std::string_view client, Bytes message, double uptime_seconds, const Client& sender = {});
    /// Puts all events so far on disk and releases their answers and publications. Writes a part of a pending
    /// checkpoint.
    void commit();
    /// Starts a commit of all events so far on the service's thread, unless one is in flight or nothing is pending. The
    /// thread calls `done`, which may be empty and must not call the service, when `finish_commit` need not wait.
    void begin_commit(const std::function<void()>& done);
    /// Returns whether a commit is in flight: begun, and not finished by `finish_commit`.
    [[nodiscard]] bool committing() const noexcept { return journal_.writing(); }
    /// Returns whether the commit in flight has ended: `finish_commit` would release its answers and publications
    /// without waiting.
    [[nodiscard]] bool committed() const { return journal_.writing() && journal_.written(); }
    /// Releases the answers and publications of the commit in flight, if it has ended; with `wait`, waits for its end.
    void finish_commit(bool wait = false);
    /// Commits, and completes a checkpoint of the newest event, so that the next start replays nothing; no checkpoint
    /// after an interruption.
    void finish();
    /// Interrupts the event being ingested and background steps: the functions working on them throw `Interrupted`. The
    /// event is neither recorded nor answered, so its producer sends it again; afterwards only earlier events can be
    /// committed. Callable from any thread.
    void interrupt() noexcept;
    /// Returns whether `interrupt` ended an event, or a checkpoint that waited for a step.
    [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

    /// Returns whether anything is left to commit besides the commit in flight.
    [[nodiscard]] bool pending() const noexcept;
    /// Returns whether a stop request was answered: send what is released, then end.
    [[nodiscard]] bool stopping() const noexcept { return stopping_; }
    /// Moves the messages released since the last call to `out`, which is cleared first. Pass the same `out` again: its
    /// memory is reused.
    void take(Outbox& out);
    /// Publishes the newest publication number of every topic on topic "status", once those are on disk. Also detects a
    /// deleted or replaced recording.
    void publish_status();
    /// Publishes the status as the process's last one, after `finish`.
    void publish_end();
    /// Returns what tells a producer that this process ends, so that it need not wait for an answer; after `finish`,
    /// and all released answers.
    [[nodiscard]] SharedBytes ending_answer() { return encode(wire::Ending{}); }
    /// Returns the current activity and the state on disk after the last commit. Callable from any thread.
    [[nodiscard]] wire::Health health(double uptime_seconds) const { return board_.health(uptime_seconds); }
    using ControlBody = decltype(wire::ControlReply::body);
    /// Returns the answer to a request for the description or the report of a model, as of the last commit; nothing to
    /// other requests, for a model that is not there, and before the end of a recovery. Callable from any thread.
    [[nodiscard]] std::optional<ControlBody> answer_of_last_commit(const wire::ControlRequest& request) const;
    /// Returns the bytes of control answers that wait for a commit.
    [[nodiscard]] std::size_t held_bytes() const noexcept { return held_.control_bytes + in_flight_.control_bytes; }

    [[nodiscard]] const log::RecordingId& id() const noexcept { return id_; }
    [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
    /// Returns the recording; not callable while a commit is in flight.
    [[nodiscard]] const log::Log& recording() const noexcept { return journal_.log(); }
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

private:
    // An answer to an ingest message, held back until the next commit.
    struct Answer {
        std::string client;
        SharedBytes message;   // empty: a duplicate, answered as its original was
        std::string producer;  // of a duplicate
        std::string identity;  // of its sender
        ProducerMark mark;
        std::uint32_t credit = 0;  // likewise
    };

    // The messages that a commit releases, and the state after it.
    struct Held {
        std::vector<Answer> answers;
        std::vector<Reply> control;
        std::size_t control_bytes = 0;
        bool question = false;  // the answer that is made beside the caller waits for this commit, too
        std::vector<Outgoing> publications;
        Standing standing;
    };

    void run_or_fail(std::string_view what, const std::function<void()>& action);
    void replay(const Progress& progress);
    void begin_topics_anew(Sequence differs_from, const std::map<std::string, log::TopicMark>& before,
                           std::uint64_t replayed);
    void replace_engine(Engine engine);
    void require_usable() const;
    void require_uninterrupted() const;

    using IngestBody = decltype(wire::IngestReply::body);
    void handle_unreadable(std::string_view client, const InvalidInput& error, Bytes message, const Client& sender);
    void handle(std::string_view client, const wire::Hello& hello, const Client& sender);
    void handle(std::string_view client, const wire::EventMessage& event, const Client& sender);
    [[nodiscard]] bool may_send_as(const Client& sender, const std::string& producer) const;
    [[nodiscard]] bool is_of_present(std::string_view client, const Origin& origin, std::uint64_t epoch);
    [[nodiscard]] bool expects(std::string_view client, const Origin& origin, const ProducerMark& mark);
    EventCounts take_in(const wire::EventMessage& event, const CheckedEvent& checked, wire::AlignedMessage& message,
                        const Client& sender);
    void refuse(std::string_view client, log::Refusal refusal);
    [[nodiscard]] std::vector<std::byte> kept(Bytes refused) const;
    [[nodiscard]] wire::Nack out_of_order(const Origin& origin, const ProducerMark& mark);
    void hold_back(std::string_view client, IngestBody body);
    [[nodiscard]] SharedBytes encode(IngestBody body);
    [[nodiscard]] SharedBytes answer_again(const Answer& duplicate);
    [[nodiscard]] Held* commit_awaited() noexcept;
    [[nodiscard]] Standing standing() const;
    void release(Held& held);
    [[nodiscard]] bool checkpoint_due() const noexcept;
    void begin_checkpoint();
    void count(const wire::EventMessage& event, std::size_t bytes);
    void note_steps(const Update& update);

    [[nodiscard]] ControlBody answer(const wire::ControlRequest& request, double uptime_seconds);
    void require_answerable(const wire::ControlRequest& request) const;
    [[nodiscard]] wire::Producers known_producers() const;
    [[nodiscard]] wire::Publication snapshot(const std::string& topic);
    [[nodiscard]] Overview overview() const;
    [[nodiscard]] wire::ModelReport report(const std::string& model) const;
    [[nodiscard]] std::function<wire::ModelReport()> report_later(std::size_t model) const;
    [[nodiscard]] wire::Description description(const Overview& overview) const;
    void describe_models();
    [[nodiscard]] ControlBody answer_range(const wire::RangeRequest& request);
    void ask(const std::shared_ptr<Question>& question);
    void take_answer();
    void give(Held* awaited, std::string client, SharedBytes answer);
    [[nodiscard]] ControlBody answer_event(Event event);
    [[nodiscard]] wire::RemovedPoints remove_points(const PointRemoval& asked);
    void require_recording();
    EventCounts take_in_own(Event event);
    void expire_producers(const Client& sender);
    void require_known(const std::string& client, const wire::KnownEvent& event);
    [[nodiscard]] wire::WindowLimits limits() const;
    [[nodiscard]] std::optional<wire::Nack> refusal_if_ahead(const wire::EventMessage& event);
    void warn_if_ahead(const wire::EventMessage& event);
    void warn(std::uint64_t count, const std::string& text) { log(settings_.warn, count, text); }
    void tell_of_change(const wire::EventMessage& event);
    void tell_of_monitor(const Update& update);
    static void log(const std::function<void(const std::string&)>& listener, std::uint64_t count,
                    const std::string& text);
    void require_recorded(const Standing& standing) const;

    Settings settings_;
    std::uint64_t message_limit_ = 0;
    std::size_t refused_bytes_;  // kept of a refused message in the recording
    log::RecordingId id_;
    std::string name_;          // of the recording
    StreamFormat format_;       // of the engine, also while a recovery replaces it
    std::uint64_t life_;        // see wire::IngestReply
    log::RecentHashes hashes_;  // after all events so far, committed or not
    Journal journal_;
    int threads_;                           // of the engine
    std::mutex replacing_;                  // held while a recovery replaces the engine, and to interrupt it
    std::atomic<bool> interrupts_ = false;  // whether `interrupt` was called
    Engine engine_;
    Publisher publisher_;
    ProducerBook producers_;
    Counters counters_;
    Board board_;
    std::uint64_t refused_before_ = 0;  // messages refused by the recording's earlier writers

    Held held_;       // until the next commit
    Held in_flight_;  // until the commit in flight ends
    Outbox released_;

    std::uint64_t events_since_checkpoint_ = 0;
    std::uint64_t bytes_since_checkpoint_ = 0;
    std::uint64_t work_since_checkpoint_ = 0;
    std::unique_ptr<MonitorWatch> monitor_;
    std::vector<Sequence> stepped_at_;                          // of each model, see wire::ModelDescription
    std::vector<std::shared_ptr<const ModelOptions>> options_;  // of the models, as of now
    std::vector<wire::ModelDescription> described_;  // the models with their options of now, without their steps
    Sequence checkpointed_ = 0;                      // the event of the checkpoint begun last
    bool look_at_recording_ = false;                 // check its files when the commit in flight has ended
    bool stopping_ = false;
    bool recovered_ = false;
    bool interrupted_ = false;
    bool failed_ = false;

    RunBeside answer_beside_;
    std::shared_ptr<Question> question_;  // that is answered beside the caller

    std::uint32_t credit_ = 0;      // of the replies to the message being handled
    wire::AlignedMessage message_;  // scratch: the message being handled
    wire::Encoder encoder_;
};

}  // namespace fairstream::service
