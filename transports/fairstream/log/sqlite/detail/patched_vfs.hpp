#pragma once
/// An SQLite VFS for reading around damage: at some places its files return other bytes than those on disk.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>

namespace fairstream::log::sqlite {

/// Bytes returned in place of the file's bytes from `at` on.
struct Patch {
    std::uint64_t at = 0;
    std::vector<std::byte> bytes;
};

/// The VFS of the files, under a name of its own for its lifetime. Writes bypass the patches, so its connections must
/// only read.
class PatchedVfs {
public:
    /// The patches of each file are in order and do not overlap. Throws `std::bad_alloc`.
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
