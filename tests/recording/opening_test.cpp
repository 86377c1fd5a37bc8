/// Opening and creating: what is accepted, what is refused, and the errors.

#include <fcntl.h>
#include <sqlite3.h>

#include <array>

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

TEST_F(OpeningTest, ForeignFileIsReported) {
    EXPECT_THAT(error_of_opening(path_), ::testing::HasSubstr("no such"));
    EXPECT_THAT(error_of_opening(directory_.path()), ::testing::HasSubstr("directory"));
    EXPECT_THAT(error_of_opening(directory_ / "no directory/x"), ::testing::HasSubstr("no such"));
    EXPECT_THAT(error_of_opening(directory_.write("empty", "")), HasSubstr("is empty"));
    EXPECT_THAT(error_of_opening(directory_.write("text", std::string(5000, 'x'))), ::testing::HasSubstr("not a"));
    EXPECT_THAT(error_of_opening(directory_.write("short", "SQLite")), ::testing::HasSubstr("not a"));
    EXPECT_THAT(error_of_opening(directory_.write("magic", std::string("SQLite format 3\0", 16))),
                ::testing::HasSubstr("cut short"));
    const ByteVector random = some_bytes(1, 200000);
    EXPECT_THAT(
        error_of_opening(directory_.write("random", {reinterpret_cast<const char*>(random.data()), random.size()})),
        ::testing::HasSubstr("not a"));
    ASSERT_EQ(mkfifo((directory_ / "fifo").c_str(), 0600), 0);
    EXPECT_THAT(error_of_opening(directory_ / "fifo"), ::testing::HasSubstr("regular file"));
}

TEST_F(OpeningTest, AnotherSqliteDatabaseIsRefused) {
    execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)");
    EXPECT_THAT(error_of_opening(path_), ::testing::HasSubstr("SQLite"));
}

TEST_F(OpeningTest, ANewerFormatIsRefused) {
    make();
    execute("PRAGMA user_version = 4");
    EXPECT_THAT(error_of_opening(path_), Names({"newer", " 4"}));
}

TEST_F(OpeningTest, OtherTablesAreRefused) {
    make();
    execute("CREATE TABLE extra(x)");
    EXPECT_THAT(error_of_opening(path_), ::testing::HasSubstr("extra"));
    execute("DROP TABLE extra; DROP INDEX refusals_by_mark");
    EXPECT_THAT(error_of_opening(path_), ::testing::HasSubstr("lacks refusals_by_mark"));
    execute("CREATE INDEX refusals_by_mark ON refusals(producer)");
    EXPECT_THAT(error_of_opening(path_), Names({"refusals_by_mark", "another"}));
}

TEST_F(OpeningTest, AForeignJournalIsRefused) {
    make();
    directory_.write("stream.fairstream-journal", "x");
    EXPECT_THAT(error_of_opening(path_), HasSubstr("journal of another program"));
}

TEST_F(OpeningTest, RowsThatWereChangedOrRemovedAreNamed) {
    // What is done to the file, and the place and the fault that are named.
    const std::vector<std::array<const char*, 3>> changes = {
        {"UPDATE events SET message = x'00' WHERE sequence = 2", "table events, row 2", "checksum"},
        {"UPDATE events SET epoch = 9 WHERE sequence = 1", "table events, row 1", "checksum"},
        {"UPDATE events SET sequence = 9 WHERE sequence = 3", "table events, row 3", "missing"},
        {"DELETE FROM events WHERE sequence = 2", "table events, row 2", "missing"},
        {"DELETE FROM events WHERE sequence = 1", "table events, row 1", "missing"},
        {"DELETE FROM events WHERE sequence = 5", "newest event", "2, not 5"},
        {"DELETE FROM events", "newest event", "0, not"},
        {"DELETE FROM producers WHERE id = 1", "table producers, row 1", "missing"},
        {"DELETE FROM producers WHERE id = 4", "producers", "lacks"},
        {"UPDATE producers SET epoch = 7 WHERE id = 2", "table producers, row 2", "checksum"},
        {"UPDATE meta SET config = 'd'", "table meta, row 1", "checksum"},
        {"DELETE FROM meta", "table meta", "empty"},
        {"UPDATE state SET refused = 0", "table state, row 1", "checksum"},
        {"DELETE FROM state", "table state", "empty"},
        {"DELETE FROM refused_messages WHERE number = 2", "table refused_messages, row 2", "missing"},
        {"UPDATE refused_messages SET text = '' WHERE number = 1", "table refused_messages, row 1", "checksum"},
        {"UPDATE refusals SET reason = 4", "table refusals, row 1", "checksum"},
        {"DELETE FROM refusals WHERE number = 2", "newest event", "epoch"},
        {"DELETE FROM checkpoints WHERE id = 2", "table checkpoints, row 2", "missing"},
        {"UPDATE checkpoints SET topics = x'' WHERE id = 2", "table checkpoints, row 2", "checksum"},
        {"DELETE FROM checkpoint_parts WHERE checkpoint = 1 AND part = 1", "1 parts", "1048576 bytes"},
        {"UPDATE checkpoint_parts SET bytes = x'00' WHERE checkpoint = 2", "part 0 of checkpoint 2", "match"},
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
    for (const auto& [sql, place, fault] : changes) {
        execute(sql);
        EXPECT_THAT(error_of_opening(path_), Names({place, fault})) << sql;
        directory_.write("stream.fairstream", sound);
    }
    EXPECT_EQ(Recording::open(path_).last_sequence(), 5U);
}

TEST_F(OpeningTest, SecondWriterIsRefused) {
    auto writer = Recording::create(path_, "c");
    append_committed(writer, 1);
    const auto open = [&] { (void)Recording::open(path_); };
    EXPECT_THAT(error_of(open), ::testing::HasSubstr("elsewhere"));
    EXPECT_EQ(run_in_child([&] { EXPECT_THAT(error_of(open), ::testing::HasSubstr("elsewhere")); }), 0);
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
    EXPECT_THAT(error_of([&] { (void)Recording::open(path_); }), ::testing::HasSubstr("elsewhere"));
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

TEST_F(OpeningTest, ReaderLeavesKilledWritersLog) {
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::create(path_, "c")), 2); }), 0);
    const std::string file = fairstream::test::file_bytes(path_);
    const std::string log = fairstream::test::file_bytes(log_beside(path_));
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 2U);
    EXPECT_TRUE(fairstream::test::file_bytes(path_) == file);
    EXPECT_TRUE(fairstream::test::file_bytes(log_beside(path_)) == log);
}

TEST_F(OpeningTest, LogMayBeFoldedByOthers) {
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
    EXPECT_THAT(error_of([&] { (void)Recording::create(directory_ / "none/x", "d"); }),
                ::testing::HasSubstr("No such"));
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
    EXPECT_THAT(error_of([&] { (void)Recording::open(path_); }), ::testing::HasSubstr("elsewhere"));
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
                  EXPECT_THAT(error_of([&] { (void)Recording::open(path_); }), ::testing::HasSubstr("written"));
              }),
              0);
    fs::permissions(directory_.path(), fs::perms(0755));
}

TEST_F(OpeningTest, KilledWritersFileIsReadableReadOnly) {
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::create(path_, "c")), 2); }), 0);
    for (const std::string& name : names()) fs::permissions(directory_ / name, fs::perms(0444));
    fs::permissions(directory_.path(), fs::perms(0555));
    EXPECT_EQ(run_without_privileges([&] { EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 2U); }), 0);
    fs::permissions(directory_.path(), fs::perms(0755));
}

TEST_F(OpeningTest, ReadOnlyLogNeedsIndex) {
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::create(path_, "c")), 2); }), 0);
    fs::remove(path_.string() + "-shm");
    for (const std::string& name : names()) fs::permissions(directory_ / name, fs::perms(0444));
    fs::permissions(directory_.path(), fs::perms(0555));
    EXPECT_EQ(run_without_privileges([&] {
                  EXPECT_THAT(error_of([&] { (void)Recording::open_read_only(path_); }),
                              ::testing::HasSubstr("both files"));
              }),
              0);
    fs::permissions(directory_.path(), fs::perms(0755));
}

TEST_F(OpeningTest, MissingPermissionIsReported) {
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
