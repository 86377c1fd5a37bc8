#include <fairstream/recording/log_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fairstream/recording/database.hpp>

namespace fairstream::recording {

namespace {

constexpr short writer_byte = 0;
constexpr short scan_byte = 1;

[[noreturn]] void fail_with_errno(const std::filesystem::path& file, const std::string& what, int error) {
    fail(file, what + ": " + std::generic_category().message(error));
}

}  // namespace

LogFile::LogFile(const std::filesystem::path& file, For use) : LogFile() {
    file_ = file;
    use_ = use;
    const int flags = use == For::writing ? O_RDWR : O_RDONLY;
    fd_ = ::open(log_of(file).c_str(), flags | O_CLOEXEC);
    if (fd_ < 0 && errno == ENOENT && use == For::reading) return;
    if (fd_ < 0) fail_with_errno(file_, "its log cannot be opened", errno);
    if (use == For::writing && !lock(F_OFD_SETLK, F_WRLCK, writer_byte)) {
        fail(file_, "is open for writing elsewhere; a recording has one writer");
    }
}

LogFile::~LogFile() {
    if (fd_ >= 0) ::close(fd_);
}

LogFile::LogFile(LogFile&& other) noexcept
    : file_(std::move(other.file_)), use_(other.use_), fd_(std::exchange(other.fd_, -1)) {}

LogFile& LogFile::operator=(LogFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(use_, other.use_);
    std::swap(fd_, other.fd_);
    return *this;
}

// Whether it could be had; for F_OFD_GETLK, whether it could be had now.
bool LogFile::lock(int command, short type, short byte) const {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = byte;
    range.l_len = 1;
    while (fcntl(fd_, command, &range) != 0) {
        if (errno == EAGAIN || errno == EACCES) return false;
        if (errno != EINTR) fail_with_errno(file_, "its log cannot be locked", errno);
    }
    return command != F_OFD_GETLK || range.l_type == F_UNLCK;
}

std::optional<LogScan> LogFile::check() {
    if (fd_ < 0) return LogScan{};
    const bool writing = use_ == For::writing;
    lock(F_OFD_SETLKW, writing ? F_WRLCK : F_RDLCK, scan_byte);
    std::optional<LogScan> scan;
    if (writing || lock(F_OFD_GETLK, F_RDLCK, writer_byte)) {
        try {
            scan = scan_log(fd_);
        } catch (const std::system_error& error) {
            fail_with_errno(file_, "its log cannot be read", error.code().value());
        }
        if (!scan->damage.empty()) {
            fail(file_, "its log '" + log_of(file_).string() + "' is damaged at " + scan->damage);
        }
    }
    if (writing && scan->has_header &&
        (ftruncate(fd_, static_cast<off_t>(scan->valid_bytes)) != 0 || fdatasync(fd_) != 0)) {
        fail_with_errno(file_, "the unfinished end of its log cannot be cut off", errno);
    }
    lock(F_OFD_SETLK, F_UNLCK, scan_byte);
    return scan;
}

}  // namespace fairstream::recording
