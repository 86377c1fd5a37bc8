/// Written data are read back: agreement with a simple model under random use, and the rules of each call.

#include <algorithm>
#include <optional>

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The expected contents of a recording.
struct Model {
    std::vector<RecordedEvent> events;
    std::vector<Refusal> refusals;
    std::map<std::string, ProducerMark> marks;
};

/// A recording and its model, used at random.
class World {
public:
    explicit World(std::uint64_t seed)
        : random_(seed), recording_(Recording::create(path_, "the\nconfiguration", settings_)) {}

    void act() {
        const std::uint64_t dice = below(100);
        if (dice < 55) {
            append();
        } else if (dice < 65) {
            refuse();
        } else if (dice < 85) {
            commit();
        } else if (dice < 90) {
            begin_checkpoint();
        } else if (dice < 92) {
            recording_.finish_checkpoint();
            if (pending_) settle(pending_steps_);
        } else if (dice < 96) {
            reopen();
        }
    }

    void compare() {
        EXPECT_EQ(recording_.last_sequence(), now_.events.size());
        EXPECT_EQ(recording_.refused_count(), now_.refusals.size());
        EXPECT_EQ(recording_.producer_marks(), committed_.marks);
        EXPECT_EQ(recording_.checkpoint_pending(), pending_.has_value());
        compare_events();
        compare_refusals();
        const auto newest = recording_.newest_checkpoint();
        ASSERT_EQ(newest.has_value(), checkpoint_.has_value());
        if (newest) {
            EXPECT_EQ(newest->sequence, checkpoint_->sequence);
            EXPECT_TRUE(newest->state == checkpoint_->state);
            EXPECT_EQ(newest->topics, checkpoint_->topics);
        }
    }

    /// Closes the recording, and compares what a reader and a writer then see.
    void reopen() {
        recording_ = Recording::create(directory_ / ("other" + std::to_string(++others_)), "");
        now_ = committed_;
        pending_.reset();
        const auto read = contents_of(Recording::open_read_only(path_));
        recording_ = Recording::open(path_, settings_);
        EXPECT_TRUE(contents_of(recording_) == read);
        EXPECT_EQ(recording_.config(), "the\nconfiguration");
    }

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    std::string a_producer() { return std::string("p\0\xff", 3) + std::to_string(below(4)); }
    ProducerMark next_mark(const std::string& producer) {
        ProducerMark mark = now_.marks[producer];
        if (below(20) == 0) mark = {mark.epoch + 1 + below(std::uint64_t{1} << 60), 0};
        return {mark.epoch, mark.producer_sequence + 1};
    }

    void append() {
        RecordedEvent event{now_.events.size() + 1, a_producer(), {}, some_bytes(random_(), a_size()), {}};
        event.mark = next_mark(event.producer);
        if (below(10) == 0) event.decisions = some_bytes(random_(), below(200));
        recording_.append({.sequence = event.sequence,
                           .producer = event.producer,
                           .mark = event.mark,
                           .message = event.message,
                           .decisions = event.decisions});
        now_.marks[event.producer] = event.mark;
        now_.events.push_back(std::move(event));
    }
    std::size_t a_size() { return below(10) == 0 ? below(300000) : below(2) == 0 ? below(3000) : 65536; }

    void refuse() {
        Refusal refusal{below(3) == 0 ? "" : a_producer(),
                        {},
                        Reason::bad_feature,
                        "no\n" + std::to_string(below(9)),
                        some_bytes(random_(), below(2 * settings_.refused_bytes))};
        if (!refusal.producer.empty()) refusal.mark = next_mark(refusal.producer);
        recording_.refuse(refusal);
        if (!refusal.producer.empty()) now_.marks[refusal.producer] = refusal.mark;
        now_.refusals.push_back(std::move(refusal));
    }

    void begin_checkpoint() {
        const Sequence oldest = checkpoint_ ? checkpoint_->sequence : 0;
        pending_ = Checkpoint{oldest + below(now_.events.size() + 1 - oldest),
                              some_bytes(random_(), below(4) == 0 ? 0 : below(3 << 20)),
                              {{"labels.a", {below(100), random_()}}, {"", {7, 0}}}};
        pending_steps_ = std::max<std::uint64_t>(1, (pending_->state.size() + (1 << 20) - 1) >> 20);
        recording_.begin_checkpoint(*pending_);
    }

    void commit() {
        recording_.flush();
        settle(1);
    }
    void settle(std::uint64_t commits) {
        committed_ = now_;
        if (!pending_) return;
        pending_steps_ -= commits;
        if (pending_steps_ > 0) return;
        checkpoint_ = std::move(pending_);
        pending_.reset();
    }

    void compare_events() const {
        std::size_t at = 0;
        recording_.for_each_event(1, [&](const RecordedEvent& read) {
            const RecordedEvent& event = now_.events.at(at++);
            EXPECT_TRUE(read.sequence == event.sequence && read.producer == event.producer && read.mark == event.mark &&
                        read.message == event.message && read.decisions == event.decisions);
            EXPECT_EQ(recording_.find_event(event.producer, event.mark), event.sequence);
            EXPECT_FALSE(recording_.find_refusal(event.producer, event.mark));
            return true;
        });
        EXPECT_EQ(at, now_.events.size());
    }

    void compare_refusals() const {
        const auto read = recording_.refusals();
        ASSERT_EQ(read.size(), std::min(now_.refusals.size(), settings_.refused_rows));
        for (std::size_t i = 0; i < now_.refusals.size(); ++i) {
            const Refusal& refusal = now_.refusals[i];
            const auto found = recording_.find_refusal(refusal.producer, refusal.mark);
            ASSERT_EQ(found.has_value(), !refusal.producer.empty());
            if (found) {
                EXPECT_EQ(found->text, refusal.text);
                EXPECT_EQ(found->reason, refusal.reason);
                EXPECT_EQ(recording_.find_event(refusal.producer, refusal.mark), std::nullopt);
            }
            if (i + read.size() < now_.refusals.size()) continue;
            const Refusal& kept = read[i + read.size() - now_.refusals.size()];
            EXPECT_EQ(kept.text, refusal.text);
            EXPECT_EQ(kept.mark, refusal.mark);
            EXPECT_TRUE(std::ranges::equal(
                kept.message,
                std::span(refusal.message).first(std::min(refusal.message.size(), settings_.refused_bytes))));
        }
    }

    Random random_;
    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    Settings settings_{{.refused_rows = 5, .refused_bytes = 1000}};
    Recording recording_;
    Model now_;
    Model committed_;
    std::optional<Checkpoint> checkpoint_;
    std::optional<Checkpoint> pending_;
    std::uint64_t pending_steps_ = 0;
    int others_ = 0;
};

TEST(RecordingContents, MatchModelUnderRandomUse) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(seed);
        World world(seed);
        for (int i = 0; i < 250; ++i) {
            world.act();
            if (i % 25 == 0) world.compare();
            if (testing::Test::HasFailure()) return;
        }
        world.reopen();
        world.compare();
    }
}

class ContentsTest : public testing::Test {
protected:
    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
};

TEST_F(ContentsTest, ANewRecordingIsEmpty) {
    const auto recording = Recording::create(path_, "configuration");
    EXPECT_EQ(recording.config(), "configuration");
    EXPECT_EQ(recording.first_sequence(), 0U);
    EXPECT_EQ(recording.last_sequence(), 0U);
    EXPECT_EQ(recording.refused_count(), 0U);
    EXPECT_THAT(recording.producer_marks(), IsEmpty());
    EXPECT_THAT(recording.refusals(), IsEmpty());
    EXPECT_FALSE(recording.newest_checkpoint());
    EXPECT_FALSE(recording.find_event("a", {1, 1}));
    EXPECT_FALSE(recording.find_refusal("a", {1, 1}));
    EXPECT_FALSE(recording.cpu_level().empty());
    recording.for_each_event(1, [](const RecordedEvent&) -> bool { throw std::logic_error("an event"); });
}

TEST_F(ContentsTest, IdsOfRecordingsDiffer) {
    EXPECT_NE(Recording::create(path_, "c").id(), Recording::create(directory_ / "other", "c").id());
}

TEST_F(ContentsTest, UncommittedDataAreGone) {
    {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, 3);
        append(recording, SomeEvent(4));
        recording.refuse(some_refusal("z", {1, 1}));
        EXPECT_EQ(recording.last_sequence(), 4U);
    }
    const auto recording = Recording::open(path_);
    EXPECT_EQ(recording.last_sequence(), 3U);
    EXPECT_EQ(recording.refused_count(), 0U);
    EXPECT_FALSE(recording.producer_marks().contains("z"));
}

TEST_F(ContentsTest, ReadingBeginsWhereAskedAndEndsWhenTold) {
    auto recording = Recording::create(path_, "c");
    append_committed(recording, 200);
    std::vector<Sequence> seen;
    recording.for_each_event(150, [&](const RecordedEvent& event) {
        seen.push_back(event.sequence);
        return event.sequence < 152;
    });
    EXPECT_THAT(seen, ElementsAre(150, 151, 152));
    EXPECT_EQ(checked_events(recording).size(), 200U);
    recording.for_each_event(201, [](const RecordedEvent&) -> bool { throw std::logic_error("an event"); });
}

TEST_F(ContentsTest, MistakesOfTheCallerChangeNothing) {
    auto recording = Recording::create(path_, "c");
    append_committed(recording, 4);  // the newest of "b" is 4
    const auto before = contents_of(recording);
    const ByteVector message(10);
    const auto reason_of = [](const std::function<void()>& action) {
        try {
            action();
        } catch (const InvalidInput& error) {
            return error.reason();
        }
        ADD_FAILURE() << "accepted";
        return Reason::malformed;
    };
    EXPECT_EQ(reason_of([&] { recording.append({6, "b", {9, 1}, message}); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { recording.append({4, "b", {9, 1}, message}); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { recording.append({5, "b", {1, 4}, message}); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { recording.append({5, "b", {0, 9}, message}); }), Reason::stale_epoch);
    EXPECT_EQ(reason_of([&] { recording.append({5, "", {9, 1}, message}); }), Reason::malformed);
    EXPECT_EQ(reason_of([&] { recording.refuse(some_refusal("b", {1, 4})); }), Reason::sequence_gap);
    EXPECT_EQ(reason_of([&] { recording.begin_checkpoint({5, {}, {}}); }), Reason::bad_state);
    recording.begin_checkpoint({3, {}, {}});
    recording.finish_checkpoint();
    EXPECT_EQ(reason_of([&] { recording.begin_checkpoint({2, {}, {}}); }), Reason::bad_state);
    recording.flush();
    EXPECT_EQ(contents_of(recording).size(), before.size() + 1);
    append_committed(recording, 1);
    EXPECT_EQ(recording.last_sequence(), 5U);
}

TEST_F(ContentsTest, EventsAreFoundFarApartAndAfterDeletions) {
    Settings settings{{.keep_events = 20}};
    auto recording = Recording::create(path_, "c", settings);
    recording.append({1, "rare", {1, 1}, {}});
    for (Sequence s = 2; s <= 1000; ++s) {
        recording.append({s, s % 333 == 0 ? "rare" : "often", {1, s}, {}});
        if (s % 10 == 0) recording.flush();
        if (s % 200 == 0) recording.begin_checkpoint({s, {}, {}});
    }
    const Sequence first = recording.first_sequence();
    EXPECT_GT(first, 500U);
    for (Sequence s = 2; s <= 1000; ++s) {
        const auto found = recording.find_event(s % 333 == 0 ? "rare" : "often", {1, s});
        EXPECT_EQ(found, s >= first ? std::optional(s) : std::nullopt) << s;
    }
    EXPECT_EQ(recording.find_event("rare", {1, 998}), std::nullopt);
    EXPECT_EQ(recording.find_event("rare", {2, 999}), std::nullopt);
}

TEST_F(ContentsTest, DeletionKeepsWhatTheOlderCheckpointNeeds) {
    auto recording = Recording::create(path_, "c", {{.keep_events = 5}});
    append_committed(recording, 400);
    recording.begin_checkpoint({300, {}, {}});
    recording.finish_checkpoint();
    append_committed(recording, 10);
    EXPECT_EQ(recording.first_sequence(), 1U) << "with one checkpoint the beginning is the other";
    recording.begin_checkpoint({350, {}, {}});
    recording.finish_checkpoint();
    for (int i = 0; i < 20; ++i) append_committed(recording, 1);
    EXPECT_EQ(recording.first_sequence(), 296U);
    recording = Recording::create(directory_ / "other", "");
    recording = Recording::open(path_, {{.keep_events = 5}});
    EXPECT_EQ(recording.first_sequence(), 296U);
    EXPECT_EQ(checked_events(recording).front(), 296U);
    EXPECT_EQ(recording.last_sequence(), 430U);
}

TEST_F(ContentsTest, EverythingIsKeptUnlessAskedOtherwise) {
    auto recording = Recording::create(path_, "c");
    append_committed(recording, 100);
    for (const Sequence s : {20, 60, 90}) {
        recording.begin_checkpoint({s, {}, {}});
        recording.finish_checkpoint();
    }
    append_committed(recording, 1);
    EXPECT_EQ(recording.first_sequence(), 1U);
}

TEST_F(ContentsTest, ReaderSeesCommittedData) {
    auto writer = Recording::create(path_, "c");
    append_committed(writer, 2);
    const auto reader = Recording::open_read_only(path_);
    EXPECT_EQ(reader.last_sequence(), 2U);
    append(writer, SomeEvent(3));
    writer.refuse(some_refusal("z", {1, 1}));
    EXPECT_EQ(reader.last_sequence(), 2U);
    writer.flush();
    writer.begin_checkpoint({3, some_bytes(1, 100), {{"t", {1, 2}}}});
    writer.finish_checkpoint();
    EXPECT_TRUE(contents_of(reader) == contents_of(writer));
    EXPECT_EQ(reader.find_event("a", {1, 3}), 3U);
}

TEST_F(ContentsTest, WritingContinuesBesideReader) {
    auto writer = Recording::create(path_, "c");
    append_committed(writer, 100, 20000);
    const auto reader = Recording::open_read_only(path_);
    Sequence last = 0;
    reader.for_each_event(1, [&](const RecordedEvent& event) {
        last = event.sequence;
        if (event.sequence <= 100) append_committed(writer, 1, 20000);
        return true;
    });
    EXPECT_EQ(last, 200U);
}

TEST_F(ContentsTest, ReaderReportsDeletedEvent) {
    auto writer = Recording::create(path_, "c", {{.keep_events = 1}});
    append_committed(writer, 300);
    const auto reader = Recording::open_read_only(path_);
    const auto delete_most = [&] {
        for (const Sequence s : {290, 295}) {
            writer.begin_checkpoint({s, {}, {}});
            writer.finish_checkpoint();
        }
        while (writer.first_sequence() < 280) append_committed(writer, 1);
    };
    const std::string error = error_of([&] {
        reader.for_each_event(1, [&](const RecordedEvent& event) {
            if (event.sequence == 10) delete_most();
            return true;
        });
    });
    EXPECT_THAT(error, ::testing::HasSubstr("deleted"));
}

TEST_F(ContentsTest, AReaderCannotWrite) {
    (void)Recording::create(path_, "c");
    auto reader = Recording::open_read_only(path_);
    EXPECT_THAT(error_of([&] { append(reader, SomeEvent(1)); }), ::testing::HasSubstr("reading only"));
    EXPECT_THAT(error_of([&] { reader.flush(); }), ::testing::HasSubstr("reading only"));
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
