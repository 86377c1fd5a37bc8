#include <fairstream/log/sqlite/detail/rows.hpp>

#include <algorithm>
#include <cstring>

#include <fairstream/base/printable.hpp>
#include <fairstream/log/running_hash.hpp>

namespace fairstream::log::sqlite {

namespace {

void check(const Rows& rows, bool holds, std::string_view table, std::string_view row) {
    if (holds) return;
    fail(rows.database().file(),
         "table " + std::string(table) + ", row " + printable(std::string(row)) + ": it does not match its checksum");
}

void check(const Rows& rows, bool holds, std::string_view table, std::uint64_t row) {
    if (!holds) check(rows, false, table, std::to_string(row));
}

RowHash& add(RowHash& hash, const ProducerMark& mark) {
    return hash.add(mark.epoch).add(mark.producer_sequence);
}

RefusalRow refusal_row(const Rows& rows) {
    return {rows.number(0), rows.text(1), {rows.number(2), rows.number(3)}, rows.number(4), rows.text(5), {}};
}

RowHash hash_of_refusal(std::string_view table, const RefusalRow& row) {
    RowHash hash(table);
    add(hash.add(row.number).add(row.producer), row.mark).add(row.reason).add(row.text);
    return hash;
}

}  // namespace

std::uint64_t checksum(const MetaRow& row) {
    return RowHash("meta")
        .add(Bytes(row.recording))
        .add(row.config)
        .add(row.config_hash)
        .add(row.cpu_level)
        .add(row.version)
        .value();
}

std::string select(std::string_view columns, std::string_view rest) {
    return "SELECT " + std::string(columns) + " FROM " + std::string(rest);
}

namespace {

// Copies a recording's id from a column; returns false for a column of another size.
bool copy_id(Bytes column, RecordingId& id) {
    if (column.size() != id.size()) return false;
    std::ranges::copy(column, id.begin());
    return true;
}

}  // namespace

MetaRow read_meta(const Rows& rows) {
    MetaRow row{{}, rows.text(1), rows.number(2), rows.text(3), rows.text(4)};
    const bool sized = copy_id(rows.blob(0), row.recording);
    check(rows, sized && checksum(row) == rows.number(5) && hash_of(bytes_of(row.config)) == row.config_hash, "meta",
          1);
    return row;
}

StateRow read_state(const Rows& rows) {
    const StateRow row{rows.number(0), rows.number(1), rows.number(2), rows.number(3) != 0};
    check(rows, checksum(row) == rows.number(4), "state", 1);
    return row;
}

ProducerRow read_producer(const Rows& rows) {
    const ProducerRow row{rows.number(0), rows.text(1), {rows.number(2), rows.number(3)}, rows.number(4)};
    check(rows, checksum(row) == rows.number(5), "producers", row.id);
    return row;
}

EventRow read_event(const Rows& rows) {
    const EventRow row{rows.number(0), rows.text(1), {rows.number(2), rows.number(3)}, rows.blob(5), rows.blob(6)};
    check(rows,
          event_checksum(row.sequence, row.producer, row.mark, row.decisions, row.message.size(),
                         hash_of(row.message)) == rows.number(4),
          "events", row.sequence);
    return row;
}

std::string select_events(bool with_digests) {
    if (!with_digests)
        return select(std::string(event_columns) + ", NULL, NULL", "events WHERE sequence >= ?1 ORDER BY sequence");
    return select(event_and_digest_columns,
                  "events e LEFT JOIN update_digests d ON d.sequence = e.sequence "
                  "WHERE e.sequence >= ?1 ORDER BY e.sequence");
}

std::optional<std::uint64_t> read_update_digest(const Rows& rows) {
    if (rows.is_null(7)) return std::nullopt;
    const UpdateDigestRow row{rows.number(0), rows.number(7)};
    check(rows, checksum(row) == rows.number(8), "update_digests", row.sequence);
    return row.digest;
}

BuildRow read_build(const Rows& rows) {
    const BuildRow row{rows.number(0), rows.number(1), rows.text(2), rows.text(3), rows.number(4)};
    check(rows, checksum(row) == rows.number(5), "builds", row.id);
    return row;
}

GrowthRow read_growth(const Rows& rows) {
    const GrowthRow row{rows.number(0), static_cast<std::int64_t>(rows.number(1)), rows.number(2)};
    check(rows, checksum(row) == rows.number(3), "growth", row.sequence);
    return row;
}

ErasureRow read_erasure(const Rows& rows) {
    ErasureRow row{rows.number(0), {{}, rows.number(2), static_cast<std::int64_t>(rows.number(3))}};
    const bool sized = copy_id(rows.blob(1), row.erasure.from);
    check(rows, sized && checksum(row) == rows.number(4), "erasures", row.id);
    return row;
}

CheckpointRow read_checkpoint(const Rows& rows) {
    const CheckpointRow row{rows.number(0), rows.number(1), rows.number(2),
                            rows.number(3), rows.number(4), rows.blob(5)};
    check(rows, checksum(row) == rows.number(6), "checkpoints", row.id);
    return row;
}

PartRow read_part(const Rows& rows) {
    const PartRow row{rows.number(0), rows.number(1), rows.blob(3)};
    if (checksum(row) != rows.number(2)) {
        fail(rows.database().file(), "table checkpoint_parts, part " + std::to_string(row.part) + " of checkpoint " +
                                         std::to_string(row.checkpoint) + ": it does not match its checksum");
    }
    return row;
}

RefusalRow read_refusal(const Rows& rows) {
    const RefusalRow row = refusal_row(rows);
    check(rows, refusal_checksum(row) == rows.number(6), "refusals", row.number);
    return row;
}

RefusalRow read_refused_message(const Rows& rows) {
    RefusalRow row = refusal_row(rows);
    row.message = rows.blob(7);
    check(rows, refused_message_checksum(row) == rows.number(6), "refused_messages", row.number);
    return row;
}

Refusal refusal_of(const RefusalRow& row) {
    return {std::string(row.producer),
            row.mark,
            static_cast<Reason>(row.reason),
            std::string(row.text),
            {row.message.begin(), row.message.end()}};
}

RunningHashRow read_running_hash(const Rows& rows) {
    const RunningHashRow row{rows.number(0), rows.number(1), rows.number(2)};
    check(rows, checksum(row) == rows.number(3), "running_hashes", row.id);
    return row;
}

OwnerRow read_owner(const Rows& rows) {
    const OwnerRow row{rows.text(0), rows.text(1)};
    check(rows, checksum(row) == rows.number(2), "owners", row.producer);
    return row;
}

FloorRow read_floor(const Rows& rows) {
    const FloorRow row{rows.text(0), rows.number(1)};
    check(rows, checksum(row) == rows.number(2), "floors", row.client);
    return row;
}

void write(Database& database, const MetaRow& row) {
    Statement(database, "INSERT INTO meta VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6)")
        .run(Bytes(row.recording), row.config, row.config_hash, row.cpu_level, row.version, checksum(row));
}

void write(Database& database, const StateRow& row) {
    Statement(database, "INSERT OR REPLACE INTO state VALUES(1, ?1, ?2, ?3, ?4, ?5)")
        .run(row.first_sequence, row.refused, row.newest_checkpoint, row.log_follows, checksum(row));
}

std::uint64_t checksum(const StateRow& row) noexcept {
    return RowHash("state")
        .add(row.first_sequence)
        .add(row.refused)
        .add(row.newest_checkpoint)
        .add(std::uint64_t{row.log_follows})
        .value();
}

std::uint64_t checksum(const ProducerRow& row) noexcept {
    RowHash hash("producers");
    return add(hash.add(row.id).add(row.name), row.mark).add(row.last_sequence).value();
}

std::uint64_t checksum(const CheckpointRow& row) noexcept {
    return RowHash("checkpoints")
        .add(row.id)
        .add(row.sequence)
        .add(row.parts)
        .add(row.bytes)
        .add(row.hash)
        .add(row.topics)
        .value();
}

std::uint64_t checksum(const PartRow& row) noexcept {
    return RowHash("checkpoint_parts").add(row.checkpoint).add(row.part).add(row.bytes).value();
}

std::uint64_t refusal_checksum(const RefusalRow& row) noexcept {
    return hash_of_refusal("refusals", row).value();
}

std::uint64_t refused_message_checksum(const RefusalRow& row) noexcept {
    return hash_of_refusal("refused_messages", row).add(row.message).value();
}

std::uint64_t checksum(const RunningHashRow& row) noexcept {
    return RowHash("running_hashes").add(row.id).add(row.sequence).add(row.hash).value();
}

std::uint64_t checksum(const OwnerRow& row) noexcept {
    return RowHash("owners").add(row.producer).add(row.owner).value();
}

std::uint64_t checksum(const FloorRow& row) noexcept {
    return RowHash("floors").add(row.client).add(row.epoch).value();
}

std::uint64_t checksum(const UpdateDigestRow& row) noexcept {
    return RowHash("update_digests").add(row.sequence).add(row.digest).value();
}

std::uint64_t checksum(const BuildRow& row) noexcept {
    return RowHash("builds")
        .add(row.id)
        .add(row.sequence)
        .add(row.version)
        .add(row.cpu_level)
        .add(row.differs_from)
        .value();
}

std::uint64_t checksum(const GrowthRow& row) noexcept {
    return RowHash("growth").add(row.sequence).add(static_cast<std::uint64_t>(row.time)).add(row.bytes).value();
}

std::uint64_t checksum(const ErasureRow& row) noexcept {
    return RowHash("erasures")
        .add(row.id)
        .add(Bytes(row.erasure.from))
        .add(row.erasure.points)
        .add(static_cast<std::uint64_t>(row.erasure.time))
        .value();
}

namespace {

// Marks the form with running hashes. It is the first 64-bit word; the older form has the number of the first topic
// there, which is never so large.
constexpr std::uint64_t with_hashes = std::numeric_limits<std::uint64_t>::max();

std::uint64_t take_word(const std::filesystem::path& file, Bytes& bytes) {
    std::uint64_t word = 0;
    if (bytes.size() < sizeof word) fail(file, "the topics of a checkpoint are damaged");
    std::memcpy(&word, bytes.data(), sizeof word);
    bytes = bytes.subspan(sizeof word);
    return word;
}

}  // namespace

std::vector<std::byte> write_topics(const std::map<std::string, TopicMark>& topics) {
    std::vector<std::byte> bytes;
    const auto put = [&](std::uint64_t word) {
        std::ranges::copy(std::as_bytes(std::span(&word, 1)), std::back_inserter(bytes));
    };
    put(with_hashes);
    for (const auto& [name, mark] : topics) {
        for (const std::uint64_t word : {mark.number, mark.running_hash, std::uint64_t{name.size()}}) put(word);
        std::ranges::copy(bytes_of(name), std::back_inserter(bytes));
    }
    return bytes;
}

std::map<std::string, TopicMark> read_topics(const std::filesystem::path& file, Bytes bytes) {
    std::map<std::string, TopicMark> topics;
    if (bytes.empty()) return topics;
    Bytes rest = bytes;
    const bool hashes = take_word(file, rest) == with_hashes;
    if (!hashes) rest = bytes;
    while (!rest.empty()) {
        TopicMark mark{take_word(file, rest), 0};
        if (hashes) mark.running_hash = take_word(file, rest);
        const std::uint64_t length = take_word(file, rest);
        if (rest.size() < length) fail(file, "the topics of a checkpoint are damaged");
        topics.emplace(std::string(reinterpret_cast<const char*>(rest.data()), length), mark);
        rest = rest.subspan(length);
    }
    return topics;
}

}  // namespace fairstream::log::sqlite
