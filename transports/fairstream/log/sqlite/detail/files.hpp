#pragma once
/// File system operations that a recording needs besides SQLite's own: creating a file atomically, locking and scanning
/// the log, and checking that the files are still in place.
///
/// An implementation names the SQLite VFS of the same files, so that a recording can live on a simulated disk.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace fairstream::log::sqlite {

enum class FileKind : std::uint8_t { none, regular, directory, other };

/// Kind and identity of a file: two names with the same device and inode lead to the same file.
struct FileStatus {
    FileKind kind = FileKind::none;
    std::uint64_t size = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t links = 0;  ///< names that lead to it; 0: deleted, only kept open

    [[nodiscard]] bool same_file(const FileStatus& other) const noexcept {
        return kind != FileKind::none && kind == other.kind && device == other.device && inode == other.inode;
    }
};

/// All functions throw `std::system_error`, unless stated otherwise.
class OpenFile {
public:
    enum class Lock : std::uint8_t { none, shared, exclusive };

    virtual ~OpenFile() = default;
    [[nodiscard]] virtual FileStatus status() const = 0;
    /// Returns the number of bytes read: fewer than `out.size()` only at the end of the file.
    [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<std::byte> out) const = 0;
    virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    virtual void truncate(std::uint64_t size) = 0;
    virtual void sync() = 0;  ///< contents and size

    /// Tries to lock one byte, without waiting; returns whether it succeeded. Byte locks belong to this open file and
    /// end with it.
    virtual bool try_lock(std::uint64_t byte, Lock lock) = 0;
    virtual void wait_for_lock(std::uint64_t byte, Lock lock) = 0;
    /// Returns whether another open file's lock conflicts with this one.
    [[nodiscard]] virtual bool is_locked_elsewhere(std::uint64_t byte, Lock lock) const = 0;
};

/// All functions throw `std::system_error`, unless stated otherwise. Any thread may call them.
class Files {
public:
    enum class Open : std::uint8_t { reading, writing, creating };  ///< `creating`: the file must not exist

    virtual ~Files() = default;
    /// Returns the name of the SQLite VFS of the same files; null: SQLite's default.
    [[nodiscard]] virtual const char* vfs() const noexcept = 0;
    virtual void fill_with_entropy(std::span<std::byte> out) = 0;

    /// Returns the status of the file at `path`, following links; `FileKind::none` if there is none.
    [[nodiscard]] virtual FileStatus status(const std::filesystem::path& path) = 0;
    /// Like `status`, but does not follow a link.
    [[nodiscard]] virtual FileStatus status_of_link(const std::filesystem::path& path) = 0;
    [[nodiscard]] virtual std::filesystem::path canonical(const std::filesystem::path& path) = 0;
    [[nodiscard]] virtual bool may_write(const std::filesystem::path& directory) = 0;

    /// Opens a file; null if it does not exist. Only the owner can read and write a created file.
    [[nodiscard]] virtual std::unique_ptr<OpenFile> open(const std::filesystem::path& path, Open how) = 0;
    /// Renames a file unless `to` exists; returns whether the file was renamed.
    [[nodiscard]] virtual bool rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
    virtual void exchange(const std::filesystem::path& one, const std::filesystem::path& other) = 0;
    virtual void remove(const std::filesystem::path& path) noexcept = 0;
    /// Makes the directory's entries durable: files created, renamed and deleted in it.
    virtual void sync_directory(const std::filesystem::path& directory) = 0;
};

/// The files of this machine.
[[nodiscard]] Files& system_files() noexcept;

}  // namespace fairstream::log::sqlite
