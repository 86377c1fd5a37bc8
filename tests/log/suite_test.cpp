/// The promises of a log, for every implementation.

#include <functional>
#include <map>
#include <optional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/numeric/cpu_level.hpp>

#include "log/implementations.hpp"

namespace fairstream::log::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Gt;
using testing::IsEmpty;
using testing::SizeIs;

Reason reason_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InvalidInput& error) {
        return error.reason();
    }
    ADD_FAILURE() << "accepted";
    return {};
}

Refusal some_refusal(const std::string& producer, const ProducerMark& mark) {
    return {producer, mark, Reason::unknown_group, "refused " + producer, some_bytes(mark.producer_sequence, 90)};
}

template <class Implementation> class LogTest : public testing::Test {
protected:
    void begin(const Limits& limits = {}) { log_ = implementation_.create("the\nconfiguration", limits); }
    /// Continues as the next process: unflushed data are gone.
    void reopen() {
        log_.reset();
        log_ = implementation_.open();
    }
    void append(const std::string& producer, const ProducerMark& mark, std::string_view owner = {}) {
        const Sequence next = log_->last_sequence() + 1;
        log_->append({next, producer, mark, some_bytes(next, 30), owner});
    }
    /// Appends events of one producer, and flushes.
    void append_flushed(Sequence count) {
        for (Sequence i = 0; i < count; ++i) append("p", {1, log_->last_sequence() + 1});
        log_->flush();
    }
    void append_expiry(std::uint64_t number, const ProducerExpiry& expiry) {
        log_->append({.sequence = log_->last_sequence() + 1,
                      .producer = "engine",
                      .mark = {0, number},
                      .message = {},
                      .expiry = &expiry});
    }
    void put_checkpoint(Sequence sequence) {
        log_->begin_checkpoint({sequence, some_bytes(sequence, 100), {{"labels.a", {sequence, 7}}}});
        log_->finish_checkpoint();
    }
    [[nodiscard]] static std::vector<Sequence> sequences(const Log& log, Sequence first = 1) {
        std::vector<Sequence> read;
        log.for_each_event(first, [&](const RecordedEvent& event) {
            read.push_back(event.sequence);
            return true;
        });
        return read;
    }

    Implementation implementation_;
    std::unique_ptr<Log> log_;
};

struct NamesOfImplementations {
    template <class Implementation> static std::string GetName(int) {
        return std::is_same_v<Implementation, InFile> ? "Sqlite" : "Memory";
    }
};
using Implementations = testing::Types<InFile, InMemory>;
TYPED_TEST_SUITE(LogTest, Implementations, NamesOfImplementations);

TYPED_TEST(LogTest, IsEmptyAtFirst) {
    this->begin();
    const Log& log = *this->log_;
    EXPECT_EQ(log.config(), "the\nconfiguration");
    EXPECT_EQ(log.cpu_level(), cpu_level());
    EXPECT_FALSE(log.name().empty());
    EXPECT_EQ(log.first_sequence(), 0U);
    EXPECT_EQ(log.last_sequence(), 0U);
    EXPECT_EQ(log.running_hash(), 0U);
    EXPECT_EQ(log.unclean_end().events, 0U);
    EXPECT_FALSE(log.unclean_end().unreadable);
    EXPECT_FALSE(log.needs_times());
    EXPECT_THAT(this->sequences(log), IsEmpty());
    EXPECT_FALSE(log.newest_checkpoint());
    EXPECT_FALSE(log.checkpoint_pending());
    EXPECT_THAT(log.producers(), IsEmpty());
    EXPECT_EQ(log.expiry(), Expiry{});
    EXPECT_THAT(log.builds(), IsEmpty());
    EXPECT_EQ(log.refused_count(), 0U);
    EXPECT_FALSE(log.find_event("p", {1, 1}));
    EXPECT_FALSE(log.find_refusal("p", {1, 1}));
}

TYPED_TEST(LogTest, KeepsItsIdentity) {
    this->begin();
    const RecordingId id = this->log_->id();
    EXPECT_NE(TypeParam().create("c", {})->id(), id);
    this->reopen();
    EXPECT_EQ(this->log_->id(), id);
    EXPECT_EQ(this->log_->config(), "the\nconfiguration");
}

TYPED_TEST(LogTest, ReaderKnowsWhetherAWriterWasAtWork) {
    this->begin();
    EXPECT_FALSE(this->log_->had_writer());
    EXPECT_TRUE(this->implementation_.open_read_only()->had_writer());
    this->log_.reset();
    EXPECT_FALSE(this->implementation_.open_read_only()->had_writer());
}

TYPED_TEST(LogTest, GivesEventsBackInOrder) {
    this->begin();
    const auto decisions = some_bytes(5, 10);
    const auto message = some_bytes(6, 100'000);
    const std::string producer("p\0\xff", 3);
    this->append("a", {1, 1});
    this->log_->append({.sequence = 2,
                        .producer = producer,
                        .mark = {~std::uint64_t{0}, ~std::uint64_t{0}},
                        .message = message,
                        .decisions = decisions,
                        .update_digest = 17});
    EXPECT_EQ(this->log_->last_sequence(), 2U);
    this->log_->flush();
    const auto written = contents_of(*this->log_);
    EXPECT_EQ(contents_of(*this->implementation_.open_read_only()), written);
    this->reopen();
    EXPECT_EQ(contents_of(*this->log_), written);
    this->log_->for_each_event(2, [&](const RecordedEvent& event) {
        EXPECT_EQ(event.sequence, 2U);
        EXPECT_EQ(event.producer, producer);
        EXPECT_EQ(event.mark, (ProducerMark{~std::uint64_t{0}, ~std::uint64_t{0}}));
        EXPECT_EQ(event.message, message);
        EXPECT_EQ(event.decisions, decisions);
        EXPECT_EQ(event.update_digest, 17U);
        return true;
    });
    EXPECT_EQ(this->log_->find_event(producer, {~std::uint64_t{0}, ~std::uint64_t{0}}), 2U);
}

TYPED_TEST(LogTest, ReadsFromWhereAskedUntilTold) {
    this->begin();
    this->append_flushed(300);
    std::vector<Sequence> read;
    this->log_->for_each_event(150, [&](const RecordedEvent& event) {
        read.push_back(event.sequence);
        return event.sequence < 152;
    });
    EXPECT_THAT(read, ElementsAre(150, 151, 152));
    EXPECT_THAT(this->sequences(*this->log_), SizeIs(300));
    EXPECT_EQ(this->log_->storage().kept_bytes, 300 * 30U);
    EXPECT_THAT(this->sequences(*this->log_, 301), IsEmpty());
}

TYPED_TEST(LogTest, PositionsRise) {
    this->begin();
    for (std::uint64_t i = 1; i <= 10; ++i) {
        this->append("p", {1, 2 * i});
        this->log_->refuse(some_refusal("p", {1, 2 * i + 1}));
        this->log_->flush();
        if (i % 3 == 0) this->put_checkpoint(i);
    }
    std::optional<Position> before;
    this->log_->for_each_event(1, [&](const RecordedEvent& event) {
        EXPECT_TRUE(!before || event.position > *before) << event.sequence;
        before = event.position;
        return true;
    });
    EXPECT_TRUE(before);
}

TYPED_TEST(LogTest, LosesWhatWasNotFlushed) {
    this->begin();
    this->append("a", {1, 1}, "key:one");
    this->log_->flush();
    const auto flushed = contents_of(*this->log_);
    this->append("a", {1, 2}, "key:two");
    this->log_->refuse(some_refusal("b", {1, 1}));
    this->append_expiry(1, {.names = {"a"}, .floors = {{"key:one", 1}}});
    this->log_->begin_checkpoint({2, some_bytes(1, 10), {}});
    this->log_->mark_recovery(1);
    this->reopen();
    EXPECT_EQ(contents_of(*this->log_), flushed);
    EXPECT_FALSE(this->log_->checkpoint_pending());
    this->append("a", {1, 2});
    this->log_->flush();
    EXPECT_EQ(this->log_->last_sequence(), 2U);
}

TYPED_TEST(LogTest, RefusesWrongCallsAndChangesNothing) {
    this->begin();
    this->append("p", {1, 1});
    this->log_->flush();
    this->append("p", {2, 5});
    Log& log = *this->log_;
    EXPECT_EQ(reason_of([&] { log.append({2, "p", {3, 1}, {}}); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { log.append({4, "p", {3, 1}, {}}); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { log.append({3, "p", {2, 5}, {}}); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { log.append({3, "p", {1, 9}, {}}); }), Reason::stale_epoch);
    EXPECT_EQ(reason_of([&] { log.append({3, "", {3, 1}, {}}); }), Reason::malformed);
    EXPECT_EQ(reason_of([&] { log.refuse(some_refusal("p", {2, 4})); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { log.begin_checkpoint({3, {}, {}}); }), Reason::bad_state);
    EXPECT_EQ(reason_of([&] { log.begin_after({9, {}, {}}); }), Reason::bad_state);
    log.flush();
    EXPECT_THAT(this->sequences(log), ElementsAre(1, 2));
    EXPECT_EQ(log.refused_count(), 0U);
    this->put_checkpoint(2);
    EXPECT_EQ(reason_of([&] { log.begin_checkpoint({1, {}, {}}); }), Reason::bad_state);
}

TYPED_TEST(LogTest, ReadersSeeLaterFlushesAndCannotWrite) {
    this->begin();
    this->append_flushed(2);
    const auto reader = this->implementation_.open_read_only();
    this->append("p", {1, 3});
    EXPECT_EQ(reader->last_sequence(), 2U);
    this->log_->flush();
    EXPECT_EQ(reader->last_sequence(), 3U);
    EXPECT_THAT(this->sequences(*reader), ElementsAre(1, 2, 3));
    EXPECT_EQ(reader->running_hash(), this->log_->running_hash());
    EXPECT_THROW(reader->append({4, "p", {1, 4}, {}}), RecordingError);
    EXPECT_THROW(reader->flush(), RecordingError);
    EXPECT_THROW(reader->refuse(some_refusal("p", {1, 4})), RecordingError);
}

TYPED_TEST(LogTest, ReplacedWriterFailsForGood) {
    this->begin();
    this->append_flushed(1);
    EXPECT_NO_THROW(this->log_->require_claim());
    this->append("p", {1, 2});
    this->implementation_.replace_writer();
    EXPECT_THROW(this->log_->flush(), RecordingError);
    EXPECT_THROW(this->log_->require_claim(), RecordingError);
    EXPECT_THROW(this->append("p", {1, 3}), RecordingError);
    EXPECT_THROW(this->log_->flush(), RecordingError);
}

// -- running hashes and builds

TYPED_TEST(LogTest, RunningHashIsThatOfTheEvents) {
    this->begin();
    std::vector<std::uint64_t> expected{0};
    for (Sequence i = 1; i <= 6; ++i) {
        const auto decisions = some_bytes(i, i % 3);
        const auto message = some_bytes(i, 20);
        this->log_->append(
            {.sequence = i, .producer = "p", .mark = {1, i}, .message = message, .decisions = decisions});
        expected.push_back(running_hash_after(expected.back(), i, "p", {1, i}, message, decisions));
        EXPECT_EQ(this->log_->running_hash(), expected.back()) << "before the flush";
    }
    this->log_->flush();
    this->put_checkpoint(4);
    EXPECT_EQ(this->log_->newest_checkpoint()->running_hash, expected[4]);
    this->reopen();
    EXPECT_EQ(this->log_->running_hash(), expected[6]);
    const RecentHashes recent = this->log_->take_recent_hashes();
    for (Sequence i = 1; i <= 6; ++i) EXPECT_EQ(recent.after(i), expected[i]) << i;
    EXPECT_EQ(this->log_->take_recent_hashes().after(6), 0U);
}

TYPED_TEST(LogTest, NamesTheBuildsOfUpdateDigests) {
    this->begin();
    this->append("p", {1, 1});
    for (Sequence i = 2; i <= 3; ++i)
        this->log_->append({.sequence = i, .producer = "p", .mark = {1, i}, .message = {}, .update_digest = i});
    this->log_->flush();
    this->log_->mark_recovery(3);
    this->log_->mark_recovery(3);
    this->log_->flush();
    this->reopen();
    const std::vector<Build> builds = this->log_->builds();
    ASSERT_THAT(builds, SizeIs(2));
    EXPECT_EQ(builds[0], (Build{2, builds[0].version, std::string(cpu_level()), 0}));
    EXPECT_EQ(builds[1], (Build{4, builds[0].version, std::string(cpu_level()), 3}));
    EXPECT_EQ(build_of_event(builds, 1), nullptr);
    EXPECT_EQ(build_of_event(builds, 3), &builds[0]);
    EXPECT_EQ(build_of_event(builds, 4), &builds[1]);
}

// -- checkpoints

TYPED_TEST(LogTest, KeepsTwoCheckpoints) {
    this->begin();
    this->append_flushed(9);
    for (const Sequence s : {3, 6, 9}) {
        this->put_checkpoint(s);
        EXPECT_EQ(this->log_->newest_checkpoint()->sequence, s);
    }
    for (int turn = 0; turn < 2; ++turn) {
        const auto newest = this->log_->newest_checkpoint(), oldest = this->log_->oldest_checkpoint();
        ASSERT_TRUE(newest && oldest);
        EXPECT_EQ(oldest->sequence, 6U);
        EXPECT_EQ(newest->sequence, 9U);
        EXPECT_EQ(newest->state, some_bytes(9, 100));
        EXPECT_EQ(newest->topics, (std::map<std::string, TopicMark>{{"labels.a", {9, 7}}}));
        this->reopen();
    }
}

TYPED_TEST(LogTest, TheOnlyCheckpointIsTheOldestToo) {
    this->begin();
    this->append_flushed(1);
    this->put_checkpoint(1);
    EXPECT_EQ(this->log_->oldest_checkpoint()->sequence, 1U);
}

TYPED_TEST(LogTest, ACheckpointIsValidOnceItIsFinished) {
    this->begin();
    this->append_flushed(5);
    this->log_->begin_checkpoint({3, some_bytes(3, std::size_t{3} << 20), {}});
    EXPECT_TRUE(this->log_->checkpoint_pending());
    EXPECT_FALSE(this->log_->newest_checkpoint());
    this->log_->begin_checkpoint({4, some_bytes(4, std::size_t{3} << 20), {}});
    this->log_->finish_checkpoint();
    EXPECT_FALSE(this->log_->checkpoint_pending());
    EXPECT_EQ(this->log_->newest_checkpoint()->sequence, 4U) << "the second took the first one's place";
    EXPECT_EQ(this->log_->newest_checkpoint()->state, some_bytes(4, std::size_t{3} << 20));
    EXPECT_EQ(this->log_->oldest_checkpoint()->sequence, 4U);
}

// -- producers

TYPED_TEST(LogTest, KnowsWhoseProducersAreAndHowFar) {
    this->begin();
    this->append("a", {7, 1}, "key:one");
    this->append("b", {1, 1});
    this->append("a", {7, 2});
    this->append("b", {1, 2}, "key:two");
    this->log_->refuse(some_refusal("b", {1, 3}));
    this->log_->refuse(some_refusal("only", {1, 1}));
    this->log_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(this->log_->producers(),
                  (std::map<std::string, KnownProducer>{
                      {"a", {{7, 2}, 3, "key:one"}}, {"b", {{1, 3}, 4, "key:two"}}, {"only", {{1, 1}, 0}}}));
        this->reopen();
    }
}

TYPED_TEST(LogTest, ForgetsExpiredProducersAndKeepsFloors) {
    this->begin();
    this->append("a", {7, 1}, "key:one");
    this->append("b", {3, 1}, "key:one");
    this->log_->refuse(some_refusal("b", {3, 2}));
    this->append_expiry(1, {.names = {"b", "nobody"}, .floors = {{"key:one", 3}, {"", 1}}});
    this->append_expiry(2, {.names = {}, .floors = {{"key:one", 2}, {"", 0}}});
    this->log_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(this->log_->expiry(), (Expiry{.epoch = 1, .clients = {{"key:one", 3}}})) << "floors never fall";
        EXPECT_EQ(this->log_->producers(),
                  (std::map<std::string, KnownProducer>{{"a", {{7, 1}, 1, "key:one"}}, {"engine", {{0, 2}, 4}}}));
        EXPECT_FALSE(this->log_->find_refusal("b", {3, 2}));
        EXPECT_THAT(this->log_->refusals(), SizeIs(1)) << "of the newest ones it stays";
        this->reopen();
    }
    this->append("b", {4, 1}, "key:two");
    this->log_->flush();
    this->reopen();
    EXPECT_EQ(this->log_->producers().at("b"), (KnownProducer{{4, 1}, 5, "key:two"}));
    EXPECT_EQ(this->log_->find_event("b", {4, 1}), 5U);
}

TYPED_TEST(LogTest, RemovedProducerFloorsItsName) {
    this->begin();
    this->append("a", {7, 1}, "key:one");
    this->append_expiry(1, {.names = {"a"}, .removed = true});
    this->log_->flush();
    this->reopen();
    EXPECT_EQ(this->log_->expiry(), (Expiry{.removed = {{"a", 7}}}));
    EXPECT_FALSE(this->log_->producers().contains("a"));
    this->append("a", {8, 1});
    this->log_->flush();
    this->reopen();
    EXPECT_EQ(this->log_->expiry(), Expiry{});
    EXPECT_EQ(this->log_->producers().at("a"), (KnownProducer{{8, 1}, 3})) << "nobody's, as it is appended";
}

// -- refusals

TYPED_TEST(LogTest, AnswersRefusedNumbersAgain) {
    this->begin({.refused_rows = 2, .refused_bytes = 10});
    EXPECT_EQ(this->log_->refused_bytes(), 10U);
    Refusal long_one = some_refusal("p", {1, 1});
    long_one.text = std::string(5000, 'x');
    long_one.text.replace(4095, 2, "\xc3\xa9");  // a letter of two bytes across the bound
    this->log_->refuse(long_one);
    for (std::uint64_t i = 2; i <= 4; ++i) this->log_->refuse(some_refusal("p", {1, i}));
    this->log_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(this->log_->refused_count(), 4U);
        const std::vector<Refusal> kept = this->log_->refusals();
        ASSERT_THAT(kept, SizeIs(2));
        EXPECT_EQ(kept[0].mark, (ProducerMark{1, 3}));
        EXPECT_EQ(kept[1].message, [] {
            auto bytes = some_bytes(4, 90);
            bytes.resize(10);
            return bytes;
        }());
        ASSERT_TRUE(this->log_->find_refusal("p", {1, 1}));
        EXPECT_EQ(this->log_->find_refusal("p", {1, 1})->text, std::string(4095, 'x'));
        EXPECT_EQ(this->log_->find_refusal("p", {1, 2})->reason, Reason::unknown_group);
        EXPECT_THAT(this->log_->find_refusal("p", {1, 4})->message, IsEmpty());
        EXPECT_FALSE(this->log_->find_refusal("p", {1, 5}));
        EXPECT_FALSE(this->log_->find_event("p", {1, 1}));
        this->reopen();
    }
}

TYPED_TEST(LogTest, BoundsTheRefusalsOfEachProducer) {
    this->begin({.refused_rows = 0});
    constexpr std::uint64_t count = 6000;
    this->log_->refuse(some_refusal("quiet", {1, 1}));
    for (std::uint64_t i = 1; i <= count; ++i) this->log_->refuse(some_refusal("loud", {1, i}));
    this->log_->flush();
    EXPECT_THAT(this->log_->refusals(), IsEmpty());
    EXPECT_TRUE(this->log_->find_refusal("quiet", {1, 1}));
    EXPECT_TRUE(this->log_->find_refusal("loud", {1, count - known_refusals + 1}));
    EXPECT_FALSE(this->log_->find_refusal("loud", {1, 1}));
}

TYPED_TEST(LogTest, UsesNumbersUpOnlyForFinalRefusals) {
    this->begin();
    for (const Reason reason : {Reason::sequence_gap, Reason::stale_epoch})
        this->log_->refuse({"p", {7, 7}, reason, "out of order", {}});
    this->log_->refuse({"p", {}, Reason::malformed, "no number", {}});
    this->log_->refuse({"", {}, Reason::malformed, "no name", {}});
    Refusal unknown = some_refusal("new", {1, 1});
    unknown.kept_parts = KeptParts::message;
    this->log_->refuse(unknown);
    this->log_->flush();
    EXPECT_EQ(this->log_->refused_count(), 5U);
    EXPECT_THAT(this->log_->producers(), IsEmpty());
    EXPECT_FALSE(this->log_->find_refusal("new", {1, 1}));
    unknown.kept_parts = KeptParts::number;
    unknown.order = 5;
    this->log_->refuse(unknown);
    this->append("new", {1, 2});
    this->log_->flush();
    this->reopen();
    EXPECT_TRUE(this->log_->find_refusal("new", {1, 1}));
    EXPECT_EQ(this->log_->refused_count(), 5U) << "was counted then";
    EXPECT_THAT(this->log_->refusals(), SizeIs(5));
}

// -- events that are deleted

TYPED_TEST(LogTest, KeepsWhatTheOlderCheckpointNeeds) {
    this->begin({.keep_events = 5});
    this->append_flushed(400);
    this->put_checkpoint(300);
    this->append_flushed(1);
    EXPECT_EQ(this->log_->first_sequence(), 1U) << "with one checkpoint the beginning is the other";
    this->put_checkpoint(350);
    for (int i = 0; i < 20; ++i) this->append_flushed(1);
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(this->log_->first_sequence(), 296U);
        EXPECT_EQ(this->sequences(*this->log_).front(), 296U);
        EXPECT_EQ(this->log_->last_sequence(), 421U);
        EXPECT_EQ(this->log_->storage().first_sequence, 296U);
        EXPECT_FALSE(this->log_->find_event("p", {1, 295}));
        EXPECT_EQ(this->log_->find_event("p", {1, 296}), 296U);
        this->reopen();
    }
}

TYPED_TEST(LogTest, ReaderReportsDeletedEvents) {
    for (const OnDeletion on_deletion : {OnDeletion::fail, OnDeletion::skip}) {
        this->log_.reset();
        TypeParam implementation;
        const auto log = implementation.create("c", {.keep_events = 1});
        const auto append = [&](Sequence count) {
            for (Sequence i = 0; i < count; ++i) {
                const Sequence next = log->last_sequence() + 1;
                log->append({next, "p", {1, next}, {}});
            }
            log->flush();
        };
        append(300);
        const auto reader = implementation.open_read_only();
        std::vector<Sequence> read;
        const auto read_all = [&] {
            reader->for_each_event(
                1,
                [&](const RecordedEvent& event) {
                    read.push_back(event.sequence);
                    if (event.sequence != 10) return true;
                    for (const Sequence s : {290, 295}) {
                        log->begin_checkpoint({s, {}, {}});
                        log->finish_checkpoint();
                    }
                    while (log->first_sequence() < 290) append(1);
                    return true;
                },
                on_deletion);
        };
        if (on_deletion == OnDeletion::fail) {
            EXPECT_THROW(read_all(), RecordingError);
        } else {
            read_all();
            EXPECT_EQ(read.back(), log->last_sequence());
            EXPECT_TRUE(std::ranges::find(read, 290) != read.end());
        }
        EXPECT_TRUE(std::ranges::find(read, 280) == read.end());
    }
}

// -- logs made from others

TYPED_TEST(LogTest, TakesOverWhatIsNoEvent) {
    this->begin();
    this->append("a", {7, 1}, "key:one");
    this->append("b", {3, 1}, "key:one");
    this->log_->refuse(some_refusal("b", {3, 2}));
    this->log_->refuse(some_refusal("c", {1, 1}));
    this->append_expiry(1, {.names = {"a"}, .floors = {{"key:one", 7}, {"", 2}}});
    this->log_->flush();
    TypeParam other;
    const auto made = other.create(this->log_->config(), {});
    made->begin_after({2, some_bytes(1, 10), {}});
    EXPECT_EQ(made->last_sequence(), 2U);
    made->finish_checkpoint();
    EXPECT_EQ(made->newest_checkpoint()->sequence, 2U);
    made->append({3, "engine", {0, 1}, {}});
    made->complete_copy(*this->log_, [](Refusal& refusal) { refusal.text = "another text"; },
                        {this->log_->id(), 12, 1'700'000'000'000'000});
    made->flush();
    EXPECT_EQ(made->producers(), this->log_->producers());
    EXPECT_EQ(made->expiry(), this->log_->expiry());
    EXPECT_EQ(made->refused_count(), 2U);
    ASSERT_THAT(made->refusals(), SizeIs(2));
    EXPECT_EQ(made->refusals()[0].text, "another text");
    EXPECT_EQ(made->find_refusal("b", {3, 2})->text, "another text");
    EXPECT_THAT(made->erasures(), ElementsAre(Erasure{this->log_->id(), 12, 1'700'000'000'000'000}));
    EXPECT_EQ(made->first_sequence(), 3U);
    EXPECT_NE(made->running_hash(), this->log_->running_hash());
}

TEST(LogOfAnotherKind, IsNotTakenOver) {
    InMemory memory;
    InFile file;
    const auto in_memory = memory.create("c", {}), in_file = file.create("c", {});
    const auto nothing = [](Refusal&) {};
    EXPECT_EQ(reason_of([&] { in_memory->complete_copy(*in_file, nothing, {}); }), Reason::bad_state);
    EXPECT_EQ(reason_of([&] { in_file->complete_copy(*in_memory, nothing, {}); }), Reason::bad_state);
}

/// One stream of random calls for both implementations.
class Twins {
public:
    explicit Twins(std::uint64_t seed) : random_(seed) {
        const Limits limits{.refused_rows = 5, .refused_bytes = 100, .keep_events = 20};
        logs_ = {file_.create("c", limits), memory_.create("c", limits)};
    }

    void act() {
        const std::uint64_t dice = below(100);
        if (dice < 55)
            append();
        else if (dice < 65)
            refuse();
        else if (dice < 85)
            flush();
        else if (dice < 92)
            checkpoint();
        else if (dice < 95)
            reopen();
    }
    /// Flushes until everything deletable is deleted; the speed depends on the implementation.
    void settle() {
        for (int i = 0; i < 10; ++i) {
            append();
            flush();
        }
    }
    void compare() const {
        const auto in_file = contents_of(*logs_[0]), in_memory = contents_of(*logs_[1]);
        const auto [one, other] = std::ranges::mismatch(in_file, in_memory);
        EXPECT_TRUE(in_file == in_memory) << (one == in_file.end() ? "nothing" : *one) << "\nand in memory\n"
                                          << (other == in_memory.end() ? "nothing" : *other);
    }

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    void both(const std::function<void(Log&)>& action) const {
        for (const auto& log : logs_) action(*log);
    }
    std::string a_producer() { return "p" + std::to_string(below(6)); }
    ProducerMark next_mark(const std::string& producer) {
        ProducerMark& mark = marks_[producer];
        if (below(20) == 0) mark = {mark.epoch + 1, 0};
        ++mark.producer_sequence;
        return mark;
    }

    void append() {
        const std::string producer = a_producer(), owner = below(3) == 0 ? "key:" + std::to_string(below(2)) : "";
        const auto message = some_bytes(random_(), below(300)), decisions = some_bytes(random_(), below(3) * 5);
        ProducerExpiry expiry;
        if (below(10) == 0) {
            expiry = {.names = {a_producer()}, .floors = {}, .removed = below(2) == 0};
            if (!expiry.removed) expiry.floors.push_back({"key:" + std::to_string(below(2)), below(5)});
        }
        NewEvent event{.sequence = ++last_,
                       .producer = producer,
                       .mark = next_mark(producer),
                       .message = message,
                       .owner = owner,
                       .decisions = decisions,
                       .expiry = expiry.names.empty() ? nullptr : &expiry};
        if (below(2) == 0) event.update_digest = random_();
        both([&](Log& log) { log.append(event); });
    }
    void refuse() {
        Refusal refusal{below(4) == 0 ? "" : a_producer(), {}, Reason::bad_feature, "no", some_bytes(random_(), 150)};
        if (!refusal.producer.empty()) refusal.mark = next_mark(refusal.producer);
        both([&](Log& log) { log.refuse(refusal); });
    }
    void flush() {
        both([](Log& log) { log.flush(); });
        flushed_ = last_;
        flushed_marks_ = marks_;
    }
    void checkpoint() {
        both([&](Log& log) {
            log.begin_checkpoint({last_, some_bytes(last_, 50), {{"t", {last_, 1}}}});
            log.finish_checkpoint();
        });
        flush();
    }
    void reopen() {
        logs_ = {};
        logs_ = {file_.open(), memory_.open()};
        last_ = flushed_;
        marks_ = flushed_marks_;
    }

    std::mt19937_64 random_;
    InFile file_;
    InMemory memory_;
    std::array<std::unique_ptr<Log>, 2> logs_;
    Sequence last_ = 0, flushed_ = 0;
    std::map<std::string, ProducerMark> marks_, flushed_marks_;
};

TEST(Logs, HaveTheSameContentsUnderRandomUse) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(seed);
        Twins twins(seed);
        for (int i = 0; i < 300; ++i) {
            twins.act();
            if (i % 30 != 0) continue;
            twins.settle();
            twins.compare();
            if (testing::Test::HasFailure()) return;
        }
    }
}

}  // namespace
}  // namespace fairstream::log::test
