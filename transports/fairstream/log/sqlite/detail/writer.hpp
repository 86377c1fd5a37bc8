#pragma once
/// All changes of a recording. A transaction is open from the first change after a commit until the next commit.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/log/sqlite/detail/checkpoint_writer.hpp>
#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/log_folder.hpp>
#include <fairstream/log/sqlite/detail/opened_files.hpp>
#include <fairstream/log/sqlite/detail/retention.hpp>
#include <fairstream/log/sqlite/detail/update_digests.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

class Writer {
public:
    /// Drops unfinished checkpoints, and moves the log into the file.
    Writer(Database& database, const OpenFile& log, Contents& contents, const Settings& settings);
    /// Waits for a fold in progress, so that the database can be closed.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void append(const NewEvent& event);
    void mark_recovery(Sequence differs_from);
    void refuse(const Refusal& refusal);
    void commit();
    void begin_checkpoint(Checkpoint checkpoint);
    void begin_after(Checkpoint checkpoint);
    void complete_copy(Database& from, const Contents& contents, const std::function<void(Refusal&)>& edit,
                       const Erasure& erasure);
    /// Throws `RecordingError` unless the recording's files are still in place; every later call then throws, too.
    void require_in_place();
    [[nodiscard]] bool checkpoint_pending() const noexcept { return checkpoints_.pending(); }

private:
    template <class Action> void guard(Action&& action);
    void require_usable() const;
    void require_appendable(const NewEvent& event) const;
    void require_rising(std::string_view producer, const ProducerMark& mark) const;
    void note_changed(Producers::Table::value_type& producer);
    void begin();
    void end(bool folding);
    void restart_log();
    void note_log_length();
    void note_storage();
    void write_producers();
    void forget(const std::vector<std::string>& names);  // in the order of `names`
    void forget_without_events();
    void expire(const ProducerExpiry& expiry);
    void set_owner(Producers::Table::value_type& producer, std::string_view owner);
    void raise_floor(const EpochFloor& floor);
    void write_state();
    void delete_old_events();
    void keep_refused_message(const RefusalRow& row);
    void insert_refused_message(const RefusalRow& row);
    void keep_refusal(const RefusalRow& row);
    void copy_refusals(Database& from, const std::function<void(Refusal&)>& edit);
    void copy_erasures(Database& from, const Contents& contents, const Erasure& erasure);

    Database& database_;
    OpenedFiles opened_files_;
    Contents& contents_;
    Settings settings_;
    RunningHashes hashes_;
    CheckpointWriter checkpoints_;
    UpdateDigests update_digests_;
    Retention retention_;
    Statement begin_;
    Statement commit_;
    Statement insert_event_;
    Statement delete_events_;
    Statement write_producer_;
    Statement delete_producer_;
    Statement insert_refusal_;
    Statement prune_refusals_;
    Statement delete_refusals_;
    Statement write_owner_;
    Statement delete_owner_;
    Statement write_floor_;
    Statement insert_refused_message_;
    Statement prune_refused_messages_;

    StateRow written_state_;
    Sequence committed_events_ = 0;
    std::optional<std::uint64_t> committed_hash_;
    std::vector<Producers::Table::pointer> changed_producers_;  // to be written in the next commit
    std::multimap<Sequence, std::string> expired_;              // producers with kept events, by their newest event
    std::uint64_t appended_ = 0;                                // number of events appended in this transaction
    /// Pages in the log at which a fold is worth its cost: two syncs beside the writing, on a thread of its own, then a
    /// short fold and a commit.
    int fold_pages_;
    int fold_at_ = 0;  // pages in the log at which the next fold starts
    LogFolder folder_;
    bool log_is_long_ = false;  // the log is long, and `Settings::warn` was called
    std::string failure_;       // empty: no failure yet
};

}  // namespace fairstream::log::sqlite
