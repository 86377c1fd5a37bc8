#pragma once
/// The engine's side of the protocol without the transport: the effect of every message, and when its answer may be
/// sent.
///
/// A service owns an engine and its recording. It takes messages as bytes, and leaves replies and publications in an
/// outbox; it has no socket and no clock. A transport hands messages in, and sends what `take` returns. In between it
/// calls `commit` when it has no more messages, or `begin_commit` and `finish_commit` to hand in more messages while
/// the service's thread writes. One thread makes all calls, except `health` and `interrupt`.
///
/// Promises, whatever the messages and wherever the process is killed:
/// - nothing leaves before the events it depends on are on disk: no reply, no publication, no snapshot, no figure;
/// - no answer waits for events that came after its question, and health waits for none;
/// - an acked event is in the recording exactly once; a refused event changed only its producer's numbering;
/// - after a recovery, the engine's state, the publications and their numbers equal those of an uninterrupted run. If
///   another build gives updates other than the published ones, the recording says so, and each topic leaves numbers
///   out, so that subscribers take a snapshot;
/// - answers and publications carry the running hash of the events they describe. A client that returns with a hash
///   that the recording does not have is told that events it knew are missing.

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

/// The producer name under which the service's own events are recorded: changes of options and refinements from control
/// requests, and the expiry of producers. No client may use it.
inline constexpr std::string_view control_producer = "control";

/// A write to the recording failed, or an event failed half-way: the service cannot go on. The process must end; a
/// recovery from disk decides what happened.
class ServiceFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Settings {
    std::uint32_t credit = 64;  ///< unanswered events per producer, at least 1; higher: larger commits
    RingLimits ring = {};       ///< for each topic; older ranges are answered by a snapshot. `bytes` at most 128 MiB
    /// A checkpoint is taken after this many events, bytes of them, or multiply-adds spent on them (`Update::work`),
    /// whichever comes first; all at least 1. Higher: fewer writes, but a longer recovery, which repeats the work: some
    /// seconds of one core by default.
    std::uint64_t checkpoint_events = 4096;
    std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;
    std::uint64_t checkpoint_work = 10'000'000'000;
    /// Allows the replay of events recorded at another CPU level; their labels may then differ from the published
    /// labels.
    bool any_cpu_level = false;
    /// `producer_idle_events`: number of events after which a producer that sent none of them is forgotten.
    /// `producers`: largest number of known producers; above it, the longest idle producers of the client with the most
    /// producers are forgotten sooner. Both at least 1. A forgotten producer must use a new epoch. Higher: more memory,
    /// about 300 bytes each, and a longer start.
    std::uint64_t producer_idle_events = 100'000'000;
    std::size_t producers = 10'000;
    /// Leaves the recovery to `Service::recover`, so that health is answered meanwhile.
    bool recover_later = false;
    RunInBackground run_in_background = {};  ///< runs the writes of `begin_commit` and the engine's background tasks
    /// Called with a warning for the operator: a client was told that events are lost, an event was far ahead of
    /// `clock`, an event was refused, or a bounded figure left its bound or lost its meaning. Called within
    /// `handle_ingest` and `handle_control`; must not call the service.
    std::function<void(const std::string& text)> warn = {};
    /// Called in the same way with information: an option was changed, a model was refined, or a bounded figure keeps
    /// its bound again.
    std::function<void(const std::string& text)> inform = {};
    /// Returns the current time in microseconds since the Unix epoch. Empty: times of events and epochs of producers
    /// are not checked against a clock, and a recording with `keep_for` is refused.
    std::function<std::int64_t()> clock = {};
    /// How far an event's time may be ahead of `clock`, in microseconds; otherwise the event is refused. 0: a day, or a
    /// tenth of the window's `max_age` if that is shorter, but at least a second. `wire::any_time_ahead`: no limit.
    /// Higher: an event with a wrong time can make more points leave, and make later points too late for the window.
    std::int64_t ahead_at_most = 0;
    files::ReaderSettings reader_settings = {};  ///< sent to clients, which read files of the stream's points with them
};

/// Throws `InvalidInput` (bad_option).
void check(const Settings& settings);

/// Counts since the service was constructed.
struct Counters {
    std::uint64_t events = 0;            ///< taken in
    std::uint64_t points = 0;            ///< points in these events
    std::uint64_t duplicates = 0;        ///< numbers received again
    std::uint64_t out_of_order = 0;      ///< refused for gaps and stale epochs
    std::uint64_t refused = 0;           ///< refused for their content, or unreadable
    std::uint64_t lost_events = 0;       ///< clients told that the recording lacks events
    std::uint64_t late = 0;              ///< events whose points came too late for the window
    std::uint64_t ahead = 0;             ///< events far ahead of the clock that moved the window's latest time
    std::uint64_t refused_ahead = 0;     ///< events refused for being more than `ahead_at_most` ahead
    std::uint64_t changes = 0;           ///< changes of options, and refinements, taken in
    std::uint64_t monitor_warnings = 0;  ///< figures above their bounds, or without meaning
    std::uint64_t monitor_notes = 0;     ///< figures that keep their bounds again
    std::uint64_t requests = 0;          ///< control requests passed to `handle_control`
    std::uint64_t commits = 0;
    std::uint64_t checkpoints = 0;  ///< begun
};

/// A message for one client, the `client` passed to `handle_...`.
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
    /// Called during the replay of a recovery, after event `done`; `last` is the newest event.
    using Progress = std::function<void(Sequence done, Sequence last)>;

    /// Starts with an empty `recording`, or recovers from it, see `recover`. Its configuration must be
    /// `config::write_toml(options)`. Throws `InvalidInput` for bad options or settings, or options other than the
    /// recording's; `RecordingError` when a recovery is impossible. `threads` is for the engine.
    Service(std::unique_ptr<log::Log> recording, const EngineOptions& options, Settings settings = {}, int threads = 0,
            const Progress& progress = {});
    /// Starts with a log of any kind, of which it takes ownership.
    template <std::derived_from<log::Log> Recording>
    Service(Recording recording, const EngineOptions& options, Settings settings = {}, int threads = 0,
            const Progress& progress = {})
        : Service(std::make_unique<Recording>(std::move(recording)), options, std::move(settings), threads, progress) {}
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// Recovers from the recording: the newest checkpoint, then the events after it. Call it once. Before, only
    /// `health`, `id`, `interrupt` and `set_message_limit` may be called, and health is not ready. Throws
    /// `RecordingError` when a recovery is impossible, and `Interrupted`.
    void recover(const Progress& progress = {});
    [[nodiscard]] bool recovered() const noexcept { return recovered_; }

    // Bad messages are answered; they cause no exception. Each function may throw `ServiceFailure`; from then on
    // `handle_...`, `commit` and `finish` always throw it. Once `interrupt` took effect, `handle_...` throws
    // `Interrupted`, except for a stop request.

    /// Sets the length in bytes of the longest message that the transport hands in, which Welcomes tell producers; 0:
    /// no limit.
    void set_message_limit(std::uint64_t bytes) noexcept { message_limit_ = bytes; }

    /// Sets where answers to requests to label or score points are made: `run` makes them in the background, one at a
    /// time, from the state at the request, while events arrive. If `run` is empty, as initially, or an answer is being
    /// made, the caller answers such a request at once.
    void set_answer_runner(RunInBackground run) { answer_runner_ = std::move(run); }
    /// Returns whether this is a request to label or score points.
    [[nodiscard]] static bool is_question(const wire::ControlRequest& request);
    /// Returns whether an answer is being made in the background (`set_answer_runner`).
    [[nodiscard]] bool answering() const noexcept;
    /// Ends the answer in the background, if there is one; its client gets a refusal for this reason.
    void end_answer(Reason reason, const std::string& text);

    /// Handles an IngestRequest from the address `client`, see `Reply`. The next commit releases its answer, which
    /// allows the producer at most `credit` unanswered events, and never more than `Settings::credit`. An event of a
    /// producer name that `sender` may not use is refused, and leaves that producer's numbering unchanged. An event
    /// that the sender's rights do not allow is refused for its content.
    void handle_ingest(std::string_view client, Bytes message, const Client& sender = {},
                       std::uint32_t credit = std::numeric_limits<std::uint32_t>::max());
    /// Handles a ControlRequest. Health is answered at once. Any other answer is computed at once, or in the background
    /// (`set_answer_runner`). The commit of the events that the answer depends on releases it: the earlier events, and
    /// the event that the request makes, if any. A stop finishes the service first. `uptime_seconds` is reported in a
    /// health answer. Requests that the rights of `sender` do not allow are refused.
    void handle_control(std::string_view client, Bytes message, double uptime_seconds, const Client& sender = {});
    /// Stores all events so far on disk, and releases their answers and publications. Writes a part of a pending
    /// checkpoint.
    void commit();
    /// Starts a commit of all events so far on the service's thread, unless one is running or nothing is pending. The
    /// thread calls `done` when `finish_commit` need not wait; `done` may be empty, and must not call the service.
    void begin_commit(const std::function<void()>& done);
    /// Returns whether a commit is running: begun, and not yet finished by `finish_commit`.
    [[nodiscard]] bool committing() const noexcept { return journal_.writing(); }
    /// Returns whether the running commit has ended, so that `finish_commit` releases its answers and publications
    /// without waiting.
    [[nodiscard]] bool committed() const { return journal_.writing() && journal_.written(); }
    /// Releases the answers and publications of the running commit, if it has ended; with `wait`, waits for its end.
    void finish_commit(bool wait = false);
    /// Commits, and completes a checkpoint of the newest event, so that the next start replays nothing. After an
    /// interruption there is no checkpoint.
    void finish();
    /// Interrupts the event being ingested, and background steps: the functions working on them throw `Interrupted`.
    /// The event is neither recorded nor answered, so its producer sends it again; from then on only earlier events can
    /// be committed. Callable from any thread.
    void interrupt() noexcept;
    /// Returns whether `interrupt` ended an event, or a checkpoint that waited for a step.
    [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

    /// Returns whether anything remains to be committed besides the running commit.
    [[nodiscard]] bool pending() const noexcept;
    /// Returns whether a stop request was answered: send what is released, then end.
    [[nodiscard]] bool stopping() const noexcept { return stopping_; }
    /// Moves the messages released since the last call to `out`, which is cleared first. Pass the same `out` again: its
    /// memory is reused.
    void take(Outbox& out);
    /// Publishes the newest publication number of every topic on topic "status", once these publications are on disk.
    /// Also detects a deleted or replaced recording.
    void publish_status();
    /// Publishes the last status of the process; call it after `finish`.
    void publish_end();
    /// Returns the message that tells producers that this process ends, so that they need not wait for answers. Send it
    /// after `finish`, and after all released answers.
    [[nodiscard]] SharedBytes ending_answer() { return encode(wire::Ending{}); }
    /// Returns the current activity and the state on disk after the last commit. Callable from any thread.
    [[nodiscard]] wire::Health health(double uptime_seconds) const { return board_.health(uptime_seconds); }
    using ControlBody = decltype(wire::ControlReply::body);
    /// Returns the answer to a request for the description or the report of a model, as of the last commit. Nothing for
    /// other requests, for an unknown model, and before the end of a recovery. Callable from any thread.
    [[nodiscard]] std::optional<ControlBody> answer_of_last_commit(const wire::ControlRequest& request) const;
    /// Returns the bytes of control answers that wait for a commit.
    [[nodiscard]] std::size_t held_bytes() const noexcept { return held_.control_bytes + in_flight_.control_bytes; }

    [[nodiscard]] const log::RecordingId& id() const noexcept { return id_; }
    [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
    /// Returns the recording; not callable during a commit.
    [[nodiscard]] const log::Log& recording() const noexcept { return journal_.log(); }
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

private:
    // An answer to an ingest message, held back until the next commit.
    struct Answer {
        std::string client;
        SharedBytes message;   // empty: a duplicate, answered like its original
        std::string producer;  // name of the producer, for a duplicate; otherwise empty
        std::string identity;  // identity of the sender
        ProducerMark mark;
        std::uint32_t credit = 0;  // credit, for a duplicate
    };

    // The messages that a commit releases, and the state after it.
    struct HeldMessages {
        std::vector<Answer> answers;
        std::vector<Reply> control;
        std::size_t control_bytes = 0;
        bool question = false;  // the answer made in the background waits for this commit, too
        std::vector<Outgoing> publications;
        CommittedState committed_state;
    };

    void run_or_fail(std::string_view what, const std::function<void()>& action);
    void replay(const Progress& progress);
    void restart_topics(Sequence differs_from, const std::map<std::string, log::TopicMark>& before,
                        std::uint64_t replayed);
    void replace_engine(Engine engine);
    void require_usable() const;
    void require_uninterrupted() const;

    using IngestBody = decltype(wire::IngestReply::body);
    void handle_unreadable(std::string_view client, const InvalidInput& error, Bytes message, const Client& sender);
    void handle(std::string_view client, const wire::Hello& hello, const Client& sender);
    void handle(std::string_view client, const wire::EventMessage& event, const Client& sender);
    [[nodiscard]] bool may_send_as(const Client& sender, const std::string& producer) const;
    [[nodiscard]] bool accepts_epoch(std::string_view client, const Origin& origin, std::uint64_t epoch);
    [[nodiscard]] bool accepts_number(std::string_view client, const Origin& origin, const ProducerMark& mark);
    EventCounts ingest_and_record(const wire::EventMessage& event, const CheckedEvent& checked,
                                  wire::AlignedMessage& message, const Client& sender);
    void refuse(std::string_view client, log::Refusal refusal);
    [[nodiscard]] std::vector<std::byte> kept(Bytes refused) const;
    [[nodiscard]] wire::Nack out_of_order(const Origin& origin, const ProducerMark& mark);
    void hold_back(std::string_view client, IngestBody body);
    [[nodiscard]] SharedBytes encode(IngestBody body);
    [[nodiscard]] SharedBytes answer_again(const Answer& duplicate);
    [[nodiscard]] HeldMessages* awaited_commit() noexcept;
    [[nodiscard]] CommittedState committed_state() const;
    void release(HeldMessages& held);
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
    void hand_over_answer(HeldMessages* awaited, std::string client, SharedBytes answer);
    [[nodiscard]] ControlBody answer_event(Event event);
    [[nodiscard]] wire::RemovedPoints remove_points(const PointRemoval& asked);
    void require_recording();
    EventCounts ingest_own_event(Event event);
    void expire_producers(const Client& sender);
    void require_known(const std::string& client, const wire::KnownEvent& event);
    [[nodiscard]] wire::WindowLimits limits() const;
    [[nodiscard]] std::optional<wire::Nack> refusal_if_ahead(const wire::EventMessage& event);
    void warn_if_ahead(const wire::EventMessage& event);
    void warn(std::uint64_t count, const std::string& text) { log(settings_.warn, count, text); }
    void report_change(const wire::EventMessage& event);
    void report_monitor(const Update& update);
    static void log(const std::function<void(const std::string&)>& listener, std::uint64_t count,
                    const std::string& text);
    void require_recorded(const CommittedState& committed_state) const;

    Settings settings_;
    std::uint64_t message_limit_ = 0;
    std::size_t refused_bytes_;  // bytes of a refused message kept in the recording
    log::RecordingId id_;
    std::string name_;          // name of the recording
    StreamFormat format_;       // format of the engine, also while a recovery replaces it
    std::uint64_t life_;        // see wire::IngestReply
    log::RecentHashes hashes_;  // running hashes up to the newest event, committed or not
    Journal journal_;
    int threads_;                           // for the engine
    std::mutex replacing_;                  // held while the engine is replaced by a recovery or interrupted
    std::atomic<bool> interrupts_ = false;  // whether `interrupt` was called
    Engine engine_;
    Publisher publisher_;
    ProducerBook producers_;
    Counters counters_;
    Board board_;
    std::uint64_t refused_before_ = 0;  // messages refused by the recording's earlier writers

    HeldMessages held_;       // until the next commit
    HeldMessages in_flight_;  // until the running commit ends
    Outbox released_;

    std::uint64_t events_since_checkpoint_ = 0;
    std::uint64_t bytes_since_checkpoint_ = 0;
    std::uint64_t work_since_checkpoint_ = 0;
    std::unique_ptr<MonitorWatch> monitor_;
    std::vector<Sequence> stepped_at_;                          // by model, see wire::ModelDescription
    std::vector<std::shared_ptr<const ModelOptions>> options_;  // current options, by model
    std::vector<wire::ModelDescription> described_;             // the models with their current options, without steps
    Sequence checkpointed_ = 0;                                 // event of the checkpoint begun last
    bool check_recording_ = false;  // check the recording's files when the running commit ends
    bool stopping_ = false;
    bool recovered_ = false;
    bool interrupted_ = false;
    bool failed_ = false;

    RunInBackground answer_runner_;
    std::shared_ptr<Question> question_;  // question answered in the background

    std::uint32_t credit_ = 0;      // credit in the replies to the current message
    wire::AlignedMessage message_;  // scratch: the message being handled
    wire::Encoder encoder_;
};

}  // namespace fairstream::service
