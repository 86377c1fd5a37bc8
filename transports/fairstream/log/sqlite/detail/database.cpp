#include <fairstream/log/sqlite/detail/database.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace fairstream::log::sqlite {

namespace {

/// Longest wait for another program's lock; `LogFile` keeps our own writers apart.
constexpr std::chrono::milliseconds usual_lock_wait = std::chrono::minutes(1);

std::string uri_of(const std::filesystem::path& file) {
    std::string uri = "file:";
    for (const char c : file.string()) {
        if (c == '%' || c == '?' || c == '#') {
            uri += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
        } else {
            uri += c;
        }
    }
    return uri + "?immutable=1";
}

sqlite3_file* file_of(sqlite3* handle) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    return file;
}

}  // namespace

void fail(const std::filesystem::path& file, const std::string& what) {
    throw RecordingError("recording '" + file.string() + "': " + what);
}

std::filesystem::path log_of(const std::filesystem::path& file) {
    return file.string() + "-wal";
}

Database::Database(std::filesystem::path file, Access access, Files& files) : file_(std::move(file)), files_(files) {
    int flags = SQLITE_OPEN_NOMUTEX;
    std::string name = file_.string();
    switch (access) {
        case Access::memory:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
            name = ":memory:";
            break;
        case Access::write:
        case Access::read:  // a connection with write access can also delete the empty log that it had to create
            flags |= SQLITE_OPEN_READWRITE;
            break;
        case Access::immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
            name = uri_of(file_);
            break;
    }
    try {
        if (sqlite3_open_v2(name.c_str(), &handle_, flags, files_.vfs()) != SQLITE_OK) fail_with_cause("opening");
        wait_for_locks(usual_lock_wait);
        fold_on_close(false);
        sqlite3_wal_hook(
            handle_,
            [](void* self, sqlite3*, const char*, int pages) {
                static_cast<Database*>(self)->log_pages_ = pages;
                return SQLITE_OK;
            },
            this);
        if (access == Access::read || access == Access::immutable) execute("PRAGMA query_only = ON");
        if (access == Access::write && sqlite3_db_readonly(handle_, "main") != 0) fail(file_, "may not be written to");
    } catch (...) {
        sqlite3_close(handle_);
        throw;
    }
}

Database::~Database() {
    try {
        const FileStatus log = files_.status(log_of(file_));
        const bool empty_log = log.kind == FileKind::regular && log.size == 0;
        if (empty_log) fold_on_close(true);  // opening created the log; closing can only delete it
    } catch (const std::system_error&) {
        // A log that cannot be checked stays unchanged.
    }
    sqlite3_close(handle_);
}

void Database::wait_for_locks(std::chrono::milliseconds longest, std::function<void()> on_wait) noexcept {
    lock_wait_ = longest;
    on_lock_wait_ = std::move(on_wait);
    sqlite3_busy_handler(handle_, &Database::wait_for_lock, this);
}

// Waits for a lock, at growing intervals: `times` counts the earlier waits of the same request. Returns 0 to give up.
int Database::wait_for_lock(void* self, int times) noexcept {
    constexpr int longest_interval = 100, doublings = 7;  // milliseconds; 1, 2, 4, ... 64
    constexpr std::chrono::milliseconds worth_telling = std::chrono::seconds(1);
    const Database& database = *static_cast<const Database*>(self);
    const int interval = times < doublings ? 1 << times : longest_interval;
    const std::chrono::milliseconds waited{
        times < doublings ? (1 << times) - 1 : (1 << doublings) - 1 + (times - doublings) * longest_interval};
    if (waited >= database.lock_wait_) return 0;
    const bool is_first_after = waited >= worth_telling && waited.count() - longest_interval < worth_telling.count();
    if (is_first_after && database.on_lock_wait_) database.on_lock_wait_();
    sqlite3_vfs* const vfs = sqlite3_vfs_find(database.files_.vfs());
    const std::chrono::microseconds next =
        std::min<std::chrono::milliseconds>(std::chrono::milliseconds(interval), database.lock_wait_ - waited);
    vfs->xSleep(vfs, static_cast<int>(next.count()));
    return 1;
}

void Database::execute(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail_with_cause(sql);
}

std::int64_t Database::number(const std::string& sql) const {
    Statement statement(*this, sql);
    Rows rows = statement.query();
    return rows.next() ? static_cast<std::int64_t>(rows.number(0)) : 0;
}

bool Database::in_transaction() const noexcept {
    return sqlite3_get_autocommit(handle_) == 0;
}

void Database::roll_back() noexcept {
    if (in_transaction()) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

std::uint64_t Database::changed_rows() const noexcept {
    return static_cast<std::uint64_t>(sqlite3_changes64(handle_));
}

void Database::fold_on_close(bool fold) noexcept {
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, fold ? 0 : 1, nullptr);
}

void Database::fold() {
    fold(SQLITE_CHECKPOINT_PASSIVE);
}

void Database::fold_whole(std::chrono::milliseconds patience) {
    const std::chrono::milliseconds usual = std::exchange(lock_wait_, patience);
    fold(SQLITE_CHECKPOINT_RESTART);
    lock_wait_ = usual;
}

void Database::fold(int mode) {
    const int code = sqlite3_wal_checkpoint_v2(handle_, "main", mode, nullptr, nullptr);
    // Busy: another program is checkpointing or reading the log.
    if (code != SQLITE_OK && code != SQLITE_BUSY) fail_with_cause("moving the log into the file");
}

bool Database::moved() const noexcept {
    int moved = 0;
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
}

std::uint64_t Database::raw_size() const {
    sqlite3_file* file = file_of(handle_);
    sqlite3_int64 size = 0;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) fail(file_, "its size cannot be read");
    return static_cast<std::uint64_t>(size);
}

void Database::read_raw(std::uint64_t offset, std::span<std::byte> out) const {
    sqlite3_file* file = file_of(handle_);
    const int code =
        file->pMethods->xRead(file, out.data(), static_cast<int>(out.size()), static_cast<sqlite3_int64>(offset));
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) fail(file_, "it cannot be read");
}

void Database::fail_with_cause(const std::string& doing) const {
    if (handle_ == nullptr) throw std::bad_alloc();
    const int code = sqlite3_errcode(handle_);
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    if (code == SQLITE_BUSY) {
        fail(file_, "another program has locked it, and still holds the lock after " +
                        std::to_string(lock_wait_.count() / 1000) + " seconds [" + doing + "]");
    }
    std::string cause = sqlite3_errmsg(handle_);
    const int error = sqlite3_system_errno(handle_);
    const bool from_system = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL;
    if (from_system && error != 0) cause += " (" + std::generic_category().message(error) + ")";
    fail(file_, cause + " [" + doing + "]");
}

Rows::~Rows() {
    sqlite3_reset(statement_);
}

bool Rows::next() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    database_.fail_with_cause(sqlite3_sql(statement_));
}

std::uint64_t Rows::number(int column) const noexcept {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
}

bool Rows::is_null(int column) const noexcept {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Bytes Rows::blob(int column) const noexcept {
    const void* data = sqlite3_column_blob(statement_, column);  // before the length, which a conversion could change
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return {static_cast<const std::byte*>(data), data == nullptr ? 0 : size};
}

std::string_view Rows::text(int column) const noexcept {
    const Bytes bytes = blob(column);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
    if (sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &statement_, nullptr) != SQLITE_OK) {
        database.fail_with_cause(std::string(sql));
    }
}

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

void Statement::check(int code) const {
    if (code != SQLITE_OK) database_.fail_with_cause(sqlite3_sql(statement_));
}

void Statement::bind_number(int index, std::uint64_t value) {
    check(sqlite3_bind_int64(statement_, index, static_cast<sqlite3_int64>(value)));
}

void Statement::bind(int index, std::string_view text) {
    const char* data = text.empty() ? "" : text.data();  // a null pointer would bind NULL
    check(sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int index, Bytes blob) {
    const void* data = blob.empty() ? static_cast<const void*>("") : blob.data();
    check(sqlite3_bind_blob64(statement_, index, data, blob.size(), SQLITE_STATIC));
}

Snapshot::Snapshot(Database& database) : database_(database), began_(!database.in_transaction()) {
    if (began_) database_.execute("BEGIN");
}

Snapshot::~Snapshot() {
    if (began_) sqlite3_exec(database_.handle(), "COMMIT", nullptr, nullptr, nullptr);
}

}  // namespace fairstream::log::sqlite
