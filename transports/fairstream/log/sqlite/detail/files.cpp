#include <fairstream/log/sqlite/detail/files.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace fairstream::log::sqlite {

namespace {

namespace fs = std::filesystem;

/// Mode of a recording's file, which holds protected attributes. SQLite gives the log and the log's index the same
/// mode.
constexpr mode_t owner_alone = 0600;

[[noreturn]] void throw_errno() {
    throw std::system_error(errno, std::generic_category());
}

void require(bool holds) {
    if (!holds) throw_errno();
}

FileStatus status_of(const struct stat& status) {
    FileKind kind = FileKind::other;
    if (S_ISREG(status.st_mode)) kind = FileKind::regular;
    if (S_ISDIR(status.st_mode)) kind = FileKind::directory;
    return {kind, static_cast<std::uint64_t>(status.st_size), status.st_dev, status.st_ino, status.st_nlink};
}

class SystemFile final : public OpenFile {
public:
    explicit SystemFile(int fd) noexcept : fd_(fd) {}
    ~SystemFile() override { ::close(fd_); }
    SystemFile(const SystemFile&) = delete;
    SystemFile& operator=(const SystemFile&) = delete;

    [[nodiscard]] FileStatus status() const override {
        struct stat status {};
        require(::fstat(fd_, &status) == 0);
        return status_of(status);
    }

    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) const override {
        std::size_t got = 0;
        while (got < out.size()) {
            const ssize_t n = ::pread(fd_, out.data() + got, out.size() - got, static_cast<off_t>(offset + got));
            if (n == 0) break;
            require(n > 0 || errno == EINTR);
            if (n > 0) got += static_cast<std::size_t>(n);
        }
        return got;
    }

    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            require(n >= 0 || errno == EINTR);
            if (n <= 0) continue;
            offset += static_cast<std::uint64_t>(n);
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
    }

    void truncate(std::uint64_t size) override { require(::ftruncate(fd_, static_cast<off_t>(size)) == 0); }
    void sync() override { require(::fsync(fd_) == 0); }

    bool try_lock(std::uint64_t byte, Lock lock) override {
        struct flock range = range_of(byte, lock);
        return control(F_OFD_SETLK, range);
    }
    void wait_for_lock(std::uint64_t byte, Lock lock) override {
        struct flock range = range_of(byte, lock);
        (void)control(F_OFD_SETLKW, range);
    }
    [[nodiscard]] bool is_locked_elsewhere(std::uint64_t byte, Lock lock) const override {
        struct flock range = range_of(byte, lock);
        (void)control(F_OFD_GETLK, range);
        return range.l_type != F_UNLCK;
    }

private:
    static struct flock range_of(std::uint64_t byte, Lock lock) {
        struct flock range {};
        const int type = lock == Lock::none ? F_UNLCK : lock == Lock::shared ? F_RDLCK : F_WRLCK;
        range.l_type = static_cast<short>(type);
        range.l_whence = SEEK_SET;
        range.l_start = static_cast<off_t>(byte);
        range.l_len = 1;
        return range;
    }
    // Runs an fcntl lock command; returns false when another process holds the lock.
    bool control(int command, struct flock& range) const {
        while (::fcntl(fd_, command, &range) != 0) {
            if (errno == EAGAIN || errno == EACCES) return false;
            require(errno == EINTR);
        }
        return true;
    }

    int fd_;
};

class SystemFiles final : public Files {
public:
    [[nodiscard]] const char* vfs() const noexcept override { return nullptr; }

    void fill_with_entropy(std::span<std::byte> out) override { require(::getentropy(out.data(), out.size()) == 0); }

    [[nodiscard]] FileStatus status(const fs::path& path) override {
        struct stat status {};
        return status_or_none(::stat(path.c_str(), &status), status);
    }
    [[nodiscard]] FileStatus status_of_link(const fs::path& path) override {
        struct stat status {};
        return status_or_none(::lstat(path.c_str(), &status), status);
    }
    [[nodiscard]] fs::path canonical(const fs::path& path) override { return fs::canonical(path); }
    [[nodiscard]] bool may_write(const fs::path& directory) override { return ::access(directory.c_str(), W_OK) == 0; }

    [[nodiscard]] std::unique_ptr<OpenFile> open(const fs::path& path, Open how) override {
        const int flags = how == Open::reading ? O_RDONLY : how == Open::writing ? O_RDWR : O_RDWR | O_CREAT | O_EXCL;
        const int fd = ::open(path.c_str(), flags | O_CLOEXEC, owner_alone);
        if (fd < 0 && errno == ENOENT && how != Open::creating) return nullptr;
        require(fd >= 0);
        return std::make_unique<SystemFile>(fd);
    }

    [[nodiscard]] bool rename_to_new(const fs::path& from, const fs::path& to) override {
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
        require(errno == EEXIST);
        return false;
    }
    void exchange(const fs::path& one, const fs::path& other) override {
        require(::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0);
    }
    void remove(const fs::path& path) noexcept override { ::unlink(path.c_str()); }

    void sync_directory(const fs::path& directory) override {
        const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        require(fd >= 0);
        SystemFile(fd).sync();
    }

private:
    static FileStatus status_or_none(int result, const struct stat& status) {
        if (result == 0) return status_of(status);
        require(errno == ENOENT || errno == ENOTDIR);
        return {};
    }
};

}  // namespace

Files& system_files() noexcept {
    static SystemFiles files;
    return files;
}

}  // namespace fairstream::log::sqlite
