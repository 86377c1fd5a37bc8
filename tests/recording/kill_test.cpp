/// A kill at any moment: committed data are there, uncommitted data are gone as a whole.

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

class KillTest : public testing::Test {
protected:
    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
};

/// Reports of the child: a commit up to this event begins, or is done.
constexpr std::uint64_t done = std::uint64_t{1} << 63;
constexpr std::uint64_t opened = ~std::uint64_t{0};
constexpr std::size_t killed_event_bytes = 8000;

TEST_F(KillTest, KeepsCommittedData) {
    constexpr int kills = 30;
    Random random(5);
    Recording::create(path_, "c").flush();
    Sequence last = 0;
    for (int i = 0; i < kills; ++i) {
        Child child([&](const Child::Report& report) {
            Recording& recording = leak(Recording::open(path_));
            report(opened);
            for (Sequence next = recording.last_sequence() + 1;; ++next) {
                append(recording, SomeEvent(next, killed_event_bytes));
                recording.refuse(some_refusal("z", {1, recording.refused_count() + 1}));
                if (next % 3 != 0) continue;
                report(next);
                recording.flush();
                report(next | done);
            }
        });
        Sequence announced = last;
        Sequence committed = last;
        const std::uint64_t reports = random() % 40;  // none: killed while it opens the file
        for (std::uint64_t r = 0; r < reports; ++r) {
            const auto report = child.next();
            ASSERT_TRUE(report);
            if (*report == opened) continue;
            ((*report & done) != 0 ? committed : announced) = *report & ~done;
        }
        child.kill();
        ASSERT_EQ(child.wait(), -1);
        while (const auto report = child.next()) {
            if (*report != opened) ((*report & done) != 0 ? committed : announced) = *report & ~done;
        }

        const auto recording = Recording::open_read_only(path_);
        last = recording.last_sequence();
        ASSERT_TRUE(last == committed || last == announced) << last << " " << committed << " " << announced;
        EXPECT_EQ(checked_events(recording, killed_event_bytes).size(), last);
        EXPECT_EQ(recording.refused_count(), last) << "in the same transaction";
        const auto marks = recording.producer_marks();
        ASSERT_EQ(marks.contains("z"), last > 0);
        if (last == 0) continue;
        EXPECT_EQ(marks.at("z"), (ProducerMark{1, last}));
        for (Sequence s = last; s + 3 > std::max<Sequence>(last, 3); --s) {
            EXPECT_EQ(marks.at(SomeEvent(s).producer), SomeEvent(s).mark);
        }
    }
    EXPECT_GT(last, 30U);
}

TEST_F(KillTest, WhileCreatingLeavesNothingOrAWholeRecording) {
    int complete = 0;
    for (int i = 0; i < 10; ++i) {
        Child child([&](const Child::Report& report) {
            report(1);
            (void)leak(Recording::create(path_, std::string(std::size_t{20} << 20, 'c')));
            report(2);
            hang();
        });
        for (int reports = 0; reports <= i % 2; ++reports) ASSERT_TRUE(child.next());
        child.kill();
        child.wait();
        if (fs::exists(path_)) {
            ++complete;
            EXPECT_EQ(Recording::open(path_).config().size(), std::size_t{20} << 20);
        } else {
            EXPECT_THAT(error_of_opening(path_), testing::HasSubstr("no such"));
            EXPECT_EQ(Recording::create(path_, "again").config(), "again");
        }
        fs::remove(path_);
    }
    EXPECT_GE(complete, 5);
}

// Events of 64 KiB. The log is moved into the file every 64 MiB, and waited for at 96 MiB.
constexpr Sequence more_than_a_log = 2000;
constexpr std::size_t large = 65536;

void append_in_sixteens(Recording& recording, Sequence events) {
    for (Sequence i = 0; i < events; i += 16) append_committed(recording, 16, large);
}

TEST_F(KillTest, FoldedLogIsComplete) {
    ASSERT_EQ(run_in_child([&] { append_in_sixteens(leak(Recording::create(path_, "c")), more_than_a_log); }), 0);
    EXPECT_GT(fs::file_size(path_), 800 * large);
    EXPECT_EQ(checked_events(Recording::open_read_only(path_), large).size(), more_than_a_log);
    EXPECT_EQ(checked_events(Recording::open(path_), large).size(), more_than_a_log);
    ASSERT_EQ(run_in_child([&] { append_in_sixteens(leak(Recording::open(path_)), 16); }), 0);
    fs::remove(log_beside(path_));
    EXPECT_THAT(error_of_opening(path_), testing::HasSubstr("missing"));
}

TEST_F(KillTest, OldReaderDoesNotStopWriter) {
    auto writer = Recording::create(path_, "c");
    append_in_sixteens(writer, 32);
    const auto reader = Recording::open_read_only(path_);
    Sequence seen = 0;
    reader.for_each_event(1, [&](const RecordedEvent& event) {
        seen = event.sequence;
        if (seen == 1) append_in_sixteens(writer, more_than_a_log);  // the log cannot be moved past the first event
        return true;
    });
    EXPECT_EQ(seen, 32 + more_than_a_log);
    append_in_sixteens(writer, more_than_a_log);
    EXPECT_LE(fs::file_size(log_beside(path_)), std::uintmax_t{128} << 20) << "it begins anew when the reader lets go";
    EXPECT_EQ(checked_events(writer, large).size(), 32 + 2 * more_than_a_log);
}

// Each commit writes one part of a checkpoint; the child stops after the requested number of them.
TEST_F(KillTest, NewestWholeCheckpointCounts) {
    constexpr std::size_t part = std::size_t{1} << 20;
    const ByteVector old_state = some_bytes(1, 2 * part);
    const ByteVector new_state = some_bytes(2, 4 * part + 1);
    {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, 10);
        for (const Sequence s : {3, 5}) {
            recording.begin_checkpoint({s, old_state, {{"t", {s, 1}}}});
            recording.finish_checkpoint();
        }
    }
    for (std::uint64_t parts = 0; parts <= 5; ++parts) {
        Child child([&](const Child::Report& report) {
            Recording& recording = leak(Recording::open(path_));
            recording.begin_checkpoint({7, new_state, {{"t", {7, 1}}}});
            for (std::uint64_t i = 0; i < parts; ++i) append_committed(recording, 1);
            report(parts);
            hang();
        });
        ASSERT_EQ(child.next(), parts);
        child.kill();
        child.wait();
        const auto recording = Recording::open(path_);
        const auto checkpoint = recording.newest_checkpoint();
        ASSERT_TRUE(checkpoint);
        EXPECT_EQ(checkpoint->sequence, parts < 5 ? 5U : 7U) << parts;
        EXPECT_TRUE(checkpoint->state == (parts < 5 ? old_state : new_state)) << parts;
        EXPECT_EQ(checkpoint->topics.at("t").number, parts < 5 ? 5U : 7U);
        EXPECT_FALSE(recording.checkpoint_pending());
    }
}

TEST_F(KillTest, UnfinishedCheckpointsDoNotPileUp) {
    constexpr std::size_t part = std::size_t{1} << 20;
    Recording::create(path_, "c").flush();
    std::uintmax_t size = 0;
    for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(run_in_child([&] {
                      Recording& recording = leak(Recording::open(path_));
                      recording.begin_checkpoint({0, some_bytes(1, 4 * part), {}});
                      for (int commits = 0; commits < 3; ++commits) recording.flush();
                  }),
                  0);
        { (void)Recording::open(path_); }
        if (i == 1) size = fs::file_size(path_);
    }
    EXPECT_EQ(fs::file_size(path_), size);
}

TEST(Checkpoints, ReplacedOnesMakeRoomForNewOnes) {
    constexpr std::size_t part = std::size_t{1} << 20;
    const TemporaryDirectory directory;
    const fs::path path = directory / "stream.fairstream";
    auto recording = Recording::create(path, "c");
    append_committed(recording, 1);
    std::uintmax_t size = 0;
    for (int i = 0; i < 12; ++i) {
        recording.begin_checkpoint({1, some_bytes(9, 8 * part), {}});
        recording.flush();
        recording.begin_checkpoint({1, some_bytes(static_cast<std::uint64_t>(i), 3 * part), {}});  // replaces it
        recording.finish_checkpoint();
        EXPECT_TRUE(recording.newest_checkpoint()->state == some_bytes(static_cast<std::uint64_t>(i), 3 * part));
        if (i == 5) {
            recording = Recording::create(directory / "other", "");
            size = fs::file_size(path);
            recording = Recording::open(path);
        }
    }
    recording = Recording::create(directory / "another", "");
    EXPECT_LE(fs::file_size(path), size + part);
}

TEST(Checkpoints, GoOutInPartsWithTheCommits) {
    const TemporaryDirectory directory;
    auto recording = Recording::create(directory / "stream.fairstream", "c");
    recording.begin_checkpoint({0, some_bytes(1, (std::size_t{1} << 20) + 1), {}});
    EXPECT_TRUE(recording.checkpoint_pending());
    recording.flush();
    EXPECT_TRUE(recording.checkpoint_pending());
    EXPECT_FALSE(recording.newest_checkpoint());
    append_committed(recording, 1);
    EXPECT_FALSE(recording.checkpoint_pending());
    EXPECT_TRUE(recording.newest_checkpoint());
    recording.finish_checkpoint();
    recording.begin_checkpoint({1, {}, {}});
    recording.flush();
    EXPECT_FALSE(recording.checkpoint_pending());
    EXPECT_EQ(recording.newest_checkpoint()->sequence, 1U);
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
