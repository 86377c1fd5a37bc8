#pragma once
/// The verification of a whole recording, and the state that it reads on the way.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/recording/detail/database.hpp>
#include <fairstream/recording/detail/producers.hpp>
#include <fairstream/recording/detail/rows.hpp>

namespace fairstream::recording {

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
    std::uint64_t last_checkpoint_id = 0;     ///< of any checkpoint, valid or not
    std::uint32_t format = 0;
    std::optional<std::uint64_t> running_hash = {};  ///< after the last event; see `running_hashes.hpp`
    RecentHashes recent_hashes = {};                 ///< of the newest events
    std::optional<Sequence> log_begin = {};  ///< the newest event when the log last began anew, where it was kept
};

/// Reads and checks every row in one snapshot. Throws `RecordingError` naming the table, the row and the error.
/// An unfinished checkpoint is no damage. `has_log`: whether a log lies beside the file that may be the one
/// that followed it.
[[nodiscard]] Contents verify(Database& database, bool has_log);

}  // namespace fairstream::recording
