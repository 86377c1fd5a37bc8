/// Events kept by time and by bytes, and the reported storage.

#include "recording/support.hpp"

#include <fairstream/log/sqlite/detail/database.hpp>

namespace fairstream::log::sqlite {
namespace {

using namespace test;

constexpr std::int64_t minute = 60'000'000, hour = 60 * minute, day = 24 * hour;
constexpr std::int64_t start = 1'700'000'000'000'000;  // some time
constexpr Sequence checkpoint_every = 10;

class KeptEvents : public testing::Test {
protected:
    void open(const log::Settings& settings) {
        recording_.reset();
        recording_.emplace(fs::exists(path_) ? Recording::open(path_, {settings})
                                             : Recording::create(path_, "c", {settings}));
    }
    /// Appends events of about `bytes` bytes, `apart` from each other in time, with a checkpoint after every tenth.
    void append(Sequence count, std::int64_t apart, std::size_t bytes = 300) {
        for (Sequence i = 0; i < count; ++i) {
            const SomeEvent event(recording_->last_sequence() + 1, bytes);
            recording_->append({.sequence = event.sequence,
                                .producer = event.producer,
                                .mark = event.mark,
                                .message = event.message,
                                .time = now_ += apart,
                                .update_digest = event.sequence});
            times_[event.sequence] = now_;
            sizes_[event.sequence] = event.message.size();
            recording_->flush();
            if (event.sequence % checkpoint_every != 0) continue;
            recording_->begin_checkpoint({event.sequence, {}, {}});
            recording_->finish_checkpoint();
        }
    }
    [[nodiscard]] std::uint64_t kept_bytes(std::size_t bytes = 300) const {
        std::uint64_t sum = 0;
        for (const Sequence event : checked_events(*recording_, bytes)) sum += sizes_.at(event);
        return sum;
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    std::optional<Recording> recording_;
    std::int64_t now_ = start;
    std::map<Sequence, std::int64_t> times_;
    std::map<Sequence, std::size_t> sizes_;
};

TEST_F(KeptEvents, ByTimeDeletesWhatIsOlder) {
    open({.keep_for = hour});
    append(500, minute / 2);
    const Sequence first = checked_events(*recording_).front();
    EXPECT_EQ(recording_->first_sequence(), first);
    EXPECT_GE(now_ - times_[first - 1], hour) << "was deleted too early";
    EXPECT_LE(now_ - times_[first], hour + 2 * minute) << "was kept too long";
    EXPECT_EQ(recording_->storage().first_sequence, first);
}

TEST_F(KeptEvents, AgeLimitSurvivesRestartsAndClock) {
    open({.keep_for = hour});
    append(60, minute);
    now_ -= 10 * day;  // the clock is set back; events do not become older by that
    append(20, minute);
    open({.keep_for = hour});
    EXPECT_EQ(recording_->first_sequence(), 1U);
    now_ += 10 * day;
    append(40, minute);
    const Sequence first = recording_->first_sequence();
    EXPECT_GT(first, 1U);
    EXPECT_LE(first, recording_->oldest_checkpoint()->sequence + 1);
    EXPECT_EQ(recording_->last_sequence(), 120U);
}

TEST_F(KeptEvents, WithoutTimesDeletesNothingByTime) {
    open({.keep_for = hour});
    append_committed(*recording_, 50);
    for (const Sequence s : {20, 40}) {
        recording_->begin_checkpoint({s, {}, {}});
        recording_->finish_checkpoint();
    }
    append_committed(*recording_, 50);
    EXPECT_EQ(recording_->first_sequence(), 1U);
}

TEST_F(KeptEvents, ByBytesKeepsTheNewest) {
    constexpr std::size_t size = 100'000;
    constexpr std::uint64_t most = 20U << 20, step = 4U << 20;
    open({.keep_bytes = most});
    append(400, 1, size);
    EXPECT_LE(kept_bytes(size), most + size);
    EXPECT_GE(kept_bytes(size), most - step - 2 * size);
    EXPECT_NEAR(static_cast<double>(recording_->storage().kept_bytes), static_cast<double>(kept_bytes(size)), step);
    open({.keep_bytes = most / 2});
    append(50, 1, size);
    EXPECT_LE(kept_bytes(size), most / 2 + size);
}

TEST_F(KeptEvents, KeepsWhatTheOlderCheckpointNeeds) {
    open({.keep_for = 1, .keep_bytes = 1});
    append(95, 10 * minute);
    EXPECT_EQ(recording_->oldest_checkpoint()->sequence, 80U);
    EXPECT_EQ(recording_->first_sequence(), 81U);
    std::size_t digests = 0;
    recording_->for_each_event(1, [&](const RecordedEvent& event) {
        digests += event.update_digest == event.sequence;
        return true;
    });
    EXPECT_EQ(digests, 15U);
    open({});  // verifies that the digests of deleted events are gone
}

TEST_F(KeptEvents, OldFileCountsFromOpening) {
    open({});
    append(50, minute);
    recording_.reset();
    Database(path_, Access::write)
        .execute("BEGIN; DROP TABLE update_digests; DROP TABLE builds; DROP TABLE growth; COMMIT");
    EXPECT_EQ(Recording::open_read_only(path_).builds().size(), 0U);
    now_ += 10 * day;
    open({.keep_for = hour});
    append(30, minute);
    EXPECT_EQ(recording_->first_sequence(), 1U) << "nobody knows how old they are";
    append(60, minute);
    EXPECT_GT(recording_->first_sequence(), 50U);
}

TEST_F(KeptEvents, GrowthIsThatOfTheLastDay) {
    open({});
    append(59, minute);
    EXPECT_EQ(recording_->storage().bytes_a_day, std::nullopt);
    append(2, minute);
    ASSERT_TRUE(recording_->storage().bytes_a_day);
    EXPECT_NEAR(static_cast<double>(*recording_->storage().bytes_a_day), 24 * 60 * 303.0, 24 * 60 * 10.0);
    append(200, hour);
    open({});
    append(1, hour);
    EXPECT_NEAR(static_cast<double>(*recording_->storage().bytes_a_day), 24 * 303.0, 2 * 303.0);
    EXPECT_GT(recording_->storage().file_bytes + recording_->storage().log_bytes, 0U);
}

}  // namespace
}  // namespace fairstream::log::sqlite
