#pragma once
/// The form of a recording's file: its tables, the constant bytes of its header, and the image of a new one.
///
/// | table              | rows                                                                                       |
/// | ------------------ | ------------------------------------------------------------------------------------------ |
/// | `meta`             | one: what never changes                                                                    |
/// | `state`            | one: what no other table tells; see `StateRow`                                             |
/// | `producers`        | one for each: its mark, and its newest event, which also guards the end of `events`; and   |
/// |                    | one without a name for how far producers expired. Those that did stay while an event does  |
/// | `events`           | in order, without a gap                                                                    |
/// | `checkpoints`      | at most two; the row is written last and makes the parts before it count                   |
/// | `checkpoint_parts` | about 1 MiB of a state each                                                                |
/// | `refusals`         | what a message was refused with, for those that used up a number                           |
/// | `refused_messages` | the newest refusals of all, with the message                                               |
/// | `running_hashes`   | the running hash of the events at each checkpoint, and where the log began anew            |
///
/// Every row carries a checksum over its table's name and all its columns (`rows.hpp`). Numbers of 64 bits without a
/// sign are kept as SQLite's integers with the same bits.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/recording/detail/database.hpp>

namespace fairstream::recording {

inline constexpr std::uint32_t application_id = 0x66737472;  // "fstr"
inline constexpr std::uint32_t format_version = 2;
/// The oldest that is read: without the table `running_hashes`, which `upgrade` adds.
inline constexpr std::uint32_t oldest_format_version = 1;
/// The largest SQLite has: with blobs of 64 KiB it writes half as fast again as with pages of 4 KiB. It writes pages as
/// a whole, so that a commit of small events writes two, 131 KB: the last one of `events` and that of `producers`. The
/// latter could only be spared at the cost of what it is for: it shows that the last page of `events` is not an older
/// one, and tells readers the marks. Events that are committed together share both.
inline constexpr std::uint32_t page_bytes = 65536;

/// The bytes of a file that holds the tables, `config`, `id`, and nothing else yet.
[[nodiscard]] std::vector<std::byte> new_file(const std::string& config, const RecordingId& id);

/// Throws `RecordingError` when the file is empty, no SQLite database, no recording, of a newer format, or damaged in
/// its header. Reads the file without locking it, and leaves its log alone.
void check_header(const Database& database);
/// Throws `RecordingError` unless the file is as long as its header says. Says nothing where a log may hold the rest.
void check_length(const Database& database);
/// Throws `RecordingError` unless the tables are those of the file's format. Gives that format, which in the file's
/// header may still be an older one while the log has the newer.
std::uint32_t check_tables(Database& database);
/// Brings a file of `oldest_format_version` to the present one, inside the writer's transaction.
void upgrade(Database& database);

}  // namespace fairstream::recording
