#pragma once
/// A thin layer over SQLite's C interface: handles that close themselves, statements that reset themselves, and errors
/// as `RecordingError` naming the file.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <fairstream/log/sqlite/detail/files.hpp>
#include <fairstream/log/sqlite/recording.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace fairstream::log::sqlite {

/// Throws `RecordingError`: "recording '<file>': <what>".
[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what);

/// Returns the path of SQLite's write-ahead log of `file`.
[[nodiscard]] std::filesystem::path log_of(const std::filesystem::path& file);

enum class Access : std::uint8_t {
    memory,     ///< an in-memory database, gone when closed
    write,      ///< the file must exist and be writable
    read,       ///< refuses writes; the file may be read-only
    immutable,  ///< like read, without locks: for files nobody can change
};

/// A connection. Closing it leaves a non-empty log in place unless `fold_on_close` was set.
class Database {
public:
    /// Opens the file, without reading it yet.
    Database(std::filesystem::path file, Access access, Files& files = system_files());
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
    [[nodiscard]] Files& files() const noexcept { return files_; }
    [[nodiscard]] sqlite3* handle() const noexcept { return handle_; }

    /// Sets the longest wait for another program's lock, a minute by default, and a function that is called once for
    /// each second of waiting.
    void wait_for_locks(std::chrono::milliseconds longest, std::function<void()> on_wait = {}) noexcept;
    void execute(const std::string& sql);
    /// Returns the single number that a query yields, for example a pragma.
    [[nodiscard]] std::int64_t number(const std::string& sql) const;
    [[nodiscard]] bool in_transaction() const noexcept;
    [[nodiscard]] std::uint64_t changed_rows() const noexcept;  ///< rows changed by the last changing statement

    void roll_back() noexcept;  ///< no effect without an open transaction

    /// Sets whether the last connection to close moves the log into the file and deletes the log.
    void fold_on_close(bool fold) noexcept;
    /// Moves as much of the log into the file as readers allow (a passive checkpoint).
    void fold();
    /// Moves the log into the file and waits up to `patience` for readers to release it. If they do, the next commit
    /// begins the log anew. No other connection of a writer may be folding.
    void fold_whole(std::chrono::milliseconds patience);
    /// Returns the number of pages in the log after the last commit of this connection.
    [[nodiscard]] int log_pages() const noexcept { return log_pages_; }

    /// Returns whether the file's name no longer leads to the open file.
    [[nodiscard]] bool moved() const noexcept;
    /// Read the size and the bytes of the file itself, bypassing locks and caches. `read_raw` leaves zeros past the end
    /// of the file.
    [[nodiscard]] std::uint64_t raw_size() const;
    void read_raw(std::uint64_t offset, std::span<std::byte> out) const;

    /// Throws `RecordingError` with the file, SQLite's text for its last error, and the attempted operation.
    [[noreturn]] void fail_with_cause(const std::string& doing) const;

private:
    std::filesystem::path file_;
    Files& files_;
    sqlite3* handle_ = nullptr;
    void fold(int mode);
    static int wait_for_lock(void* self, int times) noexcept;

    std::chrono::milliseconds lock_wait_{};
    std::function<void()> on_lock_wait_;
    int log_pages_ = 0;
};

/// The rows of one execution of a statement. Values are valid until the next call of `next`; the destructor resets the
/// statement.
class Rows {
public:
    Rows(const Database& database, sqlite3_stmt* statement) noexcept : database_(database), statement_(statement) {}
    ~Rows();
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    [[nodiscard]] bool next();
    [[nodiscard]] std::uint64_t number(int column) const noexcept;
    [[nodiscard]] bool is_null(int column) const noexcept;
    [[nodiscard]] Bytes blob(int column) const noexcept;
    [[nodiscard]] std::string_view text(int column) const noexcept;
    [[nodiscard]] const Database& database() const noexcept { return database_; }

private:
    const Database& database_;
    sqlite3_stmt* statement_;
};

/// A prepared statement. Integers keep their 64 bits when they are bound and when they are read; bound text and blobs
/// are borrowed until the `Rows` end.
class Statement {
public:
    Statement(const Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    template <class... Values> [[nodiscard]] Rows query(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return Rows(database_, statement_);
    }
    /// Runs a statement to its end and ignores its rows.
    template <class... Values> void run(const Values&... values) {
        Rows rows = query(values...);
        while (rows.next()) {
        }
    }

private:
    template <std::integral Number> void bind(int index, Number value) {
        bind_number(index, static_cast<std::uint64_t>(value));
    }
    void bind(int index, std::string_view text);
    void bind(int index, Bytes blob);
    void bind_number(int index, std::uint64_t value);
    void check(int code) const;

    const Database& database_;
    sqlite3_stmt* statement_ = nullptr;
};

/// Makes several queries read one snapshot; does nothing inside a transaction.
class Snapshot {
public:
    explicit Snapshot(Database& database);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    Database& database_;
    bool began_;
};

}  // namespace fairstream::log::sqlite
