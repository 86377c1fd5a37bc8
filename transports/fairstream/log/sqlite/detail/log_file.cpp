#include <fairstream/log/sqlite/detail/log_file.hpp>

#include <system_error>

#include <fairstream/log/sqlite/detail/database.hpp>

namespace fairstream::log::sqlite {

namespace {

using Lock = OpenFile::Lock;

constexpr std::uint64_t writer_byte = 0;
constexpr std::uint64_t scan_byte = 1;

// Runs `action`; turns an error of the file system into a `RecordingError` that names the failed operation.
template <class Action> auto attempt(const std::filesystem::path& file, const std::string& what, Action&& action) {
    try {
        return std::forward<Action>(action)();
    } catch (const std::system_error& error) {
        fail(file, what + ": " + error.code().message());
    }
}

}  // namespace

LogFile::LogFile(const std::filesystem::path& file, Use use, Files& files) : file_(file), use_(use) {
    const bool writing = use == Use::writing;
    log_ = attempt(file, "its log cannot be opened",
                   [&] { return files.open(log_of(file), writing ? Files::Open::writing : Files::Open::reading); });
    if (!writing) return;
    if (!log_) fail(file, "its log cannot be opened: it no longer exists");
    if (!attempt(file, "its log cannot be locked", [&] { return log_->try_lock(writer_byte, Lock::exclusive); })) {
        fail(file,
             "is open for writing elsewhere, but a recording has one writer: stop the other writer, or record to "
             "another file");
    }
}

std::optional<LogScan> LogFile::check() {
    if (!log_) return LogScan{};
    const bool writing = use_ == Use::writing;
    const bool alone = attempt(file_, "its log cannot be locked", [&] {
        log_->wait_for_lock(scan_byte, writing ? Lock::exclusive : Lock::shared);
        return writing || !log_->is_locked_elsewhere(writer_byte, Lock::shared);
    });
    std::optional<LogScan> scan;
    if (alone) {
        scan = attempt(file_, "its log cannot be read", [&] { return scan_log(*log_); });
        if (!scan->damage.empty()) {
            fail(file_, "its log '" + log_of(file_).string() + "' " + scan->damage);
        }
    }
    if (writing && scan->has_header) {
        attempt(file_, "the unfinished end of its log cannot be cut off", [&] {
            log_->truncate(scan->bytes_to_keep());
            log_->sync();
        });
    }
    attempt(file_, "its log cannot be unlocked", [&] { return log_->try_lock(scan_byte, Lock::none); });
    return scan;
}

}  // namespace fairstream::log::sqlite
