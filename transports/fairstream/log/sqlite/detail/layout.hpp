#pragma once
/// The layout of a recording's file: its tables, the constant bytes of its header, and the image of a new file.
///
/// | table              | rows                                                                                        |
/// | ------------------ | ------------------------------------------------------------------------------------------- |
/// | `meta`             | one row: the recording's id, configuration and origin, which never change                   |
/// | `state`            | one row: counters and marks of the whole recording; see `StateRow`                          |
/// | `producers`        | one row for each producer: its mark, and its newest event, which shows whether the end of   |
/// |                    | `events` is missing; and one row without a name: the floor of all clients. The row of a     |
/// |                    | forgotten producer stays while an event of it does                                          |
/// | `events`           | the events in order, without a gap                                                          |
/// | `checkpoints`      | at most two; a row is written after its parts, and makes them valid                         |
/// | `checkpoint_parts` | the states of checkpoints, in parts of about 1 MiB                                          |
/// | `refusals`         | reason and text of refusals that used up a number                                           |
/// | `refused_messages` | the newest refusals of all producers, with their messages                                   |
/// | `running_hashes`   | the running hash at each checkpoint, and at the event where the log last began anew         |
/// | `owners`           | one row for each producer that belongs to a client, or was forgotten                        |
/// | `floors`           | one row for each client of forgotten producers: the epoch that its new ones must exceed     |
/// | `update_digests`   | one row for each event whose update was hashed                                              |
/// | `builds`           | the builds that made these digests, and the recoveries that gave other updates              |
/// | `growth`           | one row for each minute or 4 MiB of events: the time, and the bytes of events until then    |
/// | `erasures`         | one row for each time that the recording was copied without some points; see `Erasure`      |
///
/// Every row carries a checksum over its table's name and all its columns (`rows.hpp`). Numbers of 64 bits without a
/// sign are kept as SQLite's integers with the same bits.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/detail/database.hpp>

namespace fairstream::log::sqlite {

inline constexpr std::uint32_t application_id = 0x66737472;  // "fstr"
inline constexpr std::uint32_t format_version = 3;
/// The oldest format that can be read. `upgrade` adds the tables that older formats lack.
inline constexpr std::uint32_t oldest_format_version = 1;
/// First formats with running hashes, and with owners of producers and their floors.
inline constexpr std::uint32_t running_hashes_since = 2, owners_since = 3;
/// First format with update digests. Files made before its release may lack `update_digests`, `builds` and `growth`, or
/// `erasures`.
inline constexpr std::uint32_t update_digests_since = 3;
/// SQLite's largest page: with blobs of 64 KiB, writing is 1.5 times as fast as with pages of 4 KiB. SQLite writes
/// whole pages, so a commit of small events writes two, 131 KB: the last page of `events`, and the page of `producers`,
/// shared by all events of the commit. Each commit needs the page of `producers`: it shows that the last page of
/// `events` is not an older one, and gives readers the marks.
inline constexpr std::uint32_t page_bytes = 65536;
/// Offset in SQLite's header of a counter that grows with every write of page 1.
inline constexpr std::size_t change_counter_at = 24;

/// Returns the bytes of a new recording's file: the tables, `config` and `id`, but no events.
[[nodiscard]] std::vector<std::byte> new_file(const std::string& config, const RecordingId& id);

/// Throws `RecordingError` when the file is empty, no SQLite database, no recording, of a newer format, or damaged in
/// its header. Reads the file without a lock, and does not touch its log.
void check_header(const Database& database);
/// Throws `RecordingError` for a file of a newer format; a format number that no version will have is damage.
void check_version(const Database& database);
/// Throws `RecordingError` unless the file is as long as its header says. Does not throw if a log may hold the rest.
void check_length(const Database& database);
struct Tables {
    std::uint32_t format = 0;         ///< the file's own header may name an older format than the log
    bool has_update_digests = false;  ///< also for `builds` and `growth`
    bool has_erasures = false;
};
/// Throws `RecordingError` unless the tables are those of the file's format.
[[nodiscard]] Tables check_tables(Database& database);
/// Adds missing tables of a file of `format_version`, inside the writer's transaction.
void upgrade(Database& database);

}  // namespace fairstream::log::sqlite
