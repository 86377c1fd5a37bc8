/// Other programs that lock the recording, or read it for long.

#include <sqlite3.h>

#include "recording/crash_stream.hpp"
#include "support/names.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using test::Names;
using testing::HasSubstr;

/// Another program with the file open.
class OtherProgram {
public:
    OtherProgram(const fs::path& path, SimulatedDisk& disk) {
        EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READWRITE, disk.vfs()), SQLITE_OK);
    }
    ~OtherProgram() { sqlite3_close(database_); }
    OtherProgram(const OtherProgram&) = delete;
    OtherProgram& operator=(const OtherProgram&) = delete;

    void execute(const char* sql) {
        EXPECT_EQ(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database_);
    }

private:
    sqlite3* database_ = nullptr;
};

class WaitingTest : public testing::Test {
protected:
    fs::path path_ = "/disk/stream.fairstream";
    SimulatedDisk disk_{1};
};

TEST_F(WaitingTest, ALockOfThirtySecondsIsWaitedFor) {
    auto recording = Recording::create(path_, "c", {}, disk_);
    OtherProgram other(path_, disk_);
    other.execute("BEGIN IMMEDIATE");
    bool locked = true;
    disk_.on_wait([&](double seconds) {
        if (seconds < 30 || !std::exchange(locked, false)) return;
        other.execute("ROLLBACK");
    });
    append_committed(recording, 3);
    EXPECT_FALSE(locked);
    EXPECT_EQ(checked_events(recording).size(), 3U);
}

TEST_F(WaitingTest, LastingLockIsReported) {
    double waited = 0;
    disk_.on_wait([&](double seconds) { waited = seconds; });
    for (const int seconds : {60, 7}) {
        const fs::path path = path_.string() + std::to_string(seconds);
        Settings settings;
        if (seconds != 60) settings.lock_wait = std::chrono::seconds(seconds);
        auto recording = Recording::create(path, "c", settings, disk_);
        OtherProgram other(path, disk_);
        other.execute("BEGIN IMMEDIATE");
        const double before = waited;
        EXPECT_THAT(error_of([&] { append_committed(recording, 3); }),
                    Names({"locked", std::to_string(seconds) + " s"}));
        EXPECT_NEAR(waited - before, seconds, 1);
    }
}

TEST_F(WaitingTest, EachSecondOfWaitingIsReported) {
    int told = 0;
    double released_after = 0, waited = 0;
    Settings settings;
    settings.warn = [&](const std::string&) { ++told; };
    (void)Recording::create(path_, "c", {}, disk_);
    OtherProgram other(path_, disk_);
    disk_.on_wait([&](double seconds) {
        waited = seconds;
        EXPECT_EQ(told, seconds - released_after > 2 ? 1 : told);
        if (seconds - released_after < 30) return;
        released_after = seconds;
        other.execute("ROLLBACK");
    });
    const auto lock = [&] {
        told = 0;
        released_after = waited;
        other.execute("BEGIN IMMEDIATE");
    };
    lock();
    auto recording = Recording::open(path_, settings, disk_);
    EXPECT_EQ(told, 1) << "at the start";
    lock();
    append_committed(recording, 3);
    EXPECT_EQ(told, 1) << "in a commit";
    told = 0;
    append_committed(recording, 3);
    EXPECT_EQ(told, 0) << "without a lock";
}

TEST_F(WaitingTest, SlowReaderAllowsNewLog) {
    Settings settings;
    settings.log_bytes = std::size_t{16} << 16;
    settings.run_in_background = [](const auto& task) { task(); };
    auto recording = Recording::create(path_, "c", settings, disk_);
    append_committed(recording, 10);
    const auto reader = Recording::open_read_only(path_, disk_);
    Sequence read = 0;
    reader.for_each_event(1, [&](const RecordedEvent& event) {
        EXPECT_EQ(event.sequence, ++read);
        append_committed(recording, 1);
        EXPECT_LE(recording.log_bytes(), 2 * settings.log_bytes) << read;
        return read < 300;
    });
    EXPECT_EQ(read, 300U);
}

TEST_F(WaitingTest, ReaderReportsOrSkipsDeletedEvents) {
    Settings settings{{.keep_events = 10}};
    auto recording = Recording::create(path_, "c", settings, disk_);
    const auto go_on = [&](Sequence events) {
        append_committed(recording, events);
        recording.begin_checkpoint({recording.last_sequence(), some_bytes(1, 10), {}});
        recording.finish_checkpoint();
        for (int commits = 0; commits < 20; ++commits) append_committed(recording, 1);
    };
    append_committed(recording, 1000);
    const auto read = [&](OnDeletion on_deletion) {
        const auto reader = Recording::open_read_only(path_, disk_);
        std::vector<Sequence> numbers;
        reader.for_each_event(
            1,
            [&](const RecordedEvent& event) {
                numbers.push_back(event.sequence);
                if (numbers.size() == 1)
                    for (int checkpoints = 0; checkpoints < 3; ++checkpoints) go_on(300);
                return true;
            },
            on_deletion);
        return numbers;
    };
    const std::vector<Sequence> passed = read(OnDeletion::skip);
    EXPECT_EQ(passed.front(), 1U);
    EXPECT_EQ(passed.back(), recording.last_sequence());
    EXPECT_LT(passed.size(), recording.last_sequence()) << "some were deleted";
    EXPECT_THAT(error_of([&] { (void)read(OnDeletion::fail); }), ::testing::HasSubstr("deleted"));
}

TEST_F(WaitingTest, GrowingLogIsWarnedOfOnce) {
    Settings settings;
    settings.log_bytes = std::size_t{16} << 16;
    settings.run_in_background = [](const auto& task) { task(); };
    std::size_t warnings = 0;
    settings.warn = [&](const std::string&) { ++warnings; };
    auto recording = Recording::create(path_, "c", settings, disk_);
    const auto write = [&] {
        for (int commits = 0; commits < 100; ++commits) append_committed(recording, 1);
    };
    write();
    EXPECT_EQ(warnings, 0U) << "nobody reads";
    EXPECT_LE(recording.log_bytes(), 2 * settings.log_bytes);
    OtherProgram reader(path_, disk_);
    for (std::size_t times = 1; times <= 2; ++times) {
        reader.execute("BEGIN; SELECT count(*) FROM events");
        write();
        EXPECT_EQ(warnings, times);
        EXPECT_GE(recording.log_bytes(), Recording::long_log * settings.log_bytes);
        // The second time, the log lies in a file that became longer the first time.
        if (times == 1) {
            EXPECT_EQ(recording.log_bytes(), disk_.bytes_of(log_beside(path_)).size());
        }
        reader.execute("COMMIT");
        write();
        EXPECT_LE(recording.log_bytes(), 2 * settings.log_bytes) << "it began anew";
        EXPECT_EQ(warnings, times);
    }
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
