#pragma once
/// The leaves of the table `events`, found by their own form where the pages that lead to them are damaged.
///
/// SQLite reads a table from its root page down; with the root of a table all its rows are lost to it, though they are
/// whole. A root made anew from the leaves, laid over the damaged one (`PatchedVfs`), lets SQLite read them again.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>
#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::log::sqlite {

/// A page of events, and the first and the last of them.
struct EventLeaf {
    std::uint32_t page = 0;
    Sequence first = 0, last = 0;
};

/// The most leaves that one root leads to.
inline constexpr std::size_t most_leaves_of_root = 4000;

/// Returns the leaves in the order of their events, none with an event of another. `frames` are the places in the log
/// of the newest version of the pages that it has (`frames_of_log`). Throws `std::system_error` for a failed read.
[[nodiscard]] std::vector<EventLeaf> leaves_of_events(const OpenFile& file, const OpenFile* log,
                                                      const std::map<std::uint32_t, std::uint64_t>& frames);

/// Returns the page of a root that leads to 2 to `most_leaves_of_root` leaves, in order.
[[nodiscard]] std::vector<std::byte> root_of(const std::vector<EventLeaf>& leaves);

}  // namespace fairstream::log::sqlite
