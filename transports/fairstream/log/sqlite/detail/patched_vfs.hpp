#pragma once
/// An SQLite VFS for reading around damage: in some places its files read as other bytes than they have on disk.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>

namespace fairstream::log::sqlite {

/// Bytes that are read in place of those that a file has from `at` on.
struct Patch {
    std::uint64_t at = 0;
    std::vector<std::byte> bytes;
};

/// The VFS of the files, under a name of its own for as long as it lives. Writing goes past the patches, so that
/// connections by it are for reading alone.
class PatchedVfs {
public:
    /// The patches of a file are in order and do not overlap. Throws `std::bad_alloc`.
    PatchedVfs(const Files& files, std::vector<Patch> of_database, std::vector<Patch> of_log);
    ~PatchedVfs();
    PatchedVfs(const PatchedVfs&) = delete;
    PatchedVfs& operator=(const PatchedVfs&) = delete;

    [[nodiscard]] const char* name() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::log::sqlite
