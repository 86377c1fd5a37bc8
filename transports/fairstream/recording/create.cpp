#include <fairstream/recording/create.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fairstream/recording/layout.hpp>
#include <fairstream/recording/log_file.hpp>

namespace fairstream::recording {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_with_errno(const fs::path& path, int error) {
    fail(path, "cannot be created: " + std::generic_category().message(error));
}

[[noreturn]] void fail_exists(const fs::path& path) {
    fail(path, "exists already");
}

class File {
public:
    File(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
    ~File() {
        if (fd_ >= 0) ::close(fd_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] int fd() const noexcept { return fd_; }

private:
    int fd_;
};

// A file under a name of its own, removed again unless it was moved to its place.
class TemporaryFile {
public:
    explicit TemporaryFile(const fs::path& path) : target_(path), path_(path) {
        std::uint64_t digits = 0;
        if (getentropy(&digits, sizeof digits) != 0) fail_with_errno(target_, errno);
        path_ += ".new-" + std::to_string(digits);
    }
    ~TemporaryFile() { ::unlink(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::span<const std::byte> bytes) const {
        const File file(path_, O_WRONLY | O_CREAT | O_EXCL);
        if (file.fd() < 0) fail_with_errno(target_, errno);
        while (!bytes.empty()) {
            const ssize_t n = ::write(file.fd(), bytes.data(), bytes.size());
            if (n < 0 && errno != EINTR) fail_with_errno(target_, errno);
            if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
        if (::fsync(file.fd()) != 0) fail_with_errno(target_, errno);
    }

    void move_into_place() const {
        if (rename(RENAME_NOREPLACE)) return;
        if (errno != EEXIST) fail_with_errno(target_, errno);
        if (!is_empty_file(target_)) fail_exists(target_);
        // An exchange instead of a replacement, so that whatever came between the look and the move can be put back.
        if (!rename(RENAME_EXCHANGE)) fail_with_errno(target_, errno);
        if (is_empty_file(path_)) return;
        (void)rename(RENAME_EXCHANGE);
        fail_exists(target_);
    }

private:
    static bool is_empty_file(const fs::path& path) {
        std::error_code error;
        return fs::is_regular_file(fs::symlink_status(path, error)) && fs::file_size(path, error) == 0;
    }
    [[nodiscard]] bool rename(unsigned flags) const {
        return renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), flags) == 0;
    }

    fs::path target_;
    fs::path path_;
};

void refuse_leftovers(const fs::path& path) {
    std::error_code error;
    for (const fs::path& other : {log_of(path), fs::path(path.string() + "-journal")}) {
        if (fs::exists(other, error)) {
            fail(path, "cannot be created: '" + other.string() + "', left by another one, would be taken for its log");
        }
    }
}

}  // namespace

void create_file(const fs::path& path, const std::string& config) {
    std::error_code error;
    if (fs::exists(path, error) && (fs::is_directory(path, error) || fs::file_size(path, error) != 0))
        fail_exists(path);
    refuse_leftovers(path);
    const TemporaryFile file(path);
    file.write(new_file(config));
    file.move_into_place();
    const File directory(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
    if (directory.fd() < 0 || ::fsync(directory.fd()) != 0) fail_with_errno(path, errno);
}

}  // namespace fairstream::recording
