#pragma once
/// The producer's side of the ingest protocol, without sockets and clocks: chooses the next message to send, and
/// interprets answers.
///
/// Events are numbered 1, 2, 3, ... and stay in the window until they are answered: taken (Ack), or refused for their
/// content (Nack). A session begins with a Hello; its Welcome opens the window. Every unanswered event is then sent
/// again, even if its number is used up already: only the answer tells whether it was taken or refused. At most
/// `credit` events are in flight. When no answer comes in time, the session ends and the next Hello is sent: first over
/// the same connection, as the engine may only be slow, then over new connections, at growing intervals.
///
/// Acks contain the running hash of the engine's recording. After each start of the engine, a Hello names the newest
/// hash known here. So a recording that lost acked events is detected, whichever producer sent them.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fairstream/wire/messages.hpp>

namespace fairstream::zmq {

/// An event that the engine refused for its content. Final: it is not sent again.
struct Refused {
    std::uint64_t producer_sequence = 0;
    Reason reason = Reason::malformed;
    std::string text;
    bool operator==(const Refused&) const = default;
};

/// The reason why a producer cannot go on. Its unanswered events may or may not have been taken.
enum class ProducerFault : std::uint8_t {
    stale_epoch,      ///< a later life of this producer reached the engine, or the engine forgot it
    other_recording,  ///< the endpoint now leads to another recording
    lost_events,      ///< the engine's recording lacks acked events
    foreign_numbers,  ///< the engine has numbers that were never sent: another program uses this name and epoch
    rejected,         ///< the engine refuses this producer
    oversized,        ///< an event accepted before the engine's limit was known exceeds that limit
    ahead_of_clock,   ///< the first unanswered event's time is too far ahead of the engine's clock. Neither it nor any
                      ///< later event was taken; a new producer may send them with other times
};

class ProducerError : public std::runtime_error {
public:
    ProducerError(ProducerFault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
    [[nodiscard]] ProducerFault fault() const noexcept { return fault_; }

private:
    ProducerFault fault_;
};

struct ProducerTiming {
    /// Silence after which a Hello asks for the engine's state. Shorter: a restart is noticed sooner, but a slow engine
    /// is asked more often.
    std::chrono::milliseconds answer_timeout{1000};
    /// Time after which an unanswered Hello is repeated on a new connection; messages in flight on the old one are
    /// lost, and sent again. Doubles each time, up to `hello_interval_max`.
    std::chrono::milliseconds hello_interval{2000};
    std::chrono::milliseconds hello_interval_max{10'000};
};

struct ProducerStatistics {
    std::uint64_t accepted = 0;    ///< events that got a number
    std::uint64_t sent = 0;        ///< transmissions, including repeated ones
    std::uint64_t resent = 0;      ///< repeated transmissions of events
    std::uint64_t acked = 0;       ///< events that the engine has on disk
    std::uint64_t refused = 0;     ///< events refused for their content
    std::uint64_t repeated = 0;    ///< answers to events that were already answered
    std::uint64_t hellos = 0;      ///< sessions begun or tried
    std::uint64_t unreadable = 0;  ///< messages from the engine that could not be read
    Sequence last_sequence = 0;    ///< largest event number in the recording named by an Ack
    /// Points of acked events that came too late for the window, and were not retained. Events whose first Ack was lost
    /// are not counted.
    std::uint64_t late_points = 0;
    std::optional<std::int64_t> late_before = {};  ///< events before this time came too late; microseconds
    /// Effects of acked events on the retained points; events whose first Ack was lost are not counted.
    EventCounts counts = {};
    bool operator==(const ProducerStatistics&) const = default;
};

/// The epoch of a producer's life.
struct ProducerEpoch {
    std::uint64_t value = 0;
    bool may_rise = false;  ///< whether to choose a higher epoch when the engine knows one that is not lower
};

class ProducerWindow {
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Limits {
        std::size_t messages = 1024;                ///< unanswered events, at least 1
        std::size_t bytes = std::size_t{64} << 20;  ///< bytes of unanswered events; a single event may be larger
    };

    enum class Action : std::uint8_t {
        none,
        hello,      ///< a Hello on the current connection
        reconnect,  ///< a Hello on a new connection, as the old one gave no answer
        event,
    };
    struct Step {
        Action action = Action::none;
        std::uint64_t producer_sequence = 0;  ///< number of the event
    };

    ProducerWindow(const Limits& limits, const ProducerTiming& timing, Time now, const ProducerEpoch& epoch = {});

    /// Returns whether an event of `bytes` may be added.
    [[nodiscard]] bool has_room(std::size_t bytes) const noexcept;
    /// Returns the length in bytes of the longest event that the engine takes; 0: unknown.
    [[nodiscard]] std::uint64_t message_limit() const noexcept { return message_limit_; }
    [[nodiscard]] const wire::WindowLimits& window_limits() const noexcept { return window_limits_; }
    /// Returns the epoch to send messages with. It changes only before the engine's first Welcome, and so before any
    /// event was sent.
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_.value; }
    /// Returns the Hello to send.
    [[nodiscard]] wire::Hello hello(const std::string& producer) const;
    /// Returns the number of the next event to be added.
    [[nodiscard]] std::uint64_t next_number() const noexcept { return first_ + entries_.size(); }
    void add(std::size_t bytes, Time now);

    /// Returns what to transmit now; after sending it, call `done`, and `next` again.
    [[nodiscard]] Step next(Time now) const noexcept;
    void done(const Step& step, Time now);
    /// Returns the time at which `next` changes without an answer or a new event; the largest time if never.
    [[nodiscard]] Time due() const noexcept;

    /// Processes an answer; appends to `refused`. Sets `failure` when the producer cannot go on.
    void on_reply(const wire::IngestReply& reply, Time now, std::vector<Refused>& refused);
    void on_unreadable() noexcept { ++statistics_.unreadable; }

    [[nodiscard]] const std::optional<ProducerError>& failure() const noexcept { return failure_; }
    /// Returns whether the engine announced the end of its process and no engine has answered since then. The
    /// unanswered events were then not taken.
    [[nodiscard]] bool engine_ended() const noexcept { return engine_ended_; }
    /// Returns the oldest number without an answer; earlier events need not be kept.
    [[nodiscard]] std::uint64_t first_unanswered() const noexcept { return first_; }
    [[nodiscard]] std::size_t unanswered() const noexcept { return entries_.size() - answered_; }
    [[nodiscard]] const std::optional<StreamFormat>& format() const noexcept { return format_; }
    [[nodiscard]] const files::ReaderSettings& reader_settings() const noexcept { return reader_settings_; }
    [[nodiscard]] bool engine_scales() const noexcept { return engine_scales_; }
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept { return recording_; }
    [[nodiscard]] const ProducerStatistics& statistics() const noexcept { return statistics_; }

private:
    struct Entry {
        std::size_t bytes = 0;
        bool answered = false;
    };
    enum class Phase : std::uint8_t { asking, open };

    void on(const wire::Welcome& welcome, Time now);
    void on(const wire::Ack& ack, std::uint64_t life, Time now);
    void confirm(std::uint64_t life);
    void on(const wire::Nack& nack, Time now, std::vector<Refused>& refused);
    void on_ending(Time now);
    void on_gap(const wire::Nack& nack, Time now);
    void on_stale_epoch(const wire::Nack& nack, Time now);
    [[nodiscard]] bool answer(std::uint64_t number, Time now);
    void rewind(std::size_t position);
    void schedule_hello(Time when);
    void fail(ProducerFault fault, const std::string& what);

    Limits limits_;
    ProducerTiming timing_;
    ProducerEpoch epoch_;
    ProducerStatistics statistics_;

    std::deque<Entry> entries_;  // entry i has number first_ + i; entry 0 is unanswered
    std::uint64_t first_ = 1;
    std::size_t answered_ = 0;       // answered events among entries_
    std::size_t bytes_ = 0;          // sum over entries_
    std::size_t cursor_ = 0;         // first entry not transmitted in this session; unanswered
    std::uint64_t transmitted_ = 0;  // highest number ever transmitted
    std::uint64_t rewound_to_ = 0;   // number expected by the gap Nack last acted on in this session
    std::uint32_t credit_ = 0;
    std::uint64_t message_limit_ = 0;
    wire::WindowLimits window_limits_;

    Phase phase_ = Phase::asking;
    Time progress_at_;  // when the engine last made progress with this producer's events
    Time hello_due_;
    std::chrono::milliseconds hello_interval_;
    int unanswered_hellos_ = 0;
    std::uint64_t life_ = 0;                      // the engine process that confirmed `known_`
    std::optional<wire::KnownEvent> known_;       // newest event named by an Ack of that life
    std::uint64_t next_life_ = 0;                 // a later life that has not yet confirmed `known_`
    std::optional<wire::KnownEvent> next_known_;  // newest event named by an Ack of the later life
    int lacking_welcomes_ = 0;                    // successive Welcomes that lack answered events
    bool engine_ended_ = false;

    std::optional<wire::RecordingId> recording_;
    std::optional<StreamFormat> format_;
    files::ReaderSettings reader_settings_;
    bool engine_scales_ = false;
    std::optional<ProducerError> failure_;
};

}  // namespace fairstream::zmq
