#include <fairstream/recording/detail/verify.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fairstream/recording/detail/layout.hpp>
#include <fairstream/recording/detail/running_hashes.hpp>

namespace fairstream::recording {

namespace {

class Verifier {
public:
    explicit Verifier(Database& database) : database_(database) {}

    Contents run(bool has_log) {
        contents_.format = check_tables(database_);
        check_pages();
        read_single_rows();
        if (contents_.state.log_follows && !has_log) {
            fail("its last commits were in the log beside it, '" + database_.file().string() +
                 "-wal', which is missing or cut short: the two belong together until the writer has closed the "
                 "recording; of one that was renamed the log has the old name");
        }
        read_running_hashes();
        read_events();
        read_refused_messages();
        read_refusals();
        check_producers();
        check_checkpoints();
        check_running_hashes();
        return std::move(contents_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const { recording::fail(database_.file(), what); }
    void require(bool holds, const char* table, const std::string& row, const std::string& what) const {
        if (!holds) fail("table " + std::string(table) + ", row " + row + ": " + what);
    }
    void require(bool holds, const char* table, std::uint64_t row, const std::string& what) const {
        if (!holds) require(false, table, std::to_string(row), what);
    }

    void check_pages() const;
    void read_single_rows();
    void read_running_hashes();
    void compare_running_hash(Sequence sequence);
    void check_running_hashes() const;
    void read_events();
    void read_refused_messages() const;
    void read_refusals();
    void check_producers();
    void read_owners();
    void check_producer(const ProducerRow& row, Producer& derived) const;
    void check_checkpoints();
    void check_parts(const CheckpointRow& row) const;
    void check_loose_parts();

    Database& database_;
    Contents contents_;
    std::vector<RunningHashRow> running_hashes_;  // by sequence
    std::size_t compared_hashes_ = 0;             // of those
    Expiry expiry_;
    std::map<std::string, std::string> owners_;  // by producer, until it is read
};

void Verifier::check_pages() const {
    Statement statement(database_, "PRAGMA integrity_check(1)");
    Rows rows = statement.query();
    if (!rows.next()) fail("its pages cannot be checked");
    if (rows.text(0) != "ok") fail("its pages are damaged: " + std::string(rows.text(0)));
}

void Verifier::read_single_rows() {
    Statement meta(database_, select(meta_columns, "meta"));
    Rows meta_rows = meta.query();
    if (!meta_rows.next()) fail("table meta is empty");
    const MetaRow row = read_meta(meta_rows);
    contents_.id = row.recording;
    contents_.config = row.config;
    contents_.cpu_level = row.cpu_level;

    Statement state(database_, select(state_columns, "state"));
    Rows state_rows = state.query();
    if (!state_rows.next()) fail("table state is empty");
    contents_.state = read_state(state_rows);
}

void Verifier::read_running_hashes() {
    if (contents_.format < running_hashes_since) return;
    Statement statement(database_, select(running_hash_columns, "running_hashes ORDER BY sequence"));
    for (Rows rows = statement.query(); rows.next();) {
        running_hashes_.push_back(read_running_hash(rows));
        const RunningHashRow& row = running_hashes_.back();
        if (row.id == log_begin_id) contents_.log_begin = row.sequence;
    }
}

// Compares the running hash after this event, the newest one read, with the kept ones, or adopts the kept one where
// earlier events were deleted.
void Verifier::compare_running_hash(Sequence sequence) {
    for (; compared_hashes_ < running_hashes_.size(); ++compared_hashes_) {
        const RunningHashRow& row = running_hashes_[compared_hashes_];
        if (row.sequence > sequence) return;
        if (row.sequence < sequence) continue;
        if (!contents_.running_hash) contents_.running_hash = row.hash;
        require(*contents_.running_hash == row.hash, "running_hashes", row.id,
                "the events up to " + std::to_string(sequence) + " are not those that were recorded");
    }
}

void Verifier::read_events() {
    Statement statement(database_, select(event_columns, "events ORDER BY sequence"));
    Sequence next = contents_.state.first_sequence;
    if (next == 1) contents_.running_hash = 0;
    compare_running_hash(next - 1);
    for (Rows rows = statement.query(); rows.next(); ++next) {
        require(rows.number(0) == next, "events", next, "missing; the next one is " + std::to_string(rows.number(0)));
        const EventRow row = read_event(rows);
        Producer& producer = contents_.producers.at(row.producer).second;
        require(producer.mark < row.mark, "events", next, "its producer's numbers do not rise");
        producer.note_event(next, row.mark, contents_.state.first_sequence);
        contents_.last_sequence = next;
        if (contents_.running_hash) {
            contents_.running_hash = next_running_hash(*contents_.running_hash, rows.number(4));
        }
        compare_running_hash(next);
        contents_.recent_hashes.add(next, contents_.running_hash.value_or(0));
    }
}

void Verifier::check_running_hashes() const {
    if (compared_hashes_ == running_hashes_.size()) return;
    const RunningHashRow& row = running_hashes_[compared_hashes_];
    require(false, "running_hashes", row.id,
            "it is of event " + std::to_string(row.sequence) + ", the newest event is " +
                std::to_string(contents_.last_sequence));
}

void Verifier::read_refused_messages() const {
    Statement statement(database_, select(refused_message_columns, "refused_messages ORDER BY number DESC"));
    std::uint64_t expected = contents_.state.refused;
    for (Rows rows = statement.query(); rows.next(); --expected) {
        require(rows.number(0) == expected, "refused_messages", expected,
                "missing; before it comes " + std::to_string(rows.number(0)));
        (void)read_refused_message(rows);
    }
}

void Verifier::read_refusals() {
    Statement statement(database_, select(refusal_columns, "refusals ORDER BY number"));
    for (Rows rows = statement.query(); rows.next();) {
        const RefusalRow row = read_refusal(rows);
        require(row.number <= contents_.state.refused, "refusals", row.number,
                "only " + std::to_string(contents_.state.refused) + " messages were refused");
        contents_.producers.at(row.producer).second.note_refusal(row.mark);
    }
}

void Verifier::check_producers() {
    read_owners();
    Producers& derived = contents_.producers;
    const std::size_t without_row = derived.table().size();
    std::size_t found = 0;
    std::uint64_t next = 1;
    Statement expiry(database_, select(producer_columns, "producers WHERE name = ''"));
    if (Rows rows = expiry.query(); rows.next()) expiry_.through = read_producer(rows).last_sequence;
    Statement statement(database_, select(producer_columns, "producers ORDER BY id"));
    for (Rows rows = statement.query(); rows.next(); ++next) {
        const ProducerRow row = read_producer(rows);
        require(row.id == next, "producers", next, "missing");
        found += derived.find(row.name) != nullptr ? 1 : 0;
        Producer& producer = derived.at(row.name).second;
        if (auto owner = owners_.extract(std::string(row.name))) producer.owner = std::move(owner.mapped());
        check_producer(row, producer);
    }
    if (found != without_row) fail("table producers: it lacks a producer of events or refusals that are there");
    require(owners_.empty(), "owners", owners_.empty() ? "" : owners_.begin()->first, "there is no such producer");
}

// Owners say which producers were forgotten.
void Verifier::read_owners() {
    if (contents_.format < owners_since) return;
    Statement owners(database_, select(owner_columns, "owners"));
    for (Rows rows = owners.query(); rows.next();) {
        const OwnerRow row = read_owner(rows);
        owners_.emplace(row.producer, row.owner);
    }
    Statement floors(database_, select(floor_columns, "floors"));
    for (Rows rows = floors.query(); rows.next();) {
        const FloorRow row = read_floor(rows);
        contents_.producers.floors().emplace(row.client, row.epoch);
    }
}

// A producer's newest event and newest refusals are never deleted, except events by retention.
void Verifier::check_producer(const ProducerRow& row, Producer& derived) const {
    const bool event_kept = row.last_sequence >= contents_.state.first_sequence;
    if (row.name == Producers::expiry_name) {
        require(row.last_sequence < contents_.last_sequence, "producers", row.id,
                "producers expired by event " + std::to_string(row.last_sequence) + ", which is not below the newest");
        derived.id = row.id;
        derived.mark = row.mark;
        derived.last_sequence = row.last_sequence;
        return;
    }
    require(
        derived.last_sequence == (event_kept ? row.last_sequence : 0), "producers", row.id,
        "its newest event is " + std::to_string(derived.last_sequence) + ", not " + std::to_string(row.last_sequence));
    // The refusals of a forgotten producer were deleted.
    const bool forgotten = derived.owner == expired_owner || derived.owner == removed_owner;
    const bool deleted =
        (!event_kept && row.last_sequence != 0) || forgotten || expiry_.covers(row.last_sequence);
    require(row.mark == derived.mark || (deleted && derived.mark < row.mark), "producers", row.id,
            "its mark is not that of its newest event or refusal");
    derived.id = row.id;
    derived.mark = row.mark;
    derived.last_sequence = row.last_sequence;
}

void Verifier::check_checkpoints() {
    Statement statement(database_, select(checkpoint_columns, "checkpoints ORDER BY id"));
    for (Rows rows = statement.query(); rows.next();) {
        const CheckpointRow row = read_checkpoint(rows);
        require(row.sequence <= contents_.last_sequence, "checkpoints", row.id,
                "it is of event " + std::to_string(row.sequence) + ", the newest event is " +
                    std::to_string(contents_.last_sequence));
        require(row.sequence + 1 >= contents_.state.first_sequence, "checkpoints", row.id,
                "the events after " + std::to_string(row.sequence) + " are gone");
        (void)read_topics(database_.file(), row.topics);
        check_parts(row);
        const auto hash = std::ranges::find(running_hashes_, row.id, &RunningHashRow::id);
        const bool kept = hash != running_hashes_.end();
        contents_.checkpoints.push_back({row.id, row.sequence, kept ? std::optional(hash->hash) : std::nullopt});
    }
    const std::uint64_t newest = contents_.checkpoints.empty() ? 0 : contents_.checkpoints.back().id;
    require(newest == contents_.state.newest_checkpoint, "checkpoints", contents_.state.newest_checkpoint, "missing");
    contents_.last_checkpoint_id = newest;
    check_loose_parts();
}

void Verifier::check_parts(const CheckpointRow& row) const {
    Statement statement(database_, select(part_columns, "checkpoint_parts WHERE checkpoint = ?1 ORDER BY part"));
    StateHash hash;
    std::uint64_t parts = 0;
    std::uint64_t bytes = 0;
    for (Rows rows = statement.query(row.id); rows.next(); ++parts) {
        const PartRow part = read_part(rows);
        require(part.part == parts, "checkpoints", row.id, "part " + std::to_string(parts) + " is missing");
        hash.add(part.bytes);
        bytes += part.bytes.size();
    }
    require(parts == row.parts && bytes == row.bytes, "checkpoints", row.id,
            "its " + std::to_string(parts) + " parts hold " + std::to_string(bytes) + " bytes, not " +
                std::to_string(row.parts) + " with " + std::to_string(row.bytes));
    require(hash.value() == row.hash, "checkpoints", row.id, "its parts do not match its hash");
}

// Checks parts of checkpoints that were never finished, or are being deleted.
void Verifier::check_loose_parts() {
    Statement statement(database_, select(part_columns,
                                          "checkpoint_parts WHERE checkpoint NOT IN "
                                          "(SELECT id FROM checkpoints)"));
    for (Rows rows = statement.query(); rows.next();) {
        const PartRow part = read_part(rows);
        contents_.last_checkpoint_id = std::max(contents_.last_checkpoint_id, part.checkpoint);
    }
}

}  // namespace

Contents verify(Database& database, bool has_log) {
    const Snapshot snapshot(database);
    return Verifier(database).run(has_log);
}

}  // namespace fairstream::recording
