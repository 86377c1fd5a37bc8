#include <fairstream/log/sqlite/detail/reader.hpp>

#include <limits>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>

namespace fairstream::log::sqlite {

namespace {

constexpr std::uint64_t last_number = std::numeric_limits<std::int64_t>::max();

}  // namespace

Reader::Reader(Database& database, Contents& contents)
    : database_(database),
      contents_(contents),
      first_sequence_(database, "SELECT min(sequence) FROM events"),
      last_sequence_(database, "SELECT max(sequence) FROM events"),
      refused_count_(database, select(state_columns, "state")),
      newest_checkpoint_(database, select(checkpoint_columns, "checkpoints ORDER BY id DESC LIMIT 1")),
      oldest_checkpoint_(database, select(checkpoint_columns, "checkpoints ORDER BY id LIMIT 1")),
      checkpoint_parts_(database, select(part_columns, "checkpoint_parts WHERE checkpoint = ?1 ORDER BY part")),
      producers_(database, select(producer_columns, "producers")),
      find_refusal_(database, select(refusal_columns,
                                     "refusals WHERE producer = ?1 AND epoch = ?2 "
                                     "AND producer_sequence = ?3")),
      event_marks_(database,
                   "SELECT sequence, producer, epoch, producer_sequence, checksum FROM events "
                   "WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence"),
      refused_messages_(database, select(refused_message_columns, "refused_messages ORDER BY number")) {
    if (contents.format >= running_hashes_since)
        running_hash_.emplace(database, select(running_hash_columns, "running_hashes WHERE id = ?1"));
    if (contents.format < owners_since) return;
    owners_.emplace(database, select(owner_columns, "owners"));
    floors_.emplace(database, select(floor_columns, "floors"));
}

Sequence Reader::first_sequence() {
    Rows rows = first_sequence_.query();
    return rows.next() ? rows.number(0) : 0;  // NULL, which reads as 0, without events
}

Sequence Reader::last_sequence() {
    Rows rows = last_sequence_.query();
    const Sequence last = rows.next() ? rows.number(0) : 0;
    return last > 0 ? last : contents_.state.first_sequence - 1;  // NULL, which reads as 0, without events
}

std::uint64_t Reader::refused_count() {
    Rows rows = refused_count_.query();
    if (!rows.next()) fail(database_.file(), "table state is empty");
    return sqlite::read_state(rows).refused;
}

std::optional<Checkpoint> Reader::newest_checkpoint() {
    return first_checkpoint(newest_checkpoint_);
}

std::optional<Checkpoint> Reader::oldest_checkpoint() {
    return first_checkpoint(oldest_checkpoint_);
}

std::vector<Build> Reader::builds() {
    std::vector<Build> builds;
    if (!contents_.has_update_digests) return builds;
    Statement statement(database_, select(build_columns, "builds ORDER BY id"));
    for (Rows rows = statement.query(); rows.next();) {
        const BuildRow row = read_build(rows);
        builds.push_back({row.sequence, std::string(row.version), std::string(row.cpu_level), row.differs_from});
    }
    return builds;
}

std::vector<AppendTime> Reader::times() {
    std::vector<AppendTime> times;
    if (!contents_.has_update_digests) return times;
    Statement statement(database_, select(growth_columns, "growth ORDER BY sequence"));
    for (Rows rows = statement.query(); rows.next();) {
        const GrowthRow row = read_growth(rows);
        times.push_back({row.sequence, row.time});
    }
    return times;
}

std::vector<Erasure> Reader::erasures() {
    std::vector<Erasure> erasures;
    if (!contents_.has_erasures) return erasures;
    Statement statement(database_, select(erasure_columns, "erasures ORDER BY id"));
    for (Rows rows = statement.query(); rows.next();) erasures.push_back(read_erasure(rows).erasure);
    return erasures;
}

std::optional<Checkpoint> Reader::first_checkpoint(Statement& of) {
    const Snapshot snapshot(database_);
    Rows rows = of.query();
    if (!rows.next()) return std::nullopt;
    const CheckpointRow row = read_checkpoint(rows);
    Checkpoint checkpoint{row.sequence, read_state(row), read_topics(database_.file(), row.topics)};
    if (running_hash_) {
        Rows hashes = running_hash_->query(row.id);
        if (hashes.next()) checkpoint.running_hash = read_running_hash(hashes).hash;
    }
    return checkpoint;
}

std::optional<std::uint64_t> Reader::running_hash() {
    note_new_events();
    return contents_.running_hash;
}

std::vector<std::byte> Reader::read_state(const CheckpointRow& row) {
    std::vector<std::byte> state;
    state.reserve(row.bytes);
    StateHash hash;
    for (Rows rows = checkpoint_parts_.query(row.id); rows.next();) {
        const PartRow part = read_part(rows);
        hash.add(part.bytes);
        state.insert(state.end(), part.bytes.begin(), part.bytes.end());
    }
    if (hash.value() != row.hash) {
        fail(database_.file(),
             "table checkpoints, row " + std::to_string(row.id) + ": its parts do not match its hash");
    }
    return state;
}

Producers Reader::read_producers() {
    const Snapshot snapshot(database_);
    Producers producers;
    for (Rows rows = producers_.query(); rows.next();) {
        const ProducerRow row = read_producer(rows);
        Producer& producer = producers.at(row.name).second;
        producer.mark = row.mark;
        producer.last_sequence = row.last_sequence;
    }
    if (!owners_) return producers;
    for (Rows rows = owners_->query(); rows.next();) {
        const OwnerRow row = read_owner(rows);
        producers.at(row.producer).second.owner = row.owner;
    }
    for (Rows rows = floors_->query(); rows.next();) {
        const FloorRow row = read_floor(rows);
        producers.floors().emplace(row.client, row.epoch);
    }
    return producers;
}

std::map<std::string, KnownProducer> Reader::producers() {
    return read_producers().known();
}

Expiry Reader::expiry() {
    return read_producers().expiry();
}

std::optional<Refusal> Reader::find_refusal(const std::string& producer, const ProducerMark& mark) {
    Rows rows = find_refusal_.query(producer, mark.epoch, mark.producer_sequence);
    if (!rows.next()) return std::nullopt;
    return refusal_of(read_refusal(rows));
}

std::optional<Sequence> Reader::find_event(const std::string& producer, const ProducerMark& mark) {
    note_new_events();
    const Producer* known = contents_.producers.find(producer);
    if (known == nullptr) return std::nullopt;
    const auto from = known->positions.search_from(mark);
    if (!from) return std::nullopt;
    for (Rows rows = event_marks_.query(*from, *from + EventPositions::stride - 1); rows.next();) {
        if (rows.text(1) == producer && ProducerMark{rows.number(2), rows.number(3)} == mark) return rows.number(0);
    }
    return std::nullopt;
}

void Reader::note_new_events() {
    for (Rows rows = event_marks_.query(contents_.last_sequence + 1, last_number); rows.next();) {
        contents_.last_sequence = rows.number(0);
        contents_.producers.at(rows.text(1))
            .second.note_event(contents_.last_sequence, {rows.number(2), rows.number(3)},
                               contents_.state.first_sequence);
        if (contents_.running_hash) {
            contents_.running_hash = next_running_hash(*contents_.running_hash, rows.number(4));
        }
    }
}

std::vector<Refusal> Reader::refusals() {
    std::vector<Refusal> refusals;
    for (Rows rows = refused_messages_.query(); rows.next();) {
        refusals.push_back(refusal_of(read_refused_message(rows)));
    }
    return refusals;
}

void Reader::for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                            OnDeletion on_deletion) {
    Statement statement(database_, select_events(contents_.has_update_digests) + " LIMIT ?2");
    std::vector<RecordedEvent> slice;
    // Copies the data first: `each` may take any time, and the log can begin anew meanwhile.
    for (bool is_first = true;; is_first = false) {
        std::size_t bytes = 0;
        slice.clear();
        for (Rows rows = statement.query(first, Slice::events); bytes < Slice::bytes && rows.next();) {
            const EventRow row = read_event(rows);
            slice.push_back({row.sequence,
                             std::string(row.producer),
                             row.mark,
                             {row.message.begin(), row.message.end()},
                             {row.decisions.begin(), row.decisions.end()},
                             read_update_digest(rows),
                             Position{row.sequence}});
            bytes += row.message.size() + row.decisions.size();
        }
        if (slice.empty()) return;
        if (!is_first && slice.front().sequence != first && on_deletion == OnDeletion::fail)
            fail(database_.file(), "event " + std::to_string(first) + " was deleted before it was read");
        for (const RecordedEvent& event : slice)
            if (!each(event)) return;
        first = slice.back().sequence + 1;
    }
}

}  // namespace fairstream::log::sqlite
