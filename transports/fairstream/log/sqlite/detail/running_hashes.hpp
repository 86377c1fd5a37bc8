#pragma once
/// Storage of a recording's running hashes: with each checkpoint, and whenever the log begins anew, so that a recording
/// whose oldest events were deleted still has one. A recording of the oldest format without its first events has none.

#include <cstdint>
#include <optional>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

/// Id of the row for the event at which the log began anew, in place of a checkpoint's id.
inline constexpr std::uint64_t log_begin_id = 0;

/// The table `running_hashes`, as used by the writer inside its transaction.
class RunningHashes {
public:
    RunningHashes(Database& database, const Contents& contents);

    /// Returns the running hash after event `sequence`, which must not precede the newest checkpoint's event.
    [[nodiscard]] std::optional<std::uint64_t> after(Sequence sequence);
    /// Stores `hash` under `id`; does nothing without a hash.
    void keep(std::uint64_t id, Sequence sequence, std::optional<std::uint64_t> hash);
    void forget(std::uint64_t id);

private:
    const Contents& contents_;
    Statement event_checksums_;
    Statement keep_;
    Statement forget_;
};

}  // namespace fairstream::log::sqlite
