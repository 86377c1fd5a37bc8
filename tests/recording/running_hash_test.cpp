/// The running hash of the events: equal for equal events, and only for these.

#include <sqlite3.h>

#include <set>

#include <fairstream/log/sqlite/detail/rows.hpp>

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

class RunningHashTest : public testing::Test {
protected:
    /// Runs SQL on the file as another program would.
    void execute(const std::string& sql) const {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database);
        sqlite3_close(database);
    }
    void make_older_format() const {
        execute(
            "DROP TABLE running_hashes; DROP TABLE owners; DROP TABLE floors; DROP TABLE update_digests; DROP TABLE "
            "erasures; "
            "DROP TABLE builds; DROP TABLE growth; PRAGMA user_version = 1");
    }
    void keep_row(const RunningHashRow& row) const {
        execute("INSERT OR REPLACE INTO running_hashes VALUES(" + std::to_string(row.id) + ", " +
                std::to_string(row.sequence) + ", " + std::to_string(static_cast<std::int64_t>(row.hash)) + ", " +
                std::to_string(static_cast<std::int64_t>(checksum(row))) + ")");
    }
    /// Returns the running hash after each event of a recording with the first `events` events.
    [[nodiscard]] std::vector<std::uint64_t> hashes(Sequence events) const {
        auto recording = Recording::create(directory_ / "reference", "c");
        std::vector<std::uint64_t> hashes{recording.running_hash().value()};
        while (recording.last_sequence() < events) {
            append(recording, SomeEvent(recording.last_sequence() + 1));
            hashes.push_back(recording.running_hash().value());
        }
        return hashes;
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
};

TEST_F(RunningHashTest, IsThatOfTheEventsWhoeverReadsThem) {
    const std::vector<std::uint64_t> expected = hashes(9);
    EXPECT_EQ(std::set(expected.begin(), expected.end()).size(), 10U);
    {
        auto recording = Recording::create(path_, "another configuration");
        append_committed(recording, 5);
        EXPECT_EQ(recording.running_hash(), expected[5]);
        const auto reader = Recording::open_read_only(path_);
        EXPECT_EQ(reader.running_hash(), expected[5]);
        append_committed(recording, 2);
        EXPECT_EQ(reader.running_hash(), expected[7]);
        append(recording, SomeEvent(8));
        EXPECT_EQ(recording.running_hash(), expected[8]) << "of an event that was not committed";
    }
    auto recording = Recording::open(path_);
    EXPECT_EQ(recording.running_hash(), expected[7]);
    append_committed(recording, 2);
    EXPECT_EQ(recording.running_hash(), expected[9]);
}

TEST_F(RunningHashTest, CoversDecisions) {
    const auto hash_with = [&](const char* file, Bytes decisions) {
        auto recording = Recording::create(directory_ / file, "c");
        append_committed(recording, 1);
        append(recording, SomeEvent(2), decisions);
        const auto hash = recording.running_hash();
        recording.flush();
        EXPECT_EQ(Recording::open_read_only(directory_ / file).running_hash(), hash);
        return hash;
    };
    const auto with = hash_with("with", some_bytes(1, 10));
    EXPECT_NE(hash_with("without", {}), with);
    EXPECT_NE(hash_with("other", some_bytes(2, 10)), with);
    EXPECT_EQ(hash_with("again", some_bytes(1, 10)), with);
}

TEST_F(RunningHashTest, IsKeptWithEachCheckpoint) {
    const std::vector<std::uint64_t> expected = hashes(12);
    auto recording = Recording::create(path_, "c");
    append_committed(recording, 8);
    for (const Sequence s : {3, 7, 8}) {  // of earlier events than the newest one too
        recording.begin_checkpoint({s, some_bytes(s, 100), {}});
        recording.flush();
        EXPECT_EQ(recording.newest_checkpoint()->running_hash, expected[s]) << s;
        EXPECT_EQ(Recording::open_read_only(path_).newest_checkpoint()->running_hash, expected[s]) << s;
    }
    append(recording, SomeEvent(9), some_bytes(1, 10));
    recording.begin_checkpoint({9, {}, {}});
    recording.flush();
    EXPECT_EQ(recording.newest_checkpoint()->running_hash, recording.running_hash()) << "of an event with decisions";
}

TEST_F(RunningHashTest, OutlivesTheEventsThatAreDeleted) {
    const std::vector<std::uint64_t> expected = hashes(40);
    Settings settings;
    settings.keep_events = 2;
    for (Sequence events = 8; events <= 40; events += 8) {
        auto recording = events == 8 ? Recording::create(path_, "c", settings) : Recording::open(path_, settings);
        for (int half = 0; half < 2; ++half) {
            append_committed(recording, 4);
            recording.begin_checkpoint({recording.last_sequence(), {}, {}});
            recording.finish_checkpoint();
        }
        append_committed(recording, 0);
        EXPECT_EQ(recording.running_hash(), expected[events]);
    }
    const auto recording = Recording::open(path_, settings);
    EXPECT_GT(recording.first_sequence(), 20U);
    EXPECT_EQ(recording.running_hash(), expected[40]);
}

TEST_F(RunningHashTest, OfOtherEventsThanWereRecordedIsRefused) {
    {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, 5);
    }
    const auto hash = Recording::open_read_only(path_).running_hash().value();
    keep_row({1, 5, hash});
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), 5U);
    keep_row({1, 5, hash + 1});
    EXPECT_THAT(error_of_opening(path_), Names({"table running_hashes, row 1:", "up to 5"}));
    keep_row({1, 6, hash});
    EXPECT_THAT(error_of_opening(path_), Names({"row 1:", "event 6", "event is 5"}));
    execute("UPDATE running_hashes SET sequence = 4 WHERE id = 1");
    EXPECT_THAT(error_of_opening(path_), Names({"table running_hashes, row 1:", "checksum"}));
}

TEST_F(RunningHashTest, DetectsLostEnd) {
    ASSERT_EQ(run_in_child([&] {
                  Recording& recording = leak(Recording::create(path_, "c"));
                  append_committed(recording, 2);
                  fs::copy_file(log_beside(path_), directory_ / "early");
                  append_committed(recording, 2);
              }),
              0);
    const auto whole = Recording::open_read_only(path_).running_hash();
    EXPECT_EQ(whole, hashes(4)[4]);
    EXPECT_EQ(Recording::open_read_only(path_).unclean_end().events, 4U);
    fs::resize_file(log_beside(path_), fs::file_size(directory_ / "early"));
    auto recording = Recording::open(path_);
    EXPECT_EQ(recording.last_sequence(), 2U) << "a valid recording, only a shorter one";
    EXPECT_EQ(recording.unclean_end().events, 2U);
    append(recording, SomeEvent(3));
    append(recording, SomeEvent(4, 301));
    EXPECT_NE(recording.running_hash(), whole) << "though it has as many events again";
}

TEST_F(RunningHashTest, UncleanEventsOfUnclosedLogOnly) {
    {
        auto recording = Recording::create(path_, "c");
        EXPECT_EQ(recording.unclean_end().events, 0U);
        append_committed(recording, 3);
        EXPECT_EQ(Recording::open_read_only(path_).unclean_end().events, 0U) << "beside a writer at work";
    }
    EXPECT_EQ(Recording::open_read_only(path_).unclean_end().events, 0U);
    ASSERT_EQ(run_in_child([&] { append_committed(leak(Recording::open(path_)), 2); }), 0);
    EXPECT_EQ(Recording::open_read_only(path_).unclean_end().events, 2U) << "the first three are in the file";
    EXPECT_EQ(Recording::open(path_).unclean_end().events, 2U);
    EXPECT_EQ(Recording::open(path_).unclean_end().events, 0U);
}

TEST_F(RunningHashTest, OldFormatIsComputed) {
    {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, 5);
        recording.begin_checkpoint({5, {}, {}});
        recording.finish_checkpoint();
    }
    make_older_format();
    const std::vector<std::uint64_t> expected = hashes(7);
    const auto old = Recording::open_read_only(path_);
    EXPECT_EQ(old.running_hash(), expected[5]);
    EXPECT_FALSE(old.newest_checkpoint()->running_hash);
    {
        auto recording = Recording::open(path_);
        append_committed(recording, 2);
        EXPECT_EQ(recording.running_hash(), expected[7]);
        recording.begin_checkpoint({6, {}, {}});
        recording.finish_checkpoint();
        EXPECT_EQ(recording.newest_checkpoint()->running_hash, expected[6]);
        EXPECT_EQ(old.last_sequence(), 7U) << "a reader that is there meanwhile goes on";
    }
    EXPECT_EQ(Recording::open(path_).newest_checkpoint()->running_hash, expected[6]);
}

TEST_F(RunningHashTest, OldFormatWithoutStartHasNone) {
    Settings settings;
    settings.keep_events = 1;
    {
        auto recording = Recording::create(path_, "c", settings);
        for (int i = 0; i < 4; ++i) {
            append_committed(recording, 4);
            recording.begin_checkpoint({recording.last_sequence(), {}, {}});
            recording.finish_checkpoint();
        }
    }
    make_older_format();
    EXPECT_GT(Recording::open_read_only(path_).first_sequence(), 1U);
    EXPECT_FALSE(Recording::open_read_only(path_).running_hash());
    for (int lives = 0; lives < 2; ++lives) {
        auto recording = Recording::open(path_, settings);
        append_committed(recording, 4);
        recording.begin_checkpoint({recording.last_sequence(), {}, {}});
        recording.finish_checkpoint();
        EXPECT_FALSE(recording.running_hash());
        EXPECT_FALSE(recording.newest_checkpoint()->running_hash);
    }
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
