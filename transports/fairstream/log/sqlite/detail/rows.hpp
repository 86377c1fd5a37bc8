#pragma once
/// The rows of a recording's tables as values. Reading checks the row's checksum, and throws `RecordingError` naming
/// the table and the row. Results borrow from the row that was read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/log/detail/row_hash.hpp>
#include <fairstream/log/sqlite/detail/database.hpp>

namespace fairstream::log::sqlite {

struct MetaRow {
    RecordingId recording{};
    std::string_view config;
    std::uint64_t config_hash = 0;
    std::string_view cpu_level;
    std::string_view version;  ///< version of the library that created the file
};

struct StateRow {
    Sequence first_sequence = 1;          ///< events before it were deleted
    std::uint64_t refused = 0;            ///< number of refusals since the recording began, and so of the newest one
    std::uint64_t newest_checkpoint = 0;  ///< id; 0: none
    /// True in the file itself while later commits are only in the log. In the log, a commit that sets it is followed
    /// by one that clears it. So a file without a log has lost the log's commits if this is true.
    bool log_follows = false;
    bool operator==(const StateRow&) const = default;
};

/// The row with an empty name, which no producer has, holds the floor of all clients as its epoch, and
/// `Expiry::through` as `last_sequence`.
struct ProducerRow {
    std::uint64_t id = 0;  ///< 1, 2, 3, ...
    std::string_view name;
    ProducerMark mark;
    Sequence last_sequence = 0;  ///< newest event; 0: none
};

struct EventRow {
    Sequence sequence = 0;
    std::string_view producer;
    ProducerMark mark;
    Bytes decisions;
    Bytes message;
};

struct CheckpointRow {
    std::uint64_t id = 0;
    Sequence sequence = 0;
    std::uint64_t parts = 0;
    std::uint64_t bytes = 0;  ///< bytes of the whole state
    std::uint64_t hash = 0;   ///< hash of the whole state; see `StateHash`
    Bytes topics;             ///< see `write_topics`
};

struct PartRow {
    std::uint64_t checkpoint = 0;
    std::uint64_t part = 0;  ///< 0, 1, 2, ...
    Bytes bytes;
};

/// A row of `refusals`; with a message, also a row of `refused_messages`.
struct RefusalRow {
    std::uint64_t number = 0;  ///< 1, 2, 3, ... over all refusals
    std::string_view producer;
    ProducerMark mark;
    std::uint64_t reason = 0;
    std::string_view text;
    Bytes message;
};

struct RunningHashRow {
    std::uint64_t id = 0;   ///< id of a checkpoint, or `log_begin_id`
    Sequence sequence = 0;  ///< the event after which the running hash is `hash`
    std::uint64_t hash = 0;
};

/// The owner of a producer: a client, or a text from `producers.hpp` for a forgotten producer.
struct OwnerRow {
    std::string_view producer;
    std::string_view owner;
};

struct FloorRow {
    std::string_view client;
    std::uint64_t epoch = 0;
};

struct UpdateDigestRow {
    Sequence sequence = 0;
    std::uint64_t digest = 0;
};

/// See `Build`.
struct BuildRow {
    std::uint64_t id = 0;  ///< 1, 2, 3, ...
    Sequence sequence = 0;
    std::string_view version;
    std::string_view cpu_level;
    Sequence differs_from = 0;
};

struct GrowthRow {
    Sequence sequence = 0;    ///< event appended at that time
    std::int64_t time = 0;    ///< by the writer's clock, never below an earlier row's; 0: unknown
    std::uint64_t bytes = 0;  ///< bytes of the messages of all earlier events, since the first row ever
};

struct ErasureRow {
    std::uint64_t id = 0;  ///< 1, 2, 3, ...
    Erasure erasure;
};

/// Hash of a checkpoint's state, computed over its parts in order.
class StateHash {
public:
    void add(Bytes part) noexcept { value_ = RowHash("state").add(value_).add(part).value(); }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
    std::uint64_t value_ = 0;
};

// The columns in the order that the readers expect.
inline constexpr std::string_view meta_columns = "recording, config, config_hash, cpu_level, version, checksum";
inline constexpr std::string_view state_columns = "first_sequence, refused, newest_checkpoint, log_follows, checksum";
inline constexpr std::string_view producer_columns = "id, name, epoch, producer_sequence, last_sequence, checksum";
inline constexpr std::string_view event_columns =
    "sequence, producer, epoch, producer_sequence, checksum, decisions, message";
/// An event's columns, then its digest with its checksum, which are NULL without a digest.
inline constexpr std::string_view event_and_digest_columns =
    "e.sequence, e.producer, e.epoch, e.producer_sequence, e.checksum, e.decisions, e.message, d.digest, d.checksum";
inline constexpr std::string_view build_columns = "id, sequence, version, cpu_level, differs_from, checksum";
inline constexpr std::string_view growth_columns = "sequence, time, bytes, checksum";
inline constexpr std::string_view erasure_columns = "id, recording, points, time, checksum";
inline constexpr std::string_view checkpoint_columns = "id, sequence, parts, bytes, hash, topics, checksum";
inline constexpr std::string_view part_columns = "checkpoint, part, checksum, bytes";
inline constexpr std::string_view refusal_columns =
    "number, producer, epoch, producer_sequence, reason, text, checksum";
inline constexpr std::string_view refused_message_columns =
    "number, producer, epoch, producer_sequence, reason, text, checksum, message";
inline constexpr std::string_view running_hash_columns = "id, sequence, hash, checksum";
inline constexpr std::string_view owner_columns = "producer, owner, checksum";
inline constexpr std::string_view floor_columns = "client, epoch, checksum";

/// "SELECT <columns> FROM <rest>"
[[nodiscard]] std::string select(std::string_view columns, std::string_view rest);

[[nodiscard]] MetaRow read_meta(const Rows& rows);
[[nodiscard]] StateRow read_state(const Rows& rows);
[[nodiscard]] ProducerRow read_producer(const Rows& rows);
[[nodiscard]] EventRow read_event(const Rows& rows);
/// Returns a query of the events from a given one on, with their digests if the file has any.
[[nodiscard]] std::string select_events(bool with_digests);
/// Returns the digest in a row of the query of `select_events`, if there is one.
[[nodiscard]] std::optional<std::uint64_t> read_update_digest(const Rows& rows);
[[nodiscard]] BuildRow read_build(const Rows& rows);
[[nodiscard]] GrowthRow read_growth(const Rows& rows);
[[nodiscard]] ErasureRow read_erasure(const Rows& rows);
[[nodiscard]] CheckpointRow read_checkpoint(const Rows& rows);
[[nodiscard]] PartRow read_part(const Rows& rows);
[[nodiscard]] RefusalRow read_refusal(const Rows& rows);
[[nodiscard]] RefusalRow read_refused_message(const Rows& rows);
/// Returns a refusal from its row.
[[nodiscard]] Refusal refusal_of(const RefusalRow& row);
[[nodiscard]] RunningHashRow read_running_hash(const Rows& rows);
[[nodiscard]] OwnerRow read_owner(const Rows& rows);
[[nodiscard]] FloorRow read_floor(const Rows& rows);

void write(Database& database, const MetaRow& row);
void write(Database& database, const StateRow& row);

[[nodiscard]] std::uint64_t checksum(const MetaRow& row);
[[nodiscard]] std::uint64_t checksum(const StateRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const ProducerRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const CheckpointRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const PartRow& row) noexcept;
[[nodiscard]] std::uint64_t refusal_checksum(const RefusalRow& row) noexcept;
[[nodiscard]] std::uint64_t refused_message_checksum(const RefusalRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const RunningHashRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const OwnerRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const FloorRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const UpdateDigestRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const BuildRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const GrowthRow& row) noexcept;
[[nodiscard]] std::uint64_t checksum(const ErasureRow& row) noexcept;

/// Returns topics as bytes: 2^64 - 1; then for each topic, sorted by name: its number, its running hash, the length of
/// its name (64 bits each, little-endian), its name. An older form lacks the first word and the hashes.
[[nodiscard]] std::vector<std::byte> write_topics(const std::map<std::string, TopicMark>& topics);
/// Throws `RecordingError` naming `file` when the bytes have neither form of `write_topics`.
[[nodiscard]] std::map<std::string, TopicMark> read_topics(const std::filesystem::path& file, Bytes bytes);

}  // namespace fairstream::log::sqlite
