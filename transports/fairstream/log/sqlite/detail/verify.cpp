#include <fairstream/log/sqlite/detail/verify.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>
#include <fairstream/log/sqlite/detail/running_hashes.hpp>

namespace fairstream::log::sqlite {

namespace {

class Verifier {
public:
    Verifier(Database& database, const VerifyContext& context) : database_(database), context_(context) {}

    Contents run() {
        begin();
        while (!read_slice()) {
        }
        check_large_checkpoints();
        finish();
        return std::move(contents_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const { sqlite::fail(database_.file(), what); }
    void require(bool holds, const char* table, const std::string& row, const std::string& what) const {
        if (!holds) fail("table " + std::string(table) + ", row " + row + ": " + what);
    }
    void require(bool holds, const char* table, std::uint64_t row, const std::string& what) const {
        if (!holds) require(false, table, std::to_string(row), what);
    }

    void begin();
    [[nodiscard]] bool read_slice();
    void check_large_checkpoints();
    void finish();

    void check_pages() const;
    void read_identity();
    void read_moving_rows();
    void read_running_hashes();
    void compare_running_hash(Sequence sequence);
    void check_running_hashes() const;
    void check_digests_and_growth() const;
    void check_erasures() const;
    [[nodiscard]] bool read_events(std::size_t most);
    void forget_deleted_events();
    void read_refused_messages() const;
    void read_refusals();
    void check_producers();
    void read_owners();
    void check_producer(const ProducerRow& row, Producer& derived) const;
    void check_checkpoints();
    [[nodiscard]] std::string fault_of_parts(const CheckpointRow& row) const;
    [[nodiscard]] bool has_checkpoint(std::uint64_t id) const;
    void check_loose_parts();

    Database& database_;
    VerifyContext context_;
    Contents contents_;
    Sequence next_ = 0;                           // next event to read
    std::vector<RunningHashRow> running_hashes_;  // by sequence
    std::set<std::uint64_t> checked_;             // checkpoints whose parts are in order
    Expiry expiry_;
    std::map<std::string, std::string> owners_;  // by producer; removed when the producer is read
};

void Verifier::begin() {
    const Snapshot snapshot(database_);
    const Tables tables = check_tables(database_);
    contents_.format = tables.format;
    contents_.has_update_digests = tables.has_update_digests;
    contents_.has_erasures = tables.has_erasures;
    if (!context_.has_writer) check_pages();
    read_identity();
    read_moving_rows();
    if (contents_.state.log_follows && !context_.has_log) {
        fail("its last commits are in the log beside it, '" + database_.file().string() +
             "-wal', which is missing or cut short: recording and log belong together until the writer closes the "
             "recording; after renaming the recording, rename the log too");
    }
    next_ = contents_.state.first_sequence;
    contents_.last_sequence = next_ - 1;
    Statement oldest(database_, "SELECT min(sequence) FROM events");
    Rows rows = oldest.query();
    const Sequence first = rows.next() ? rows.number(0) : 0;
    require(first == 0 || first >= next_, "events", first,
            "only events from " + std::to_string(next_) + " on are kept");
    if (next_ == 1) contents_.running_hash = 0;
    compare_running_hash(next_ - 1);
}

/// Reads some of the next events; returns whether none are left for now.
bool Verifier::read_slice() {
    const Snapshot snapshot(database_);
    read_moving_rows();
    return read_events(Slice::events);
}

/// Reads the rest as of one moment, including what was added or changed meanwhile.
void Verifier::finish() {
    const Snapshot snapshot(database_);
    read_moving_rows();
    (void)read_events(std::numeric_limits<std::size_t>::max());
    forget_deleted_events();
    read_refused_messages();
    read_refusals();
    check_producers();
    check_checkpoints();
    check_running_hashes();
    check_digests_and_growth();
    check_erasures();
}

void Verifier::check_pages() const {
    Statement statement(database_, "PRAGMA integrity_check(1)");
    Rows rows = statement.query();
    if (!rows.next()) fail("its pages cannot be checked");
    if (rows.text(0) != "ok") fail("its pages are damaged: " + std::string(rows.text(0)));
}

void Verifier::read_identity() {
    Statement meta(database_, select(meta_columns, "meta"));
    Rows meta_rows = meta.query();
    if (!meta_rows.next()) fail("table meta is empty");
    const MetaRow row = read_meta(meta_rows);
    contents_.id = row.recording;
    contents_.config = row.config;
    contents_.cpu_level = row.cpu_level;
}

/// Reads the rows that a writer keeps changing.
void Verifier::read_moving_rows() {
    Statement state(database_, select(state_columns, "state"));
    Rows state_rows = state.query();
    if (!state_rows.next()) fail("table state is empty");
    contents_.state = read_state(state_rows);
    read_running_hashes();
}

void Verifier::read_running_hashes() {
    running_hashes_.clear();
    if (contents_.format < running_hashes_since) return;
    Statement statement(database_, select(running_hash_columns, "running_hashes ORDER BY sequence"));
    for (Rows rows = statement.query(); rows.next();) {
        running_hashes_.push_back(read_running_hash(rows));
        const RunningHashRow& row = running_hashes_.back();
        if (row.id == log_begin_id) contents_.log_begin = row.sequence;
    }
}

// Compares the running hash after the newest event read with the stored hash of this event, if any. Adopts the stored
// hash if earlier events were deleted.
void Verifier::compare_running_hash(Sequence sequence) {
    for (const RunningHashRow& row : running_hashes_) {
        if (row.sequence != sequence) continue;
        if (!contents_.running_hash) contents_.running_hash = row.hash;
        require(*contents_.running_hash == row.hash, "running_hashes", row.id,
                "the events up to " + std::to_string(sequence) + " differ from those that were recorded");
    }
}

/// Reads events, until `most` are read or a slice's bytes are used up; returns whether no event is left.
bool Verifier::read_events(std::size_t most) {
    if (next_ < contents_.state.first_sequence) {  // deleted before they were read
        next_ = contents_.state.first_sequence;
        contents_.last_sequence = next_ - 1;
        contents_.running_hash.reset();
        compare_running_hash(next_ - 1);
    }
    Statement statement(database_, select_events(contents_.has_update_digests));
    std::size_t read = 0, bytes = 0;
    for (Rows rows = statement.query(next_); rows.next(); ++next_, ++read) {
        if (read == most || (most == Slice::events && bytes >= Slice::bytes)) return false;
        require(rows.number(0) == next_, "events", next_, "missing; the next one is " + std::to_string(rows.number(0)));
        const EventRow row = read_event(rows);
        bytes += row.message.size() + row.decisions.size();
        contents_.storage.kept_bytes += row.message.size();
        (void)read_update_digest(rows);
        Producer& producer = contents_.producers.at(row.producer).second;
        require(producer.mark < row.mark, "events", next_, "its producer's numbers do not rise");
        producer.note_event(next_, row.mark, contents_.state.first_sequence);
        contents_.last_sequence = next_;
        if (contents_.running_hash) {
            contents_.running_hash = next_running_hash(*contents_.running_hash, rows.number(4));
        }
        compare_running_hash(next_);
        contents_.recent_hashes.add(next_, contents_.running_hash.value_or(0));
    }
    return true;
}

/// Compares the hashes that a writer stored meanwhile with the hashes of the events already read.
void Verifier::check_running_hashes() const {
    for (const RunningHashRow& row : running_hashes_) {
        require(row.sequence <= contents_.last_sequence, "running_hashes", row.id,
                "it belongs to event " + std::to_string(row.sequence) + ", the newest event is " +
                    std::to_string(contents_.last_sequence));
        const std::uint64_t hash = contents_.recent_hashes.after(row.sequence);
        require(hash == 0 || hash == row.hash, "running_hashes", row.id,
                "the events up to " + std::to_string(row.sequence) + " differ from those that were recorded");
    }
}

/// Checks the rows that are not read with the events.
void Verifier::check_digests_and_growth() const {
    if (!contents_.has_update_digests) return;
    for (const char* const order : {"ASC", "DESC"}) {
        Statement statement(database_,
                            "SELECT sequence FROM update_digests ORDER BY sequence " + std::string(order) + " LIMIT 1");
        if (Rows rows = statement.query(); rows.next())
            require(rows.number(0) >= contents_.state.first_sequence && rows.number(0) <= contents_.last_sequence,
                    "update_digests", rows.number(0), "there is no such event");
    }
    std::uint64_t next = 1;
    Statement builds(database_, select(build_columns, "builds ORDER BY id"));
    for (Rows rows = builds.query(); rows.next(); ++next)
        require(read_build(rows).id == next, "builds", next, "missing");
    GrowthRow last;
    Statement growth(database_, select(growth_columns, "growth ORDER BY sequence"));
    for (Rows rows = growth.query(); rows.next();) {
        const GrowthRow row = read_growth(rows);
        require(row.time >= last.time && row.bytes >= last.bytes && row.sequence <= contents_.last_sequence, "growth",
                row.sequence, "it does not follow the row of event " + std::to_string(last.sequence));
        last = row;
    }
}

void Verifier::check_erasures() const {
    if (!contents_.has_erasures) return;
    std::uint64_t next = 1;
    Statement erasures(database_, select(erasure_columns, "erasures ORDER BY id"));
    for (Rows rows = erasures.query(); rows.next(); ++next)
        require(read_erasure(rows).id == next, "erasures", next, "missing");
}

/// Drops the producers whose events were all deleted since they were read: their rows may be gone, too.
void Verifier::forget_deleted_events() {
    std::vector<std::string> names;
    for (const auto& [name, producer] : contents_.producers.table())
        if (producer.last_sequence < contents_.state.first_sequence) names.push_back(name);
    (void)contents_.producers.remove(names);
}

void Verifier::read_refused_messages() const {
    Statement statement(database_, select(refused_message_columns, "refused_messages ORDER BY number DESC"));
    std::uint64_t expected = contents_.state.refused;
    for (Rows rows = statement.query(); rows.next(); --expected) {
        require(rows.number(0) == expected, "refused_messages", expected,
                "missing; the row found in its place is number " + std::to_string(rows.number(0)));
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
    if (found != without_row) fail("table producers: it lacks the producer of an event or a refusal");
    require(owners_.empty(), "owners", owners_.empty() ? "" : owners_.begin()->first, "there is no such producer");
}

// Reads the rows of owners, which tell which producers were forgotten.
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

// A producer's newest event and newest refusals are never deleted; only retention deletes events.
void Verifier::check_producer(const ProducerRow& row, Producer& derived) const {
    const bool event_kept = row.last_sequence >= contents_.state.first_sequence;
    if (row.name == Producers::expiry_name) {
        require(row.last_sequence < contents_.last_sequence, "producers", row.id,
                "producers expired by event " + std::to_string(row.last_sequence) +
                    ", which must be before the newest event");
        derived.id = row.id;
        derived.mark = row.mark;
        derived.last_sequence = row.last_sequence;
        return;
    }
    require(
        derived.last_sequence == (event_kept ? row.last_sequence : 0), "producers", row.id,
        "its newest event is " + std::to_string(derived.last_sequence) + ", not " + std::to_string(row.last_sequence));
    // The refusals of a forgotten producer were deleted.
    const bool deleted =
        (!event_kept && row.last_sequence != 0) || derived.is_marked_forgotten() || expiry_.covers(row.last_sequence);
    require(row.mark == derived.mark || (deleted && derived.mark < row.mark), "producers", row.id,
            "its epoch and number are not those of its newest event or refusal");
    derived.id = row.id;
    derived.mark = row.mark;
    derived.last_sequence = row.last_sequence;
}

void Verifier::check_checkpoints() {
    Statement statement(database_, select(checkpoint_columns, "checkpoints ORDER BY id"));
    for (Rows rows = statement.query(); rows.next();) {
        const CheckpointRow row = read_checkpoint(rows);
        require(row.sequence <= contents_.last_sequence, "checkpoints", row.id,
                "it belongs to event " + std::to_string(row.sequence) + ", the newest event is " +
                    std::to_string(contents_.last_sequence));
        require(row.sequence + 1 >= contents_.state.first_sequence, "checkpoints", row.id,
                "the events after " + std::to_string(row.sequence) + " were deleted");
        (void)read_topics(database_.file(), row.topics);
        if (!checked_.contains(row.id)) {
            const std::string fault = fault_of_parts(row);
            require(fault.empty(), "checkpoints", row.id, fault);
        }
        const auto hash = std::ranges::find(running_hashes_, row.id, &RunningHashRow::id);
        const bool kept = hash != running_hashes_.end();
        contents_.checkpoints.push_back({row.id, row.sequence, kept ? std::optional(hash->hash) : std::nullopt});
    }
    const std::uint64_t newest = contents_.checkpoints.empty() ? 0 : contents_.checkpoints.back().id;
    require(newest == contents_.state.newest_checkpoint, "checkpoints", contents_.state.newest_checkpoint, "missing");
    contents_.last_checkpoint_id = newest;
    if (!context_.has_writer) check_loose_parts();  // the writer drops them, or goes on writing them
}

/// Checks the parts of checkpoints longer than a slice, which a writer may delete meanwhile.
void Verifier::check_large_checkpoints() {
    std::vector<CheckpointRow> large;
    {
        Statement statement(database_, select(checkpoint_columns, "checkpoints ORDER BY id"));
        for (Rows rows = statement.query(); rows.next();) {
            CheckpointRow row = read_checkpoint(rows);
            row.topics = {};  // borrowed from the query, which ends here
            if (row.bytes > Slice::bytes) large.push_back(row);
        }
    }
    for (const CheckpointRow& row : large) {
        const std::string fault = fault_of_parts(row);
        require(fault.empty() || !has_checkpoint(row.id), "checkpoints", row.id, fault);
        checked_.insert(row.id);
    }
}

bool Verifier::has_checkpoint(std::uint64_t id) const {
    Statement statement(database_, "SELECT id FROM checkpoints WHERE id = ?1");
    return statement.query(id).next();
}

/// Returns the fault in the parts of a checkpoint, which are read one by one; empty: none.
std::string Verifier::fault_of_parts(const CheckpointRow& row) const {
    Statement statement(database_, select(part_columns,
                                          "checkpoint_parts WHERE checkpoint = ?1 AND part >= ?2 "
                                          "ORDER BY part LIMIT 1"));
    StateHash hash;
    std::uint64_t parts = 0;
    std::uint64_t bytes = 0;
    for (;; ++parts) {
        Rows rows = statement.query(row.id, parts);
        if (!rows.next()) break;
        const PartRow part = read_part(rows);
        if (part.part != parts) return "part " + std::to_string(parts) + " is missing";
        hash.add(part.bytes);
        bytes += part.bytes.size();
    }
    if (parts != row.parts || bytes != row.bytes)
        return "its " + std::to_string(parts) + " parts hold " + std::to_string(bytes) + " bytes, not " +
               std::to_string(row.parts) + " with " + std::to_string(row.bytes);
    return hash.value() == row.hash ? "" : "its parts do not match its hash";
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

Contents verify(Database& database, const VerifyContext& context) {
    return Verifier(database, context).run();
}

}  // namespace fairstream::log::sqlite
