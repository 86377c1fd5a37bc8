#include <fairstream/log/sqlite/detail/running_hashes.hpp>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>

namespace fairstream::log::sqlite {

RunningHashes::RunningHashes(Database& database, const Contents& contents)
    : contents_(contents),
      event_checksums_(database,
                       "SELECT checksum FROM events WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence"),
      keep_(database, "INSERT OR REPLACE INTO running_hashes VALUES(?1, ?2, ?3, ?4)"),
      forget_(database, "DELETE FROM running_hashes WHERE id = ?1") {}

std::optional<std::uint64_t> RunningHashes::after(Sequence sequence) {
    if (sequence == contents_.last_sequence || !contents_.running_hash) return contents_.running_hash;
    Sequence known = 0;
    std::optional<std::uint64_t> hash;
    if (contents_.state.first_sequence == 1) hash = 0;
    if (!contents_.checkpoints.empty() && contents_.checkpoints.back().running_hash) {
        known = contents_.checkpoints.back().sequence;
        hash = contents_.checkpoints.back().running_hash;
    }
    if (!hash) return std::nullopt;
    for (Rows rows = event_checksums_.query(known, sequence); rows.next();) {
        hash = next_running_hash(*hash, rows.number(0));
    }
    return hash;
}

void RunningHashes::keep(std::uint64_t id, Sequence sequence, std::optional<std::uint64_t> hash) {
    if (!hash) return;
    const RunningHashRow row{id, sequence, *hash};
    keep_.run(row.id, row.sequence, row.hash, checksum(row));
}

void RunningHashes::forget(std::uint64_t id) {
    forget_.run(id);
}

}  // namespace fairstream::log::sqlite
