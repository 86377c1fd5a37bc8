#pragma once
/// A check of SQLite's write-ahead log before SQLite uses it.
///
/// SQLite takes a log's transactions up to the first frame with a wrong checksum, and treats the rest as a write cut
/// short by a crash. Bit rot would end the log in the same silent way. One fact tells them apart: a transaction begins
/// only after the one before it was synced, so a crash can tear only the last transaction. A scan cannot tell damage
/// inside the last transaction from a write cut short, and cannot see that a log was cut exactly after an earlier
/// transaction.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>

namespace fairstream::log::sqlite {

/// Returns the length in bytes of a log of `pages` pages.
[[nodiscard]] std::uint64_t bytes_of_log(int pages) noexcept;

/// Numbers that a log gets whenever it begins anew: in its header, and in every frame from then on.
using LogSalts = std::array<std::uint32_t, 2>;

/// Returns the salts of a log with a valid header in which frame `pages`, at least 1, ends a transaction; otherwise
/// nothing. Throws `std::system_error` when it cannot be read.
[[nodiscard]] std::optional<LogSalts> salts_of_commit(const OpenFile& file, int pages);

struct LogScan {
    bool has_header = false;        ///< the header is valid; otherwise the log is and was empty
    bool has_frame = false;         ///< long enough for a frame, as each log that belongs to a file is
    std::uint64_t valid_bytes = 0;  ///< length through the last complete transaction; the rest was never acked
    std::string damage;             ///< a predicate of the log: "is damaged at ..."; empty: none
    /// Whether unreadable frames, written since the log began anew, follow its last complete transaction: a write cut
    /// short, or damage in the last transaction, which may have been acknowledged.
    bool has_unreadable_end = false;

    [[nodiscard]] bool holds_transactions() const noexcept;
    /// Returns the length to which a log with an unacknowledged end is cut. One frame stays, even an unfinished one,
    /// because a log without frames counts as cut short by another program. The next transaction overwrites it.
    [[nodiscard]] std::uint64_t bytes_to_keep() const noexcept;
};

/// Throws `std::system_error` when the log cannot be read.
[[nodiscard]] LogScan scan_log(const OpenFile& file);

/// A version of a page in a log.
struct LogFrame {
    std::uint32_t page = 0;
    std::uint64_t at = 0;  ///< position of the page's bytes in the log
};

/// Returns the frames of a log's transactions, in order. Those of a damaged log may be damaged, and may include a
/// transaction that was cut short. Throws `std::system_error` when the log cannot be read.
[[nodiscard]] std::vector<LogFrame> frames_of_log(const OpenFile& file);

}  // namespace fairstream::log::sqlite
