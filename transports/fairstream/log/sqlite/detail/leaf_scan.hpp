#pragma once
/// The leaves of the table `events`, recognised by their content when the pages that lead to them are damaged.
///
/// SQLite reads a table from its root page down; a damaged root makes all rows unreachable, even if they are intact. A
/// root rebuilt from the leaves and laid over the damaged one (`PatchedVfs`) lets SQLite read them again.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>
#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::log::sqlite {

/// A page of events, with its first and last event.
struct EventLeaf {
    std::uint32_t page = 0;
    Sequence first = 0, last = 0;
};

/// Largest number of leaves that one root leads to.
inline constexpr std::size_t most_leaves_of_root = 4000;

/// Returns the leaves in the order of their events; the ranges of leaves do not overlap. `frames` holds the position in
/// the log of the newest version of each page that the log has (`frames_of_log`). Throws `std::system_error` for a
/// failed read.
[[nodiscard]] std::vector<EventLeaf> leaves_of_events(const OpenFile& file, const OpenFile* log,
                                                      const std::map<std::uint32_t, std::uint64_t>& frames);

/// Returns a root page that leads to the given leaves, 2 to `most_leaves_of_root`, in order.
[[nodiscard]] std::vector<std::byte> root_of(const std::vector<EventLeaf>& leaves);

}  // namespace fairstream::log::sqlite
