#pragma once
/// The verification of a whole recording, which also reads its state.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/producers.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>

namespace fairstream::log::sqlite {

struct KeptCheckpoint {
    std::uint64_t id = 0;
    Sequence sequence = 0;
    std::optional<std::uint64_t> running_hash;
};

struct Contents {
    RecordingId id{};
    std::string config;
    std::string cpu_level;
    StateRow state;
    Producers producers;
    Sequence last_sequence = 0;               ///< 0: no event
    std::vector<KeptCheckpoint> checkpoints;  ///< valid ones, oldest first
    std::uint64_t last_checkpoint_id = 0;     ///< newest id of all checkpoints, valid or not
    std::uint32_t format = 0;
    bool has_update_digests = false;                 ///< the tables `update_digests`, `builds` and `growth` exist
    bool has_erasures = false;                       ///< the table `erasures` exists
    Storage storage = {};                            ///< storage after the last commit
    std::optional<std::uint64_t> running_hash = {};  ///< running hash after the last event; see `running_hashes.hpp`
    RecentHashes recent_hashes = {};                 ///< hashes of the newest events
    std::optional<Sequence> log_begin = {};          ///< newest event when the log last began anew, if kept
};

/// Largest amount read in one snapshot. A writer's log can begin anew between two snapshots.
struct Slice {
    static constexpr std::size_t events = 256;                  ///< largest number of events in a slice
    static constexpr std::size_t bytes = std::size_t{4} << 20;  ///< a slice ends after this many bytes
};

struct VerifyContext {
    bool has_log = false;     ///< whether a log that may belong to the file lies beside it
    bool has_writer = false;  ///< whether a writer, which verified the file itself, is at work
};

/// Reads and checks every row. Beside a writer it reads in slices: rows that the writer deletes meanwhile do not count
/// as missing, and pages are not checked, since slices do not allow that. Throws `RecordingError` naming the table, the
/// row and the error. An unfinished checkpoint is no damage.
[[nodiscard]] Contents verify(Database& database, const VerifyContext& context);

}  // namespace fairstream::log::sqlite
