/// Forgotten producers: what remains of them, and for how long.

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

class ExpiryTest : public testing::Test {
protected:
    void reopen(const log::Settings& settings = {}) {
        recording_.reset();
        recording_.emplace(fs::exists(path_) ? Recording::open(path_, {settings})
                                             : Recording::create(path_, "c", {settings}));
    }
    void append(const std::string& producer, const ProducerMark& mark, std::string_view owner = {}) {
        recording_->append({recording_->last_sequence() + 1, producer, mark, some_bytes(1, 30), owner});
    }
    /// Appends the next event of the engine itself, which makes producers expire.
    void expire(const ProducerExpiry& expiry) {
        recording_->append({.sequence = recording_->last_sequence() + 1,
                            .producer = "engine",
                            .mark = {0, ++own_events_},
                            .message = some_bytes(1, 30),
                            .expiry = &expiry});
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    std::optional<Recording> recording_;
    std::uint64_t own_events_ = 0;
};

TEST_F(ExpiryTest, ForgetsProducersAndKeepsTheFloors) {
    reopen();
    append("a", {7, 1}, "key:one");
    append("b", {3, 1}, "key:one");
    recording_->refuse(some_refusal("b", {3, 2}));
    append("c", {1, 1});
    expire({.names = {"b", "c", "nobody"}, .floors = {{"key:one", 3}, {"", 1}}});
    recording_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(recording_->expiry(), (Expiry{.epoch = 1, .clients = {{"key:one", 3}}}));
        EXPECT_EQ(recording_->producers(),
                  (std::map<std::string, KnownProducer>{{"a", {{7, 1}, 1, "key:one"}}, {"engine", {{0, 1}, 4}}}));
        EXPECT_FALSE(recording_->find_refusal("b", {3, 2}));
        EXPECT_EQ(recording_->refusals().size(), 1U);
        reopen();
    }
    append("b", {4, 1}, "key:two");
    expire({.names = {"a"}, .floors = {{"key:one", 7}}});
    expire({.names = {"engine"}, .floors = {{"key:one", 2}, {"", 0}}});
    recording_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(recording_->expiry(), (Expiry{.epoch = 1, .clients = {{"key:one", 7}}})) << "floors never fall";
        EXPECT_EQ(recording_->producers(), (std::map<std::string, KnownProducer>{{"b", {{4, 1}, 5, "key:two"}}}));
        EXPECT_EQ(recording_->find_event("b", {4, 1}), 5U);
        reopen();
    }
}

TEST_F(ExpiryTest, RemovedProducerFloorsItsName) {
    reopen();
    append("a", {7, 1}, "key:one");
    expire({.names = {"a"}, .removed = true});
    recording_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(recording_->expiry(), (Expiry{.removed = {{"a", 7}}}));
        EXPECT_EQ(recording_->producers(), (std::map<std::string, KnownProducer>{{"engine", {{0, 1}, 2}}}));
        reopen();
    }
    append("a", {8, 1});
    recording_->flush();
    reopen();
    EXPECT_EQ(recording_->expiry(), Expiry{});
    EXPECT_EQ(recording_->producers().at("a"), (KnownProducer{{8, 1}, 3})) << "nobody's, as it is appended";
}

TEST_F(ExpiryTest, UncommittedExpiryIsForgotten) {
    reopen();
    append("a", {1, 1}, "key:one");
    append("b", {1, 1});
    recording_->flush();
    append("a", {1, 2}, "key:two");
    expire({.names = {"b"}, .floors = {{"key:one", 1}}});
    reopen();
    EXPECT_EQ(recording_->expiry(), Expiry{});
    EXPECT_EQ(recording_->producers().size(), 2U);
    EXPECT_EQ(recording_->producers().at("a").owner, "key:one");
}

TEST_F(ExpiryTest, RowsGoOnceNoKeptEventNeedsThem) {
    const log::Settings settings{.keep_events = 10};
    reopen(settings);
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> idle;
        for (int i = 0; i < 20; ++i) {
            idle.push_back("p" + std::to_string(20 * round + i));
            append(idle.back(), {1, 1}, "key:one");
            append("q", {1, static_cast<std::uint64_t>(20 * round + i + 1)});
        }
        const Sequence newest = recording_->last_sequence();
        expire({.names = idle, .floors = {{"key:one", 1}}});
        recording_->flush();
        recording_->begin_checkpoint({newest, some_bytes(2, 100), {}});
        recording_->finish_checkpoint();
        for (int i = 0; i < 3; ++i) recording_->flush();
        if (round % 10 == 5) reopen(settings);
    }
    const Sequence first = recording_->first_sequence();
    EXPECT_GT(first, 1000U);
    EXPECT_EQ(recording_->producers().size(), 2U);
    reopen(settings);
    EXPECT_EQ(recording_->expiry(), (Expiry{.clients = {{"key:one", 1}}}));
    EXPECT_EQ(recording_->producers().size(), 2U);
    recording_.reset();
    Database database(path_, Access::read);
    EXPECT_LE(database.number("SELECT count(*) FROM producers"), 100U);
    EXPECT_LE(database.number("SELECT count(*) FROM owners"), 100U);
}

TEST_F(ExpiryTest, ReaderBesideDeletingWriterIsComplete) {
    // Producers come, expire and go with their events, and checkpoints change, as fast as they can.
    constexpr Sequence events = 1500;
    Child writer([&](const Child::Report& report) {
        Settings settings{{.keep_events = 40}};
        settings.log_bytes = std::size_t{4} << 20;
        auto recording = Recording::create(path_, "c", settings);
        std::uint64_t numbers = 0;
        report(0);
        while (recording.last_sequence() < events) {
            std::vector<std::string> idle;
            for (int i = 0; i < 20; ++i) {
                const Sequence next = recording.last_sequence() + 1;
                recording.append({next, "p" + std::to_string(next), {1, 1}, some_bytes(next, 20'000)});
            }
            recording.refuse(some_refusal("p" + std::to_string(recording.last_sequence()), {1, 2}));
            const Sequence newest = recording.last_sequence();
            for (Sequence event = newest - std::min<Sequence>(newest, 40); event <= newest - 10; ++event)
                idle.push_back("p" + std::to_string(event));
            const ProducerExpiry expiry{.names = idle, .floors = {{"", 1}}};
            recording.append({.sequence = newest + 1,
                              .producer = "engine",
                              .mark = {0, ++numbers},
                              .message = some_bytes(1, 30),
                              .expiry = &expiry});
            recording.flush();
            recording.begin_checkpoint({newest, some_bytes(2, 5 << 20), {}});
            recording.finish_checkpoint();
        }
    });
    ASSERT_EQ(writer.next(), 0U);
    int readers = 0;
    for (Sequence last = 0; last < events; ++readers) {
        const Recording reader = Recording::open_read_only(path_);
        last = reader.last_sequence();
        Sequence read = 0;
        reader.for_each_event(
            1,
            [&](const RecordedEvent& event) {
                EXPECT_GT(event.sequence, read);
                read = event.sequence;
                return true;
            },
            OnDeletion::skip);
        EXPECT_GE(read, last);
    }
    EXPECT_GT(readers, 1);
    EXPECT_EQ(writer.wait(), 0);
}

/// A recording of the format before owners: producers without an event after a certain one have expired, for all
/// clients.
TEST_F(ExpiryTest, RecordingsOfOlderFormatsKeepTheirFloor) {
    reopen();
    append("a", {9, 1});
    append("b", {3, 1});
    append("engine", {0, 1});
    recording_->flush();
    recording_.reset();
    {
        Database database(path_, Access::write);
        database.execute(
            "BEGIN; DROP TABLE owners; DROP TABLE floors; DROP TABLE erasures; DROP TABLE update_digests; DROP TABLE "
            "builds; DROP TABLE "
            "growth; "
            "PRAGMA user_version = 2; COMMIT");
        const ProducerRow row{4, "", {9, 0}, 1};
        Statement(database, "INSERT INTO producers VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
            .run(row.id, row.name, row.mark.epoch, row.mark.producer_sequence, row.last_sequence, checksum(row));
        database.fold();
    }
    const Expiry expected{.through = 1, .epoch = 9};
    const std::map<std::string, KnownProducer> known{{"b", {{3, 1}, 2}}, {"engine", {{0, 1}, 3}}};
    {
        const Recording reading = Recording::open_read_only(path_);
        EXPECT_EQ(reading.expiry(), expected);
        EXPECT_EQ(reading.producers(), known);
    }
    for (int turn = 0; turn < 2; ++turn) {
        reopen();
        EXPECT_EQ(recording_->expiry(), expected);
        EXPECT_EQ(recording_->producers(), known);
    }
    own_events_ = 1;
    expire({.names = {"b"}, .floors = {{"", 3}}});
    recording_->flush();
    reopen();
    EXPECT_EQ(recording_->expiry(), expected);
    EXPECT_EQ(recording_->producers().size(), 1U);
}

TEST_F(ExpiryTest, DamagedOwnersAndFloorsAreRefused) {
    for (const char* const damage :
         {"UPDATE owners SET owner = 'key:two'", "UPDATE floors SET epoch = 4", "UPDATE owners SET producer = 'z'"}) {
        for (const fs::path& file : {path_, log_beside(path_)}) fs::remove(file);
        reopen();
        append("a", {7, 1}, "key:one");
        append("b", {3, 1}, "key:one");
        own_events_ = 0;
        expire({.names = {"b"}, .floors = {{"key:one", 3}}});
        recording_->flush();
        recording_.reset();
        {
            Database database(path_, Access::write);
            database.execute(std::string(damage) +
                             (std::string(damage).find("floors") == std::string::npos ? " WHERE producer = 'a'" : ""));
            database.fold();
        }
        EXPECT_THAT(error_of_opening(path_), testing::HasSubstr("checksum")) << damage;
    }
}

TEST_F(ExpiryTest, UnknownProducersKeepOnlyMessages) {
    reopen();
    Refusal refusal = some_refusal("new", {1, 1});
    refusal.kept_parts = KeptParts::message;
    recording_->refuse(refusal);
    recording_->flush();
    EXPECT_TRUE(recording_->producers().empty());
    EXPECT_FALSE(recording_->find_refusal("new", {1, 1}));
    EXPECT_EQ(recording_->refusals().size(), 1U);
    refusal.kept_parts = KeptParts::number;
    refusal.order = 1;
    recording_->refuse(refusal);
    append("new", {1, 2});
    recording_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(recording_->find_refusal("new", {1, 1})->text, refusal.text);
        EXPECT_EQ(recording_->refused_count(), 1U);
        EXPECT_EQ(recording_->refusals().size(), 1U);
        reopen();
    }
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
