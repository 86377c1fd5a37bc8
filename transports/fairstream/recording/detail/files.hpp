#pragma once
/// What a recording asks of the file system beside what it asks through SQLite: to make a file as a whole, to lock and
/// look through the log, to see whether the files are still in their place.
///
/// An implementation names the SQLite VFS that shows the same files, so that a recording can live on a simulated disk.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace fairstream::recording {

enum class FileKind : std::uint8_t { none, regular, directory, other };

/// What a file is, and which: two names with the same device and inode lead to the same file.
struct FileStatus {
    FileKind kind = FileKind::none;
    std::uint64_t size = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t links = 0;  ///< names that lead to it; 0: it was deleted and is only held open

    [[nodiscard]] bool same_file(const FileStatus& other) const noexcept {
        return kind != FileKind::none && kind == other.kind && device == other.device && inode == other.inode;
    }
};

/// Everything here throws `std::system_error`, except where it says otherwise.
class OpenFile {
public:
    enum class Lock : std::uint8_t { none, shared, exclusive };

    virtual ~OpenFile() = default;
    [[nodiscard]] virtual FileStatus status() const = 0;
    /// Bytes read: fewer than asked for only at the end of the file.
    [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<std::byte> out) const = 0;
    virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    virtual void truncate(std::uint64_t size) = 0;
    virtual void sync() = 0;  ///< contents and size

    /// Locks of single bytes belong to this open file and go with it. Whether it could be had at once.
    virtual bool try_lock(std::uint64_t byte, Lock lock) = 0;
    virtual void wait_for_lock(std::uint64_t byte, Lock lock) = 0;
    /// Whether another open file's lock would keep it from being had.
    [[nodiscard]] virtual bool is_locked_elsewhere(std::uint64_t byte, Lock lock) const = 0;
};

/// Everything here throws `std::system_error`, except where it says otherwise. Any thread may call.
class Files {
public:
    enum class Open : std::uint8_t { reading, writing, creating };  ///< `creating`: there must be none

    virtual ~Files() = default;
    /// Name of the SQLite VFS that shows the same files; null: SQLite's default.
    [[nodiscard]] virtual const char* vfs() const noexcept = 0;
    virtual void fill_with_entropy(std::span<std::byte> out) = 0;

    /// `FileKind::none` where there is nothing. Follows links.
    [[nodiscard]] virtual FileStatus status(const std::filesystem::path& path) = 0;
    /// As `status`, but does not follow a link.
    [[nodiscard]] virtual FileStatus status_of_link(const std::filesystem::path& path) = 0;
    [[nodiscard]] virtual std::filesystem::path canonical(const std::filesystem::path& path) = 0;
    [[nodiscard]] virtual bool may_write(const std::filesystem::path& directory) = 0;

    /// Nothing where there is no such file. What is created can be read and written by its owner alone.
    [[nodiscard]] virtual std::unique_ptr<OpenFile> open(const std::filesystem::path& path, Open how) = 0;
    /// False where `to` exists already.
    [[nodiscard]] virtual bool rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
    virtual void exchange(const std::filesystem::path& one, const std::filesystem::path& other) = 0;
    virtual void remove(const std::filesystem::path& path) noexcept = 0;
    /// Makes the names in it durable: what was created, renamed and deleted.
    virtual void sync_directory(const std::filesystem::path& directory) = 0;
};

/// The files of this machine.
[[nodiscard]] Files& system_files() noexcept;

}  // namespace fairstream::recording
