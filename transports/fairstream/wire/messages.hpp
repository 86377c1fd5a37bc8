#pragma once
/// The messages of schemas/fairstream.capnp as plain C++ values, and the functions that read and write them.
///
/// A running hash is `log::EventLog::running_hash` after some event; 0: unknown, or there is no event.
///
/// Readers take untrusted bytes: whatever the bytes, they throw nothing but `InvalidInput` (malformed, oversized).
/// Writers throw the same for values that no reader would accept: columns of different lengths, names that are empty or
/// too long. Spans that a reader returns borrow from the `AlignedMessage` that was read.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/files/reader_settings.hpp>
#include <fairstream/wire/point_outputs.hpp>

namespace fairstream::wire {

using Bytes = std::span<const std::byte>;
using RecordingId = std::array<std::byte, 16>;

/// Largest message that is read or written, in bytes: four times Cap'n Proto's default traversal limit, which is raised
/// to match.
inline constexpr std::size_t message_limit = std::size_t{256} << 20;

/// A copy of a message in memory aligned to 8 bytes, which Cap'n Proto needs and ZeroMQ's buffers lack. Reuse it:
/// `assign` keeps the memory.
class AlignedMessage {
public:
    AlignedMessage() = default;
    explicit AlignedMessage(Bytes bytes) { assign(bytes); }
    void assign(Bytes bytes);  ///< throws `InvalidInput`: oversized; malformed when it is not whole words
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
    [[nodiscard]] Bytes bytes() const noexcept { return std::as_bytes(words()); }

private:
    std::vector<std::uint64_t> words_;
};

/// The buffer that writers build messages in. Reuse it: the memory is kept. The span that a writer returns is valid
/// until the next write.
class Encoder {
public:
    Encoder();
    ~Encoder();
    Encoder(Encoder&&) noexcept;
    Encoder& operator=(Encoder&&) noexcept;
    struct Scratch;
    Scratch& scratch() noexcept { return *scratch_; }

private:
    std::unique_ptr<Scratch> scratch_;
};

// -- ingest

/// An event that a client knows from an Ack or a publication.
struct KnownEvent {
    RecordingId recording{};  ///< recording in the message that named the event
    Sequence sequence = 0;
    std::uint64_t running_hash = 0;  ///< running hash after that event, from that message
    bool operator==(const KnownEvent&) const = default;
};
struct Hello {
    std::string producer;
    std::uint64_t epoch = 0;
    /// If no event of this epoch was taken: the events up to this number were refused, and the producer does not send
    /// them again. 0: none was refused, or an event was taken.
    std::uint64_t refused_up_to = 0;
    std::optional<KnownEvent> known = {};  ///< newest known event, if any
};
struct EventMessage {
    std::string producer;
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
    Event event;  ///< a batch borrows its columns
};
using IngestRequest = std::variant<Hello, EventMessage>;

/// Value of `WindowLimits::ahead_at_most` for an engine that takes events of any time.
inline constexpr std::int64_t any_time_ahead = std::numeric_limits<std::int64_t>::max();

/// The limits by which points leave an engine's window. Times are in microseconds.
struct WindowLimits {
    std::int64_t max_age = 0;      ///< age at which points leave; 0: no limit by age, or unknown
    std::int64_t latest_time = 0;  ///< latest time of the engine's events; 0: none yet, or unknown
    std::uint32_t capacity = 0;    ///< largest number of points retained; 0: unknown
    /// How far an event's time may be ahead of the engine's clock; 0: unknown.
    std::int64_t ahead_at_most = 0;

    /// Returns how far a time may be ahead of a machine's clock before clients must confirm it: a day, or less if the
    /// window's `max_age` is shorter, since a time that far ahead makes all points too old.
    [[nodiscard]] std::int64_t most_ahead() const noexcept {
        constexpr std::int64_t minute = 60'000'000, day = 24 * 60 * minute;
        return max_age > 0 ? std::clamp(max_age, minute, day) : day;
    }
    bool operator==(const WindowLimits&) const = default;
};
struct Welcome {
    std::uint64_t next_producer_sequence = 1;
    StreamFormat format;
    std::uint64_t max_message_bytes = 0;  ///< longest event that the engine takes, in bytes; 0: unknown
    Sequence known_sequence = 0;          ///< event known to the answered Hello; the recording has it
    WindowLimits window_limits = {};      ///< limits at the time of the answer
    files::ReaderSettings reader_settings = {};
    bool scales = false;  ///< whether the engine scales features, clips them or takes their logarithms
};
struct Ack {
    std::uint64_t producer_sequence = 0;
    Sequence sequence = 0;
    std::uint64_t running_hash = 0;  ///< running hash after that event
    std::uint64_t late_points = 0;   ///< points of the event that came too late for the window; 0 for a duplicate
    std::int64_t late_before = 0;    ///< events before this time come too late; 0 if no point was late
    EventCounts counts = {};         ///< counts of the event; 0 for a duplicate
};
struct Nack {
    std::uint64_t producer_sequence = 0;
    Reason reason = Reason::malformed;  ///< an unknown reason of a later version keeps its number
    std::string text;
    std::uint64_t next_producer_sequence = 0;
    std::uint64_t newest_epoch = 0;  ///< for a stale epoch: higher epochs are not stale; otherwise 0
};
/// The engine's process ends in order: events of this producer without an answer were not taken.
struct Ending {};
struct IngestReply {
    RecordingId recording{};
    std::uint32_t credit = 0;
    std::variant<Welcome, Ack, Nack, Ending> body;
    std::uint64_t life = 0;  ///< id of the engine's process, new after each start; 0: unknown
};

[[nodiscard]] IngestRequest read_ingest_request(const AlignedMessage& message);
/// Producer and number of an event.
struct EventMark {
    std::string producer;
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
};
/// Returns producer and number of an event, even if `read_ingest_request` throws for its content, so that a refusal can
/// name them. Nothing if these cannot be read either, and for other requests.
[[nodiscard]] std::optional<EventMark> read_event_mark(const AlignedMessage& message);
[[nodiscard]] IngestReply read_ingest_reply(const AlignedMessage& message);
Bytes write(const IngestRequest& request, Encoder& encoder);
Bytes write(const IngestReply& reply, Encoder& encoder);

// -- updates

using LabelUpdate = OutputUpdate<ClusterId>;
using ScoreUpdate = OutputUpdate<Score>;
using MembershipUpdate = OutputUpdate<Memberships>;
struct AttributeReport : ClusterFairness {
    std::string attribute = {};
    std::vector<std::int64_t> counts = {};  ///< k x J, numbers of points
    std::vector<double> weights = {};       ///< k x J, sums of the points' weights; empty: all weigh 1
    std::uint32_t known = 0;                ///< number of leading groups that figures cover; 0: all
    bool operator==(const AttributeReport&) const = default;
};
/// A figure of one kind of model.
struct NamedFigure {
    std::string name;
    double value = 0;
    std::string unit = {};  ///< as in `FigureText`
    bool operator==(const NamedFigure&) const = default;
};
/// Fairness and other figures of a model with labels, scores or predictions, or without outputs.
struct FairnessReport {
    double cost = 0, churn = 0;
    Outcome outcome = Outcome::warming;
    std::int64_t iterations = 0, moves = 0, swaps = 0, points = 0;
    /// For labels by attribute; for scores; for predictions; or for a model without outputs.
    std::variant<std::vector<AttributeReport>, ScoreFairness, PredictionFairness, GroupMetrics> fairness;
    std::vector<NamedFigure> figures;  ///< figures of the model itself; empty while warming
    bool operator==(const FairnessReport&) const = default;

    /// Returns the fairness of labels, by attribute; empty for a model without labels.
    [[nodiscard]] const std::vector<AttributeReport>& attributes() const;
    /// Return the fairness of scores or predictions; null for a model with other outputs.
    [[nodiscard]] const ScoreFairness* scores() const { return std::get_if<ScoreFairness>(&fairness); }
    [[nodiscard]] const PredictionFairness* predictions() const { return std::get_if<PredictionFairness>(&fairness); }
    /// Returns the figures by group of a model without outputs; null for other models.
    [[nodiscard]] const GroupMetrics* groups() const { return std::get_if<GroupMetrics>(&fairness); }
    /// Returns one of the model's own figures; nothing if it has none of that name.
    [[nodiscard]] std::optional<double> figure(std::string_view name) const;
};
struct ClusterReport {
    std::uint32_t clusters = 0, dimensions = 0;  ///< dimensions of prepared points
    std::vector<std::int64_t> sizes;             ///< k, numbers of points
    std::vector<float> centres;                  ///< k x dimensions, in prepared units
    std::vector<double> weights = {};            ///< k, sums of the points' weights; empty: all weigh 1
    bool operator==(const ClusterReport&) const = default;
};
struct FrontReport {
    std::vector<OperatingPoint> points;
    bool operator==(const FrontReport&) const = default;
};
/// The network that a model predicts with; its numbers are rounded to float32.
struct NetworkReport {
    Network network;  ///< for prepared rows; without layers while the model is warming
    bool operator==(const NetworkReport&) const = default;
};
struct TopicMark {
    std::string topic;
    std::uint64_t topic_sequence = 0;
    std::uint64_t running_hash = 0;  ///< running hash of that publication
    bool operator==(const TopicMark&) const = default;
};
/// Counts of late points, and the state of the scales by which features are prepared.
struct Condition {
    std::uint64_t late_points = 0;
    PreparationFigures preparation = {};
    std::string drift_name = {};  ///< column with the largest drift; empty: no drift, or unnamed columns
    bool operator==(const Condition&) const = default;
};
struct Status {
    std::vector<TopicMark> topics;
    std::uint64_t retained = 0;
    Condition condition = {};
    bool ending = false;  ///< the engine's process ends in order; this is its last publication
};
struct Publication {
    RecordingId recording{};
    std::string topic;
    std::uint64_t topic_sequence = 0;
    Sequence sequence = 0;
    PointOutputs::Bodies<FairnessReport, ClusterReport, Status, FrontReport, NetworkReport> body;
    std::uint64_t running_hash = 0;  ///< running hash after event `sequence`
    std::uint64_t previous_hash =
        0;  ///< running hash after the topic's previous publication; in a snapshot: after this one
};

/// Returns the figures of an update or a report, with the names of the format's attributes. `dimensions` are those of
/// prepared points, `Engine::window().dimensions()`.
[[nodiscard]] FairnessReport fairness_report(const ModelFigures& figures, const StreamFormat& format);
[[nodiscard]] ClusterReport cluster_report(const fairstream::ModelReport& report, std::uint32_t dimensions);

[[nodiscard]] Publication read_publication(const AlignedMessage& message);
Bytes write(const Publication& publication, Encoder& encoder);

// -- control

struct SnapshotRequest {
    std::string topic;
};
struct RangeRequest {
    std::string topic;
    std::uint64_t first = 0, last = 0;
};
struct AssignRequest {
    std::string model;
    std::span<const float> features;
    std::span<const GroupId> groups;
    bool together = false;  ///< with groups: asks older engines to label points together, as newer engines always do
};
/// Asks for the rows of numbers that a model gives for points (n x d).
struct RowRequest {
    std::string model;
    std::span<const float> features;
    RowKind rows = RowKind::memberships;
};
struct ReportRequest {
    std::string model;
};
struct HealthRequest {};
struct StopRequest {};
/// Asks what the engine runs; answered by Description.
struct DescriptionRequest {};
/// Asks for the producers that the engine knows; answered by Producers.
struct ProducersRequest {};
/// Asks to forget a producer; answered by Done.
struct RemovalRequest {
    std::string producer;
};
/// Asks whether the recording still has this event and all events before it; answered by Done, or Nack (lost_events).
/// For events before the newest 2^20 the engine has no hashes, and always answers Done.
struct KnownRequest {
    KnownEvent event;
};
struct ControlRequest {
    std::uint64_t request = 0;
    std::variant<SnapshotRequest, RangeRequest, AssignRequest, ReportRequest, KnobChange, Refinement, HealthRequest,
                 StopRequest, KnownRequest, RowRequest, DescriptionRequest, ProducersRequest, RemovalRequest,
                 PointRemoval>
        body;
};

struct Health {
    bool ready = false;
    Sequence sequence = 0;
    std::uint64_t retained = 0;
    std::uint32_t producers = 0;
    std::uint64_t refused = 0;
    double uptime_seconds = 0;
    std::string cpu_level;
    std::string version;
    std::string activity;            ///< the engine's activity, as text for people; empty: none, or unknown
    std::uint64_t running_hash = 0;  ///< running hash after event `sequence`
    Condition condition = {};
    std::uint32_t subscribers = 0;      ///< connections with a subscription now
    double uncommitted_seconds = 0;     ///< age of the oldest event taken in but not on disk; 0: all are on disk
    std::uint64_t recording_bytes = 0;  ///< size of the recording's file and its log; 0: unknown, from an older engine
    std::optional<std::uint64_t> bytes_a_day = {};  ///< growth of the recording by events; nothing: unknown
    Sequence first_sequence = 0;                    ///< first event kept; 0: unknown, from an older engine
};
/// An option of a model as text; "given" for a value that is given as a file, and for a value longer than 1024 bytes.
struct OptionState {
    std::string name;
    std::string value;       ///< current value
    std::string configured;  ///< value in the recording's configuration
    bool live = false;       ///< may change while the engine runs
    bool operator==(const OptionState&) const = default;
};
struct ModelDescription {
    std::string name;
    std::string kind;  ///< e.g. "safairkm"
    std::vector<OptionState> options;
    std::uint64_t every = 0;  ///< `Schedule::every`
    /// Last event that made a step visible, refined the model, or changed its figures by an option; 0: unknown, because
    /// it came before the process started.
    Sequence stepped_at = 0;
    bool operator==(const ModelDescription&) const = default;
};
/// What an engine runs, and what its process has taken in, all as of event `sequence`.
struct Description {
    Sequence sequence = 0;
    std::string recording;  ///< path of the file on the engine's machine
    StreamFormat format;
    files::ReaderSettings reader_settings = {};
    std::vector<ModelDescription> models;
    std::uint64_t events = 0;             ///< taken in since the process started
    std::uint64_t points = 0;             ///< points in these events
    std::uint64_t max_message_bytes = 0;  ///< longest request that the engine takes, in bytes; 0: unknown
    std::uint32_t capacity = 0;           ///< largest number of points that the engine retains; 0: unknown
};
/// Returns the description of a model with options `now`; `stepped_at` is 0.
[[nodiscard]] ModelDescription model_description(const ModelSetup& configured, const ModelOptions& now,
                                                 const StreamFormat& format);
struct Publications {
    std::vector<Bytes> messages;
};  ///< serialised `Publication`s, in order; borrowed, not necessarily aligned
/// The answer to an AssignRequest (labels or scores, n) or to a RowRequest (rows, n x k).
struct Assigned {
    PointOutputs::Answers outputs;
};
/// The meaning of a figure, for people.
struct FigureMeaning {
    std::string name;
    std::string unit;
    std::string meaning;
    bool operator==(const FigureMeaning&) const = default;
};
struct ModelReport {
    FairnessReport fairness;
    ClusterReport clusters;  ///< none for a model of scores
    std::string cost_meaning;
    std::vector<FigureMeaning> figures;  ///< all that the model may have
};
/// Returns the report of a model with these options.
[[nodiscard]] ModelReport model_report(const fairstream::ModelReport& report, const ModelOptions& options,
                                       const StreamFormat& format, std::uint32_t dimensions);
struct Done {
    Sequence sequence = 0;
};
/// The result of a removal of points.
struct RemovedPoints {
    Sequence sequence = 0;           ///< number of the event that removed them
    std::uint64_t points = 0;        ///< points that left the window
    std::uint64_t not_retained = 0;  ///< ids without a retained point
    bool operator==(const RemovedPoints&) const = default;
};
/// A producer that the engine knows.
struct ProducerState {
    std::string name;
    std::string client;  ///< client that owns the producer; empty: none, as an older version recorded it
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;  ///< last number used in that epoch
    Sequence last_sequence = 0;           ///< newest event
    bool operator==(const ProducerState&) const = default;
};
/// The known producers, by name.
struct Producers {
    std::vector<ProducerState> producers;
};
struct ControlReply {
    std::uint64_t request = 0;
    RecordingId recording{};
    std::variant<Nack, Publication, Publications, Assigned, ModelReport, Done, Health, Description, Producers,
                 RemovedPoints>
        body;
};

/// Reads a request. Throws `InvalidInput`; the reason is `unknown_request` for a kind that only later versions know.
[[nodiscard]] ControlRequest read_control_request(const AlignedMessage& message);
/// Returns the number of a request, even if `read_control_request` throws; 0 if it cannot be read.
[[nodiscard]] std::uint64_t read_request_number(const AlignedMessage& message);
[[nodiscard]] ControlReply read_control_reply(const AlignedMessage& message);
Bytes write(const ControlRequest& request, Encoder& encoder);
Bytes write(const ControlReply& reply, Encoder& encoder);

}  // namespace fairstream::wire
