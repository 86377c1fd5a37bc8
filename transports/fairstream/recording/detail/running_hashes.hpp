#pragma once
/// The running hash of a recording's events, and the places where the recording keeps it.
///
/// hash_0 = 0 and hash_n = H(hash_{n-1}, checksum of event n), where the checksum covers the event's number, producer,
/// mark, message and decisions. Two recordings with the same running hash hold the same events to the byte.
/// It is kept with each checkpoint and whenever the log begins anew, so that a recording whose oldest events were
/// deleted still has it. A recording of the oldest format that lacks its first events has none.

#include <cstdint>
#include <optional>

#include <fairstream/recording/detail/database.hpp>
#include <fairstream/recording/detail/verify.hpp>

namespace fairstream::recording {

/// The id, in place of a checkpoint's, of the row for the event at which the log began anew.
inline constexpr std::uint64_t log_begin_id = 0;

[[nodiscard]] std::uint64_t next_running_hash(std::uint64_t before, std::uint64_t event_checksum) noexcept;

/// The table `running_hashes`, as the writer uses it inside its transaction.
class RunningHashes {
public:
    RunningHashes(Database& database, const Contents& contents);

    /// Returns the running hash after event `sequence`, which must not precede the newest checkpoint's event.
    [[nodiscard]] std::optional<std::uint64_t> after(Sequence sequence);
    /// Stores `hash` under `id`; does nothing when it is empty.
    void keep(std::uint64_t id, Sequence sequence, std::optional<std::uint64_t> hash);
    void forget(std::uint64_t id);

private:
    const Contents& contents_;
    Statement event_checksums_;
    Statement keep_;
    Statement forget_;
};

}  // namespace fairstream::recording
