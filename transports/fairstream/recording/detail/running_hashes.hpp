#pragma once
/// The running hash of a recording's events, and the places where the recording keeps it.
///
/// hash_0 = 0 and hash_n = H(hash_{n-1}, checksum of event n), where the checksum covers the event's number, producer,
/// mark, message and decisions. Two recordings with the same running hash hold the same events to the byte.
/// It is kept with each checkpoint and as the log began anew, so that a recording whose oldest events were deleted
/// still has it. One that was made before running hashes were kept, and lacks its first events, has none.

#include <cstdint>
#include <optional>

#include <fairstream/recording/detail/database.hpp>
#include <fairstream/recording/detail/verify.hpp>

namespace fairstream::recording {

/// The id, in place of a checkpoint's, of the row that tells where the log began anew.
inline constexpr std::uint64_t log_begin_id = 0;

[[nodiscard]] std::uint64_t next_running_hash(std::uint64_t before, std::uint64_t event_checksum) noexcept;

/// For the writer, inside its transaction.
class RunningHashes {
public:
    RunningHashes(Database& database, const Contents& contents);

    /// After an event that is not before the newest checkpoint's.
    [[nodiscard]] std::optional<std::uint64_t> after(Sequence sequence);
    /// Nothing is kept where there is none.
    void keep(std::uint64_t id, Sequence sequence, std::optional<std::uint64_t> hash);
    void forget(std::uint64_t id);

private:
    const Contents& contents_;
    Statement event_checksums_;
    Statement keep_;
    Statement forget_;
};

}  // namespace fairstream::recording
