#pragma once
/// Writes a checkpoint in parts over several transactions, and deletes the checkpoints that it replaces.

#include <cstdint>
#include <optional>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>
#include <fairstream/log/sqlite/detail/running_hashes.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

class CheckpointWriter {
public:
    static constexpr std::size_t part_bytes = std::size_t{1} << 20;
    static constexpr std::size_t kept_checkpoints = 2;

    CheckpointWriter(Database& database, Contents& contents, RunningHashes& hashes);

    /// Starts to write `checkpoint`, replacing one that is still being written. `running_hash` is the hash after the
    /// checkpoint's event.
    void begin(Checkpoint checkpoint, std::optional<std::uint64_t> running_hash);
    [[nodiscard]] bool pending() const noexcept { return pending_.has_value(); }
    /// Returns the event of the oldest kept checkpoint; nothing while there are fewer than `kept_checkpoints`.
    [[nodiscard]] std::optional<Sequence> oldest_needed() const noexcept;

    // -- call inside a transaction

    /// Writes the next part of the pending checkpoint; with the last part, also the row that makes it valid. Deletes a
    /// few parts that belong to no checkpoint.
    void step();
    /// Deletes every part that belongs to no checkpoint.
    void drop_loose_parts();

private:
    struct Pending {
        Checkpoint checkpoint;
        std::uint64_t id = 0;
        std::uint64_t parts = 0;  // written
        std::size_t bytes = 0;    // written
        StateHash hash;
        std::optional<std::uint64_t> running_hash;
    };
    void write_part();
    void complete();

    Contents& contents_;
    Database& database_;
    RunningHashes& hashes_;
    Statement insert_part_;
    Statement insert_checkpoint_;
    Statement delete_checkpoint_;
    Statement delete_loose_parts_;
    std::optional<Pending> pending_;
    bool loose_parts_ = false;
};

}  // namespace fairstream::log::sqlite
