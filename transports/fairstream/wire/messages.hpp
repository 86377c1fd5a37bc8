#pragma once
/// The messages of schemas/fairstream.capnp as plain C++ values, and the functions that read and write them.
///
/// A running hash is `recording::Recording::running_hash` after some event; 0: not known, or of no event.
///
/// Readers take untrusted bytes: they throw `InvalidInput` (malformed, oversized) and nothing else, whatever the bytes.
/// Writers throw the same for values that no reader would take: columns that disagree, names that are empty or too
/// long. Columns that a reader returns as spans borrow from the `AlignedMessage` they were read from.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/engine.hpp>

namespace fairstream::wire {

using Bytes = std::span<const std::byte>;
using RecordingId = std::array<std::byte, 16>;

/// Largest message that is read or written. Four times 64 MiB would pass Cap'n Proto's own traversal limit, which is
/// raised to match.
inline constexpr std::size_t message_limit = std::size_t{256} << 20;

/// A copy of a message in memory aligned to 8 bytes, as Cap'n Proto needs and ZeroMQ's buffers are not. Reuse it:
/// `assign` keeps the memory.
class AlignedMessage {
public:
    AlignedMessage() = default;
    explicit AlignedMessage(Bytes bytes) { assign(bytes); }
    void assign(Bytes bytes);  ///< throws `InvalidInput` (oversized), or (malformed) when the length is not whole words
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
    [[nodiscard]] Bytes bytes() const noexcept { return std::as_bytes(words()); }

private:
    std::vector<std::uint64_t> words_;
};

/// Where a writer puts its message. Reuse it: the memory is kept. The span a writer returns is valid until the next
/// write.
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

/// An event that a client was told of by an Ack or a publication.
struct KnownEvent {
    RecordingId recording{};  ///< of the message that told of it
    Sequence sequence = 0;
    std::uint64_t running_hash = 0;  ///< after that event, as it was told
    bool operator==(const KnownEvent&) const = default;
};
struct Hello {
    std::string producer;
    std::uint64_t epoch = 0;
    /// Where none of this epoch's events was taken: the numbers up to this one are refused, and not sent again.
    std::uint64_t refused_up_to = 0;
    std::optional<KnownEvent> known = {};  ///< the newest, if there is one
};
struct EventMessage {
    std::string producer;
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
    Event event;  ///< a batch borrows its columns
};
using IngestRequest = std::variant<Hello, EventMessage>;

struct Welcome {
    std::uint64_t next_producer_sequence = 1;
    StreamFormat format;
    std::uint64_t max_message_bytes = 0;  ///< longest event that the engine takes; 0: not told
    Sequence known_sequence = 0;          ///< what the Hello that this answers knew: the recording has it
};
struct Ack {
    std::uint64_t producer_sequence = 0;
    Sequence sequence = 0;
    std::uint64_t running_hash = 0;  ///< after that event
};
struct Nack {
    std::uint64_t producer_sequence = 0;
    Reason reason = Reason::malformed;  ///< one of a later version is kept as its number
    std::string text;
    std::uint64_t next_producer_sequence = 0;
    std::uint64_t newest_epoch = 0;  ///< of a stale epoch: a later one is not stale; otherwise 0
};
struct IngestReply {
    RecordingId recording{};
    std::uint32_t credit = 0;
    std::variant<Welcome, Ack, Nack> body;
    std::uint64_t life = 0;  ///< of the engine's process: another one after each start; 0: not told
};

[[nodiscard]] IngestRequest read_ingest_request(const AlignedMessage& message);
/// Whose event a message is, also where `read_ingest_request` throws for its content, so that the refusal can say which
/// one is refused; empty where even that cannot be read, and for other requests.
struct EventMark {
    std::string producer;
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
};
[[nodiscard]] std::optional<EventMark> read_event_mark(const AlignedMessage& message);
[[nodiscard]] IngestReply read_ingest_reply(const AlignedMessage& message);
Bytes write(const IngestRequest& request, Encoder& encoder);
Bytes write(const IngestReply& reply, Encoder& encoder);

// -- updates

/// Borrowed columns, as `Changes<ClusterId>` has them.
struct LabelUpdate {
    std::span<const PointId> departed;
    std::span<const PointId> ids;
    std::span<const ClusterId> labels;
    std::span<const std::uint8_t> provisional;
};
/// The same of `Changes<Score>`.
struct ScoreUpdate {
    std::span<const PointId> departed;
    std::span<const PointId> ids;
    std::span<const Score> scores;
    std::span<const std::uint8_t> provisional;
};
struct AttributeReport {
    std::string attribute;
    double balance = 0, average_balance = 0, best_balance = 0, cluster_balance = 0, demographic_parity_difference = 0,
           worst_gap = 0, kl_fairness_error = 0, cluster_entropy = 0, parity = 0, best_parity = 0;
    std::vector<std::int64_t> counts;  ///< k x J
    bool operator==(const AttributeReport&) const = default;
};
struct FairnessReport {
    double cost = 0, churn = 0;
    Outcome outcome = Outcome::warming;
    std::int64_t moves = 0, swaps = 0, points = 0;
    std::vector<AttributeReport> attributes;
    double plain_cost = 0;  ///< 0: not known
    bool operator==(const FairnessReport&) const = default;
};
struct ClusterReport {
    std::uint32_t clusters = 0, dimensions = 0;
    std::vector<std::int64_t> sizes;  ///< k
    std::vector<float> centres;       ///< k x d
    bool operator==(const ClusterReport&) const = default;
};
struct FrontReport {
    std::vector<OperatingPoint> points;
    bool operator==(const FrontReport&) const = default;
};
struct ScoreFairnessReport {
    double loss = 0, churn = 0;
    Outcome outcome = Outcome::warming;
    std::int64_t iterations = 0;
    ScoreFairness figures;
    bool operator==(const ScoreFairnessReport&) const = default;
};
struct TopicMark {
    std::string topic;
    std::uint64_t topic_sequence = 0;
    std::uint64_t running_hash = 0;  ///< of that publication
    bool operator==(const TopicMark&) const = default;
};
struct Status {
    std::vector<TopicMark> topics;
    std::uint64_t retained = 0;
};
struct Publication {
    RecordingId recording{};
    std::string topic;
    std::uint64_t topic_sequence = 0;
    Sequence sequence = 0;
    std::variant<LabelUpdate, FairnessReport, ClusterReport, Status, FrontReport, ScoreUpdate, ScoreFairnessReport>
        body;
    std::uint64_t running_hash = 0;   ///< after event `sequence`
    std::uint64_t previous_hash = 0;  ///< of the topic's publication before this one; of a snapshot: `topic_sequence`
};

/// The figures of an update or a report, with the names of the format's attributes.
[[nodiscard]] FairnessReport fairness_report(const ModelUpdate& update, const StreamFormat& format);
[[nodiscard]] FairnessReport fairness_report(const fairstream::ModelReport& report, const StreamFormat& format);
[[nodiscard]] ClusterReport cluster_report(const fairstream::ModelReport& report, const StreamFormat& format);
/// Of a model of scores; of any other the figures are those of no points.
[[nodiscard]] ScoreFairnessReport score_fairness_report(const ModelUpdate& update);
[[nodiscard]] ScoreFairnessReport score_fairness_report(const fairstream::ModelReport& report);

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
};
struct ReportRequest {
    std::string model;
};
struct HealthRequest {};
struct StopRequest {};
/// Whether the recording still has this event and those before it: answered by Done, or Nack (lost_events).
struct KnownRequest {
    KnownEvent event;
};
struct ControlRequest {
    std::uint64_t request = 0;
    std::variant<SnapshotRequest, RangeRequest, AssignRequest, ReportRequest, KnobChange, Refinement, HealthRequest,
                 StopRequest, KnownRequest>
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
    std::string activity;  ///< what the engine works on, for people; empty: nothing, or an engine that does not say
    std::uint64_t running_hash = 0;  ///< after event `sequence`
};
struct Publications {
    std::vector<Bytes> messages;
};  ///< serialised `Publication`s, in order; borrowed, not necessarily aligned
struct Assigned {
    std::span<const ClusterId> labels;
};
struct Scored {
    std::span<const Score> scores;
};
/// Of a clustering; the report of a model of scores is its `ScoreFairnessReport`.
struct ModelReport {
    FairnessReport fairness;
    ClusterReport clusters;
};
struct Done {
    Sequence sequence = 0;
};
struct ControlReply {
    std::uint64_t request = 0;
    RecordingId recording{};
    std::variant<Nack, Publication, Publications, Assigned, ModelReport, Done, Health, Scored, ScoreFairnessReport>
        body;
};

/// Throws `InvalidInput`, for a kind of request that only later versions know with the reason `unknown_request`.
[[nodiscard]] ControlRequest read_control_request(const AlignedMessage& message);
/// The number to answer to, also where `read_control_request` throws; 0 where even that cannot be read.
[[nodiscard]] std::uint64_t read_request_number(const AlignedMessage& message);
[[nodiscard]] ControlReply read_control_reply(const AlignedMessage& message);
Bytes write(const ControlRequest& request, Encoder& encoder);
Bytes write(const ControlReply& reply, Encoder& encoder);

}  // namespace fairstream::wire
