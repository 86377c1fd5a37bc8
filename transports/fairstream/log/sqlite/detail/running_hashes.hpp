#pragma once
/// The places where a recording keeps the running hash of its events: with each checkpoint and whenever the log begins
/// anew, so that a recording whose oldest events were deleted still has it. One of the oldest format that lacks its
/// first events has none.

#include <cstdint>
#include <optional>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

/// The id, in place of a checkpoint's, of the row for the event at which the log began anew.
inline constexpr std::uint64_t log_begin_id = 0;

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

}  // namespace fairstream::log::sqlite
