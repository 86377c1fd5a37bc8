/// Opening and creating: what is accepted, what is refused, and the errors.

#include <fcntl.h>
#include <sqlite3.h>

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using testing::HasSubstr;

class OpeningTest : public testing::Test {
protected:
    void make(Sequence events = 3) {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, events);
    }
    /// Runs SQL on the file as another program would.
    void execute(const char* sql) const {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
        sqlite3_close(database);
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(directory_.path())) names.push_back(entry.path().filename());
        return names;
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
};

TEST_F(OpeningTest, WhatIsNoRecordingIsSaidToBeSo) {
    EXPECT_THAT(error_of_opening(path_), HasSubstr("there is no such file"));
    EXPECT_THAT(error_of_opening(directory_.path()), HasSubstr("is a directory"));
    EXPECT_THAT(error_of_opening(directory_ / "no directory/x"), HasSubstr("there is no such file"));
    EXPECT_THAT(error_of_opening(directory_.write("empty", "")), HasSubstr("is empty"));
    EXPECT_THAT(error_of_opening(directory_.write("text", std::string(5000, 'x'))), HasSubstr("is not a recording"));
    EXPECT_THAT(error_of_opening(directory_.write("short", "SQLite")), HasSubstr("is not a recording"));
    EXPECT_THAT(error_of_opening(directory_.write("magic", std::string("SQLite format 3\0", 16))),
                HasSubstr("is cut short"));
    const ByteVector random = some_bytes(1, 200000);
    EXPECT_THAT(
        error_of_opening(directory_.write("random", {reinterpret_cast<const char*>(random.data()), random.size()})),
        HasSubstr("is not a recording"));
    ASSERT_EQ(mkfifo((directory_ / "fifo").c_str(), 0600), 0);
    EXPECT_THAT(error_of_opening(directory_ / "fifo"), HasSubstr("is not a regular file"));
}

TEST_F(OpeningTest, AnotherSqliteDatabaseIsRefused) {
    execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)");
    EXPECT_THAT(error_of_opening(path_), HasSubstr("but not a recording"));
}

TEST_F(OpeningTest, ANewerFormatIsRefused) {
    make();
    execute("PRAGMA user_version = 4");
    EXPECT_THAT(error_of_opening(path_), HasSubstr("written by a newer version: its format is 4"));
}

TEST_F(OpeningTest, OtherTablesAreRefused) {
    make();
    execute("CREATE TABLE extra(x)");
    EXPECT_THAT(error_of_opening(path_), HasSubstr("extra is none of a recording's"));
    execute("DROP TABLE extra; DROP INDEX refusals_by_mark");
    EXPECT_THAT(error_of_opening(path_), HasSubstr("it lacks refusals_by_mark"));
    execute("CREATE INDEX refusals_by_mark ON refusals(producer)");
    EXPECT_THAT(error_of_opening(path_), HasSubstr("refusals_by_mark is another one"));
}

TEST_F(OpeningTest, AForeignJournalIsRefused) {
    make();
    directory_.write("stream.fairstream-journal", "x");
    EXPECT_THAT(error_of_opening(path_), HasSubstr("foreign journal"));
}

TEST_F(OpeningTest, RowsThatWereChangedOrRemovedAreNamed) {
    const std::vector<std::pair<const char*, const char*>> changes = {
        {"UPDATE events SET message = x'00' WHERE sequence = 2", "table events, row 2: it does not match its checksum"},
        {"UPDATE events SET epoch = 9 WHERE sequence = 1", "table events, row 1: it does not match its checksum"},
        {"UPDATE events SET sequence = 9 WHERE sequence = 3", "table events, row 3: missing; the next one is 4"},
        {"DELETE FROM events WHERE sequence = 2", "table events, row 2: missing; the next one is 3"},
        {"DELETE FROM events WHERE sequence = 1", "table events, row 1: missing; the next one is 2"},
        {"DELETE FROM events WHERE sequence = 5", "its newest event is 2, not 5"},
        {"DELETE FROM events", "its newest event is 0, not"},
        {"DELETE FROM producers WHERE id = 1", "table producers, row 1: missing"},
        {"DELETE FROM producers WHERE id = 4", "it lacks a producer"},
        {"UPDATE producers SET epoch = 7 WHERE id = 2", "table producers, row 2: it does not match its checksum"},
        {"UPDATE meta SET config = 'd'", "table meta, row 1: it does not match its checksum"},
        {"DELETE FROM meta", "table meta is empty"},
        {"UPDATE state SET refused = 0", "table state, row 1: it does not match its checksum"},
        {"DELETE FROM state", "table state is empty"},
        {"DELETE FROM refused_messages WHERE number = 2", "table refused_messages, row 2: missing; before it comes 1"},
        {"UPDATE refused_messages SET text = '' WHERE number = 1", "table refused_messages, row 1: it does not match"},
        {"UPDATE refusals SET reason = 4", "table refusals, row 1: it does not match its checksum"},
        {"DELETE FROM refusals WHERE number = 2", "its mark is not that of its newest event or refusal"},
        {"DELETE FROM checkpoints WHERE id = 2", "table checkpoints, row 2: missing"},
        {"UPDATE checkpoints SET topics = x'' WHERE id = 2",
         "table checkpoints, row 2: it does not match its checksum"},
        {"DELETE FROM checkpoint_parts WHERE checkpoint = 1 AND part = 1",
         "its 1 parts hold 1048576 bytes, not 2 with"},
        {"UPDATE checkpoint_parts SET bytes = x'00' WHERE checkpoint = 2", "part 0 of checkpoint 2: it does not match"},
    };
    {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, 5);
        for (const std::uint64_t i : {1, 2}) recording.refuse(some_refusal("z", {1, i}));
        for (const Sequence s : {4, 5}) {
            recording.begin_checkpoint({s, some_bytes(s, 1100000), {{"t", {s, 1}}}});
            recording.finish_checkpoint();
        }
    }
    const std::string sound = fairstream::test::file_bytes(path_);
    for (const auto& [sql, text] : changes) {
        execute(sql);
        EXPECT_THAT(error_of_opening(path_), HasSubstr(text)) << sql;
        directory_.write("stream.fairstream", sound);
    }
    EXPECT_EQ(Recording::open(path_).last_sequence(), 5U);
}

TEST_F(OpeningTest, ASecondWriterIsRefusedInThisProcessAndAnother) {
    auto writer = Recording::create(path_, "c");
    append_committed(writer, 1);
    const auto open = [&] { (void)Recording::open(path_); };
    EXPECT_THAT(error_of(open), HasSubstr("is open for writing elsewhere"));
    EXPECT_EQ(run_in_child([&] { EXPECT_THAT(error_of(open), HasSubstr("is open for writing elsewhere")); }), 0);
    append_committed(writer, 1);
    const auto reader = Recording::open_read_only(path_);
    EXPECT_EQ(run_in_child([&] { EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 2U); }), 0);
}

TEST_F(OpeningTest, AKilledWriterLeavesNoLock) {
    Child child([&](const Child::Report& report) {
        append_committed(leak(Recording::create(path_, "c")), 2);
        report(1);
        hang();
    });
    ASSERT_EQ(child.next(), 1U);
    EXPECT_THAT(error_of([&] { (void)Recording::open(path_); }), HasSubstr("is open for writing elsewhere"));
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 2U);
    child.kill();
    child.wait();
    EXPECT_EQ(Recording::open(path_).last_sequence(), 2U);
}

TEST_F(OpeningTest, ItsFilesAreForTheirOwnerAlone) {
    auto recording = Recording::create(path_, "c");
    append_committed(recording, 1);
    ASSERT_THAT(names(),
                testing::UnorderedElementsAre("stream.fairstream", "stream.fairstream-wal", "stream.fairstream-shm"));
    for (const std::string& name : names()) {
        EXPECT_EQ(fs::status(directory_ / name).permissions(), fs::perms(0600)) << name;
    }
}

TEST_F(OpeningTest, ClosingLeavesOneFile) {
    make();
    EXPECT_THAT(names(), testing::ElementsAre("stream.fairstream"));
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 3U);
    EXPECT_THAT(names(), testing::ElementsAre("stream.fairstream"));
}

TEST_F(OpeningTest, AReaderLeavesTheLogOfAKilledWriterAlone) {
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::create(path_, "c")), 2); }), 0);
    const std::string file = fairstream::test::file_bytes(path_);
    const std::string log = fairstream::test::file_bytes(log_beside(path_));
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 2U);
    EXPECT_TRUE(fairstream::test::file_bytes(path_) == file);
    EXPECT_TRUE(fairstream::test::file_bytes(log_beside(path_)) == log);
}

TEST_F(OpeningTest, AnotherProgramMayMoveTheLogIntoTheFile) {
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::create(path_, "c")), 2); }), 0);
    execute("SELECT count(*) FROM events");
    ASSERT_FALSE(fs::exists(log_beside(path_)));
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 2U);
    execute("VACUUM");
    auto recording = Recording::open(path_);
    append_committed(recording, 1);
    EXPECT_EQ(checked_events(recording).size(), 3U);
}

TEST_F(OpeningTest, CreatingRefusesWhatIsThere) {
    make();
    const std::string before = fairstream::test::file_bytes(path_);
    EXPECT_THAT(error_of([&] { (void)Recording::create(path_, "d"); }), HasSubstr("exists already"));
    EXPECT_TRUE(fairstream::test::file_bytes(path_) == before);
    EXPECT_THAT(error_of([&] { (void)Recording::create(directory_.path(), "d"); }), HasSubstr("exists already"));
    EXPECT_THAT(error_of([&] { (void)Recording::create(directory_ / "none/x", "d"); }), HasSubstr("No such file"));
    fs::create_symlink(directory_ / "nowhere", directory_ / "link");
    EXPECT_THAT(error_of([&] { (void)Recording::create(directory_ / "link", "d"); }), HasSubstr("exists already"));
    EXPECT_EQ(names().size(), 2U);
}

TEST_F(OpeningTest, CreatingTakesThePlaceOfAnEmptyFile) {
    directory_.write("stream.fairstream", "");
    make();
    EXPECT_EQ(Recording::open(path_).last_sequence(), 3U);
    EXPECT_THAT(names(), testing::ElementsAre("stream.fairstream"));
}

TEST_F(OpeningTest, CreatingRefusesTheLogOfAnotherRecording) {
    directory_.write("stream.fairstream-wal", "x");
    EXPECT_THAT(error_of([&] { (void)Recording::create(path_, "d"); }), HasSubstr("stream.fairstream-wal"));
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(OpeningTest, ALinkOpensTheFileItLeadsTo) {
    make();
    fs::create_symlink(path_, directory_ / "link");
    auto writer = Recording::open(directory_ / "link");
    append_committed(writer, 1);
    EXPECT_THAT(error_of([&] { (void)Recording::open(path_); }), HasSubstr("is open for writing elsewhere"));
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 4U);
}

/// Runs `body` as a user to whom file permissions apply.
int run_without_privileges(const std::function<void()>& body) {
    return run_in_child([&] {
        if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) throw std::runtime_error("still root");
        body();
    });
}

TEST_F(OpeningTest, ReadOnlyDirectoriesAndFilesCanBeRead) {
    make();
    fs::permissions(path_, fs::perms(0444));
    fs::permissions(directory_.path(), fs::perms(0555));
    EXPECT_EQ(run_without_privileges([&] {
                  EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 3U);
                  EXPECT_THAT(error_of([&] { (void)Recording::open(path_); }), HasSubstr("may not be written to"));
              }),
              0);
    fs::permissions(directory_.path(), fs::perms(0755));
}

TEST_F(OpeningTest, AKilledWritersRecordingInAReadOnlyDirectoryCanBeRead) {
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::create(path_, "c")), 2); }), 0);
    for (const std::string& name : names()) fs::permissions(directory_ / name, fs::perms(0444));
    fs::permissions(directory_.path(), fs::perms(0555));
    EXPECT_EQ(run_without_privileges([&] { EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 2U); }), 0);
    fs::permissions(directory_.path(), fs::perms(0755));
}

TEST_F(OpeningTest, ALogInAReadOnlyDirectoryNeedsItsIndex) {
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::create(path_, "c")), 2); }), 0);
    fs::remove(path_.string() + "-shm");
    for (const std::string& name : names()) fs::permissions(directory_ / name, fs::perms(0444));
    fs::permissions(directory_.path(), fs::perms(0555));
    EXPECT_EQ(run_without_privileges([&] {
                  EXPECT_THAT(error_of([&] { (void)Recording::open_read_only(path_); }),
                              HasSubstr("copy both files to one that may be"));
              }),
              0);
    fs::permissions(directory_.path(), fs::perms(0755));
}

TEST_F(OpeningTest, AFileWithoutPermissionIsSaidToBeSo) {
    make();
    fs::permissions(path_, fs::perms(0));
    fs::permissions(directory_.path(), fs::perms(0755));
    EXPECT_EQ(run_without_privileges([&] {
                  EXPECT_THAT(error_of([&] { (void)Recording::open_read_only(path_); }),
                              HasSubstr("Permission denied"));
              }),
              0);
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
