#include <fairstream/log/sqlite/detail/writer.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>
#include <fairstream/log/sqlite/detail/log_scan.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::log::sqlite {

namespace {

constexpr std::size_t most_log_pages = std::size_t{1} << 24;
/// Largest number of bytes of a row's message and decisions, below SQLite's limit of 1e9 bytes for a whole row.
constexpr std::size_t row_limit = std::size_t{900} << 20;
/// Least number of events deleted per commit, and per event appended.
constexpr std::uint64_t deletion_batch = 64;
constexpr std::uint64_t deletions_per_append = 2;
constexpr std::uint64_t refusals_between_prunings = 256;
/// Longest wait for readers of the log before it begins anew. Readers of this library release the log after each slice.
/// If another program does not release it, a commit takes this much longer.
constexpr std::chrono::milliseconds patience_with_readers{100};

std::string name_of(std::string_view producer, const ProducerMark& mark) {
    return "'" + std::string(producer) + "', epoch " + std::to_string(mark.epoch) + ", number " +
           std::to_string(mark.producer_sequence);
}

}  // namespace

Writer::Writer(Database& database, const OpenFile& log, Contents& contents, const Settings& settings)
    : database_(database),
      opened_files_(database, log),
      contents_(contents),
      settings_(settings),
      hashes_(database, contents),
      checkpoints_(database, contents, hashes_),
      update_digests_(database),
      retention_(database, contents, settings),
      begin_(database, "BEGIN IMMEDIATE"),
      commit_(database, "COMMIT"),
      insert_event_(database, "INSERT INTO events VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
      delete_events_(database, "DELETE FROM events WHERE sequence BETWEEN ?1 AND ?2"),
      write_producer_(database,
                      "INSERT INTO producers VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(id) DO UPDATE SET "
                      "epoch = ?3, producer_sequence = ?4, last_sequence = ?5, checksum = ?6"),
      delete_producer_(database, "DELETE FROM producers WHERE id = ?1"),
      insert_refusal_(database, "INSERT INTO refusals VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
      prune_refusals_(database,
                      "DELETE FROM refusals WHERE number IN (SELECT number FROM refusals WHERE producer = ?1 "
                      "ORDER BY number DESC LIMIT -1 OFFSET ?2)"),
      delete_refusals_(database, "DELETE FROM refusals WHERE producer = ?1"),
      write_owner_(database, "INSERT OR REPLACE INTO owners VALUES(?1, ?2, ?3)"),
      delete_owner_(database, "DELETE FROM owners WHERE producer = ?1"),
      write_floor_(database, "INSERT OR REPLACE INTO floors VALUES(?1, ?2, ?3)"),
      insert_refused_message_(database, "INSERT INTO refused_messages VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
      prune_refused_messages_(database, "DELETE FROM refused_messages WHERE number <= ?1"),
      written_state_(contents.state),
      fold_pages_(static_cast<int>(std::clamp<std::size_t>(settings.log_bytes / page_bytes, 1, most_log_pages))),
      folder_(database, settings.run_in_background) {
    for (const auto& entry : contents_.producers.table())
        if (entry.first != Producers::expiry_name && entry.second.owner != removed_owner &&
            contents_.producers.is_forgotten(entry))
            expired_.emplace(entry.second.last_sequence, entry.first);
    guard([&] {
        begin();
        checkpoints_.drop_loose_parts();
        end(true);
        restart_log();
    });
}

Writer::~Writer() {
    database_.roll_back();
    try {
        if (failure_.empty()) guard([&] { opened_files_.check(); });
    } catch (const std::exception&) {
        return;  // a replaced log must not be moved into the file
    }
    const bool has_new_events = committed_hash_ && contents_.log_begin != committed_events_;
    if (!failure_.empty() || (!folder_.begun() && !has_new_events)) return;
    try {
        guard([&] {
            if (folder_.begun()) folder_.finish();
            StateRow closed = written_state_;  // without the uncommitted part
            closed.log_follows = false;
            begin();
            write(database_, closed);
            hashes_.keep(log_begin_id, committed_events_, committed_hash_);
            commit_.run();
            opened_files_.check(true);
        });
    } catch (const std::exception&) {
        // The log stays beside the file, and `log_follows` says so.
    }
}

void Writer::require_usable() const {
    if (!failure_.empty()) throw RecordingError(failure_ + "; since then nothing can be written");
}

// Runs `action`, which must not stop half-way. If it throws, the log stays unchanged, and only a recovery decides which
// part of it is valid.
template <class Action> void Writer::guard(Action&& action) {
    require_usable();
    try {
        std::forward<Action>(action)();
    } catch (const std::exception& error) {
        failure_ = error.what();
        database_.fold_on_close(false);
        database_.roll_back();
        throw;
    }
}

void Writer::require_rising(std::string_view producer, const ProducerMark& mark) const {
    const Producer* known = contents_.producers.find(producer);
    const ProducerMark last = known == nullptr ? ProducerMark{} : known->mark;
    if (mark > last) return;
    throw InvalidInput(mark.epoch < last.epoch ? Reason::stale_epoch : Reason::sequence_gap,
                       "producer " + name_of(producer, mark) + " does not come after " + name_of(producer, last));
}

void Writer::begin() {
    if (!database_.in_transaction()) begin_.run();
}

void Writer::require_appendable(const NewEvent& event) const {
    const Sequence next = contents_.last_sequence + 1;
    if (event.sequence != next) {
        throw InvalidInput(Reason::sequence_gap,
                           "event " + std::to_string(event.sequence) + " where " + std::to_string(next) + " is next");
    }
    if (event.producer.empty()) throw InvalidInput(Reason::malformed, "an event needs the name of its producer");
    if (event.message.size() > row_limit || event.decisions.size() > row_limit - event.message.size()) {
        throw InvalidInput(Reason::oversized, "message and decisions have " + std::to_string(event.message.size()) +
                                                  " + " + std::to_string(event.decisions.size()) +
                                                  " bytes: must be at most " + std::to_string(row_limit));
    }
    require_rising(event.producer, event.mark);
}

void Writer::append(const NewEvent& event) {
    require_usable();
    require_appendable(event);
    guard([&] {
        begin();
        auto& entry = contents_.producers.at(event.producer);
        const std::uint64_t sum = event_checksum(event.sequence, event.producer, event.mark, event.decisions,
                                                 event.message.size(), hash_of(event.message));
        insert_event_.run(event.sequence, event.producer, event.mark.epoch, event.mark.producer_sequence, sum,
                          event.decisions, event.message);
        entry.second.note_event(event.sequence, event.mark, contents_.state.first_sequence);
        note_changed(entry);
        if (!event.owner.empty() || contents_.producers.is_forgotten(entry)) set_owner(entry, event.owner);
        contents_.last_sequence = event.sequence;
        if (contents_.running_hash) contents_.running_hash = next_running_hash(*contents_.running_hash, sum);
        retention_.note(event.sequence, event.time, event.message.size());
        ++appended_;
        if (event.update_digest) update_digests_.add(event.sequence, *event.update_digest);
        if (event.expiry != nullptr) expire(*event.expiry);
    });
}

void Writer::mark_recovery(Sequence differs_from) {
    require_usable();
    guard([&] {
        begin();
        update_digests_.mark_recovery(differs_from, contents_.last_sequence + 1);
    });
}

void Writer::refuse(const Refusal& refusal) {
    require_usable();
    const bool final = uses_up_number(refusal);
    if (final) require_rising(refusal.producer, refusal.mark);
    guard([&] {
        begin();
        if (refusal.kept_parts == KeptParts::number)
            return keep_refusal({refusal.order,
                                 refusal.producer,
                                 refusal.mark,
                                 static_cast<std::uint64_t>(refusal.reason),
                                 kept_text(refusal.text),
                                 {}});
        const Bytes message = Bytes(refusal.message).first(std::min(refusal.message.size(), settings_.refused_bytes));
        const RefusalRow row{
            ++contents_.state.refused, refusal.producer, refusal.mark, static_cast<std::uint64_t>(refusal.reason),
            kept_text(refusal.text),   message};
        keep_refused_message(row);
        if (final) keep_refusal(row);
    });
}

void Writer::keep_refused_message(const RefusalRow& row) {
    if (settings_.refused_rows > 0) insert_refused_message(row);
    prune_refused_messages_.run(row.number - std::min<std::uint64_t>(row.number, settings_.refused_rows));
}

void Writer::insert_refused_message(const RefusalRow& row) {
    insert_refused_message_.run(row.number, row.producer, row.mark.epoch, row.mark.producer_sequence, row.reason,
                                row.text, refused_message_checksum(row), row.message);
}

void Writer::keep_refusal(const RefusalRow& row) {
    insert_refusal_.run(row.number, row.producer, row.mark.epoch, row.mark.producer_sequence, row.reason, row.text,
                        refusal_checksum(row));
    auto& entry = contents_.producers.at(row.producer);
    entry.second.note_refusal(row.mark);
    note_changed(entry);
    if (entry.second.refusals < known_refusals + refusals_between_prunings) return;
    prune_refusals_.run(row.producer, known_refusals);
    entry.second.refusals = known_refusals;
}

void Writer::expire(const ProducerExpiry& expiry) {
    for (const std::string& name : expiry.names) {
        const auto entry = contents_.producers.table().find(name);
        if (name == Producers::expiry_name || entry == contents_.producers.table().end() ||
            contents_.producers.is_forgotten(*entry))
            continue;
        Producer& producer = entry->second;
        if (producer.refusals > 0) delete_refusals_.run(name);
        producer.refusals = 0;
        producer.positions = {};
        set_owner(*entry, expiry.removed ? removed_owner : expired_owner);
        if (!expiry.removed) expired_.emplace(producer.last_sequence, name);
    }
    for (const EpochFloor& floor : expiry.floors) raise_floor(floor);
}

void Writer::set_owner(Producers::Table::value_type& producer, std::string_view owner) {
    if (producer.second.owner == owner) return;
    producer.second.owner = owner;
    const OwnerRow row{producer.first, owner};
    write_owner_.run(row.producer, row.owner, checksum(row));
}

void Writer::raise_floor(const EpochFloor& floor) {
    if (floor.client.empty()) {
        auto& entry = contents_.producers.at(Producers::expiry_name);
        entry.second.mark.epoch = std::max(entry.second.mark.epoch, floor.epoch);
        return note_changed(entry);
    }
    std::uint64_t& epoch = contents_.producers.floors()[floor.client];
    epoch = std::max(epoch, floor.epoch);
    const FloorRow row{floor.client, epoch};
    write_floor_.run(row.client, row.epoch, checksum(row));
}

// Forgets expired producers once the last of their events is deleted.
void Writer::forget_without_events() {
    std::vector<std::string> names;
    while (!expired_.empty() && expired_.begin()->first < contents_.state.first_sequence) {
        const auto [sequence, name] = *expired_.begin();
        expired_.erase(expired_.begin());
        // A later producer of the same name may have sent events since.
        const auto producer = contents_.producers.table().find(name);
        if (producer != contents_.producers.table().end() && producer->second.last_sequence == sequence &&
            contents_.producers.is_forgotten(*producer))
            names.push_back(name);
    }
    if (names.empty()) return;
    std::ranges::sort(names);
    forget(names);
}

void Writer::forget(const std::vector<std::string>& names) {
    std::erase_if(changed_producers_,
                  [&](const auto* entry) { return std::ranges::binary_search(names, entry->first); });
    for (const std::string& name : names) delete_owner_.run(name);
    const Producers::Removal removal = contents_.producers.remove(names);
    for (const std::uint64_t id : removal.former_ids) delete_producer_.run(id);
    for (auto* const entry : removal.renumbered) note_changed(*entry);
}

void Writer::note_changed(Producers::Table::value_type& producer) {
    if (std::exchange(producer.second.changed, true)) return;
    changed_producers_.push_back(&producer);
}

void Writer::begin_checkpoint(Checkpoint checkpoint) {
    require_usable();
    const Sequence newest = contents_.checkpoints.empty() ? 0 : contents_.checkpoints.back().sequence;
    if (checkpoint.sequence < newest || checkpoint.sequence > contents_.last_sequence) {
        throw InvalidInput(Reason::bad_state, "a checkpoint of event " + std::to_string(checkpoint.sequence) +
                                                  " must be between the newest checkpoint's event, " +
                                                  std::to_string(newest) + ", and the newest event, " +
                                                  std::to_string(contents_.last_sequence));
    }
    guard([&] {
        const auto hash = hashes_.after(checkpoint.sequence);
        checkpoints_.begin(std::move(checkpoint), hash);
    });
}

void Writer::begin_after(Checkpoint checkpoint) {
    require_usable();
    if (contents_.last_sequence > 0) throw InvalidInput(Reason::bad_state, "the recording has events already");
    guard([&] {
        begin();
        contents_.last_sequence = checkpoint.sequence;
        contents_.state.first_sequence = checkpoint.sequence + 1;
        contents_.running_hash = first_running_hash(contents_.id);
        checkpoints_.begin(std::move(checkpoint), contents_.running_hash);
    });
}

void Writer::complete_copy(Database& from, const Contents& contents, const std::function<void(Refusal&)>& edit,
                           const Erasure& erasure) {
    require_usable();
    guard([&] {
        begin();
        for (const auto& [name, producer] : contents.producers.table()) {
            auto& entry = contents_.producers.at(name);
            entry.second.mark = producer.mark;
            entry.second.last_sequence = producer.last_sequence;
            note_changed(entry);
            set_owner(entry, producer.owner);
        }
        for (const auto& [client, epoch] : contents.producers.expiry().clients) raise_floor({client, epoch});
        copy_refusals(from, edit);
        contents_.state.refused = contents.state.refused;
        copy_erasures(from, contents, erasure);
    });
}

void Writer::copy_refusals(Database& from, const std::function<void(Refusal&)>& edit) {
    const auto copy = [&](const RefusalRow& row, void (Writer::*keep)(const RefusalRow&)) {
        Refusal refusal = refusal_of(row);
        edit(refusal);
        (this->*keep)({row.number, row.producer, row.mark, row.reason, kept_text(refusal.text), refusal.message});
    };
    Statement messages(from, select(refused_message_columns, "refused_messages ORDER BY number"));
    for (Rows rows = messages.query(); rows.next();) copy(read_refused_message(rows), &Writer::insert_refused_message);
    Statement refusals(from, select(refusal_columns, "refusals ORDER BY number"));
    for (Rows rows = refusals.query(); rows.next();) copy(read_refusal(rows), &Writer::keep_refusal);
}

void Writer::copy_erasures(Database& from, const Contents& contents, const Erasure& erasure) {
    Statement insert(database_, "INSERT INTO erasures VALUES(?1, ?2, ?3, ?4, ?5)");
    const auto add = [&](const ErasureRow& row) {
        insert.run(row.id, Bytes(row.erasure.from), row.erasure.points, row.erasure.time, checksum(row));
    };
    std::uint64_t number = 0;
    if (contents.has_erasures) {
        Statement earlier(from, select(erasure_columns, "erasures ORDER BY id"));
        for (Rows rows = earlier.query(); rows.next();) add({++number, read_erasure(rows).erasure});
    }
    add({++number, erasure});
}

void Writer::require_in_place() {
    guard([&] { opened_files_.check(); });
}

void Writer::commit() {
    require_usable();
    if (!database_.in_transaction() && !checkpoints_.pending()) return;
    guard([&] {
        begin();
        checkpoints_.step();
        delete_old_events();
        forget_without_events();
        write_producers();
        const bool folding = folder_.begun() || database_.log_pages() >= fold_at_;
        end(folding);
        if (!folding) return;
        if (!folder_.begun()) return folder_.begin();
        // Waits for the fold when the log grows faster than the fold moves it; the log stays below 1.5 times its usual
        // length.
        if (!folder_.done() && database_.log_pages() < fold_at_ + fold_pages_ / 2) return;
        folder_.finish();
        restart_log();
    });
}

// `folding`: from this commit until `restart_log`, the file is incomplete without its log.
void Writer::end(bool folding) {
    contents_.state.log_follows = folding;
    write_state();
    commit_.run();
    committed_events_ = contents_.last_sequence;
    committed_hash_ = contents_.running_hash;
    opened_files_.check(true);  // after the commit: what was committed can be found under the recording's name
    appended_ = 0;
    note_storage();
}

void Writer::note_storage() {
    contents_.storage = {contents_.state.first_sequence, database_.raw_size(), bytes_of_log(database_.log_pages()),
                         retention_.kept_bytes(), retention_.bytes_a_day()};
}

// Moves the rest of the log into the file.
void Writer::restart_log() {
    database_.fold_whole(patience_with_readers);
    begin();
    hashes_.keep(log_begin_id, contents_.last_sequence, contents_.running_hash);
    contents_.log_begin = contents_.last_sequence;
    end(false);
    // The log begins anew with that commit, unless readers still need its contents; then they get time to finish.
    fold_at_ = std::max(fold_pages_, database_.log_pages() + fold_pages_ / 2);
    note_log_length();
}

void Writer::note_log_length() {
    const bool was_long = std::exchange(log_is_long_, database_.log_pages() >= Recording::long_log * fold_pages_);
    if (!log_is_long_ || was_long || !settings_.warn) return;
    settings_.warn("the recording's log has grown to " +
                   counted(static_cast<std::int64_t>(bytes_of_log(database_.log_pages()) >> 20)) +
                   " MiB, as another program keeps the recording open for reading; end that program before the disk "
                   "is full");
}

void Writer::write_producers() {
    for (const auto* entry : changed_producers_) {
        const Producer& producer = entry->second;
        const ProducerRow row{producer.id, entry->first, producer.mark, producer.last_sequence};
        write_producer_.run(row.id, row.name, row.mark.epoch, row.mark.producer_sequence, row.last_sequence,
                            checksum(row));
    }
    for (auto* entry : changed_producers_) entry->second.changed = false;
    changed_producers_.clear();
}

void Writer::write_state() {
    if (contents_.state == written_state_) return;
    write(database_, contents_.state);
    written_state_ = contents_.state;
}

// Deletes events with each commit: few, so that no commit takes long, but more than were appended, so that deletable
// events do not accumulate.
void Writer::delete_old_events() {
    const auto needed = checkpoints_.oldest_needed();
    if (!needed) return;
    const Sequence first = contents_.state.first_sequence;
    const std::uint64_t batch = std::max(deletion_batch, deletions_per_append * appended_);
    const Sequence kept = retention_.first_kept(*needed, first + batch);
    if (kept <= first) return;
    delete_events_.run(first, kept - 1);
    update_digests_.forget(first, kept - 1);
    contents_.state.first_sequence = kept;
    retention_.forget_before(kept);
}

}  // namespace fairstream::log::sqlite
