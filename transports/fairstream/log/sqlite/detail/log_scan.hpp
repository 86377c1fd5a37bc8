#pragma once
/// A check of SQLite's write-ahead log before SQLite uses it.
///
/// SQLite takes a log's transactions up to the first frame that does not check out, and treats the rest as a write cut
/// short by a crash. Bit rot would end the log in the same silent way. What tells them apart: a transaction is begun
/// only after the one before it was synced, so a crash can tear the last transaction alone. A scan cannot tell damage
/// inside the last transaction from a write cut short, and cannot see that a log was cut exactly behind an earlier one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>
#include <fairstream/log/sqlite/detail/patched_vfs.hpp>

namespace fairstream::log::sqlite {

/// Returns the length in bytes of a log of `pages` pages.
[[nodiscard]] std::uint64_t bytes_of_log(int pages) noexcept;

/// Numbers that a log gets whenever it begins anew, in its header and in every frame since.
using LogSalts = std::array<std::uint32_t, 2>;

/// Returns the salts of a log with a valid header, whose frame `pages`, at least 1, ends a transaction of it; nothing
/// when the log is otherwise. Throws `std::system_error` when it cannot be read.
[[nodiscard]] std::optional<LogSalts> salts_of_commit(const OpenFile& file, int pages);

/// Bytes of pages of the database, from their first one on, by number.
using LogPages = std::map<std::uint32_t, std::vector<std::byte>>;

struct LogScan {
    bool has_header = false;        ///< a valid header; without it the log holds nothing and never did
    bool has_frame = false;         ///< room for a frame after it, as each log has that follows a file
    std::uint64_t valid_bytes = 0;  ///< length through the last complete transaction; what follows was never acked
    std::string damage;             ///< a predicate of the log: "is damaged at ..."; empty: none
    /// Whether frames written since the log began anew follow its last complete transaction and cannot be read: a
    /// write that was cut short, or damage in the last transaction, which may have been acked.
    bool has_unreadable_end = false;

    [[nodiscard]] bool holds_transactions() const noexcept;
    /// Returns the length to cut a log to whose end was never acked. One frame is left, be it unfinished, since a log
    /// without one was cut by others; the next transaction takes its place.
    [[nodiscard]] std::uint64_t bytes_to_keep() const noexcept;
};

/// Throws `std::system_error` when the log cannot be read.
[[nodiscard]] LogScan scan_log(const OpenFile& file);

/// Returns what makes a log that is damaged (`LogScan::damage`) one that SQLite reads to the last transaction: the
/// checksums and salts that its frames should have by what they hold, and its header. What a damaged frame holds stays
/// as it is, but for the first bytes of pages in `pages`, which stand in place of those of all their versions. Throws
/// `std::system_error` when the log cannot be read.
[[nodiscard]] std::vector<Patch> mended_log(const OpenFile& file, const LogPages& pages = {});

/// Returns the place in a log, be it damaged, of the newest version of each page that it has. Throws
/// `std::system_error` when the log cannot be read.
[[nodiscard]] std::map<std::uint32_t, std::uint64_t> frames_of_log(const OpenFile& file);

}  // namespace fairstream::log::sqlite
