/// A damaged recording is refused when it is opened, or reads as before; it never reads as something else.

#include <algorithm>
#include <set>

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using fairstream::test::file_bytes;
using testing::HasSubstr;

class DamageTest : public testing::Test {
protected:
    DamageTest() {
        auto recording = Recording::create(path_, std::string(200, 'c'));
        for (Sequence event = 1; event < 8; ++event) append(recording, SomeEvent(event, 100));
        append(recording, SomeEvent(8, 100), some_bytes(3, 40));
        append(recording, SomeEvent(9, 70000));  // continues on a page of its own
        for (std::uint64_t i = 1; i <= 4; ++i) recording.refuse(some_refusal("z", {1, i}));
        for (const Sequence s : {4, 8}) {
            recording.begin_checkpoint({s, some_bytes(s, 400), {{"labels.a", {s, 5}}, {"fairness.a", {2, 6}}}});
            recording.finish_checkpoint();
        }
        before_ = contents_of(recording);
    }
    /// Returns whether it was refused.
    bool check_refused_or_same() {
        try {
            const auto recording = Recording::open_read_only(path_);
            EXPECT_TRUE(contents_of(recording) == before_);
            return false;
        } catch (const RecordingError&) {
            return true;
        }
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    std::vector<std::string> before_;
};

// Returns every byte of the headers of the file and its pages, and of each page many used bytes and a few unused ones.
std::set<std::uint64_t> bytes_to_flip(const std::string& file, Random& random) {
    std::set<std::uint64_t> bytes;
    for (std::uint64_t i = 0; i < 100; ++i) bytes.insert(i);
    for (std::uint64_t at = 0; at < file.size(); at += page) {
        for (std::uint64_t i = 0; i < 16; ++i) bytes.insert(at + i);
        std::vector<std::uint64_t> used;
        for (std::uint64_t i = at; i < at + page; ++i) {
            if (file[i] != 0) used.push_back(i);
        }
        for (int i = 0; i < 500 && !used.empty(); ++i) bytes.insert(used[random() % used.size()]);
        for (int i = 0; i < 5; ++i) bytes.insert(at + random() % page);
    }
    return bytes;
}

TEST_F(DamageTest, AFlippedBitIsRefusedOrHarmless) {
    Random random(7);
    int refused = 0;
    int harmless = 0;
    for (const std::uint64_t byte : bytes_to_flip(file_bytes(path_), random)) {
        const auto bit = static_cast<unsigned>(random() % 8);
        SCOPED_TRACE("byte " + std::to_string(byte) + ", bit " + std::to_string(bit));
        flip_bit(path_, byte, bit);
        ++(check_refused_or_same() ? refused : harmless);
        flip_bit(path_, byte, bit);
        if (HasFailure()) return;
    }
    EXPECT_GT(refused, 1000);
    EXPECT_LT(harmless, refused / 2);
    EXPECT_FALSE(check_refused_or_same());
}

TEST_F(DamageTest, ACutFileIsRefused) {
    const std::string whole = file_bytes(path_);
    std::set<std::uint64_t> sizes{1, 15, 16, 99, 100, 101, whole.size() - 1};
    for (std::uint64_t at = page; at < whole.size(); at += page) sizes.insert({at - 1, at, at + 1, at + 4099});
    for (const std::uint64_t size : sizes) {
        directory_.write("stream.fairstream", whole.substr(0, size));
        EXPECT_THAT(error_of_opening(path_), testing::AnyOf(::testing::HasSubstr("cut short"),
                                                            ::testing::HasSubstr("not a"), HasSubstr("is empty")))
            << size;
    }
}

TEST_F(DamageTest, ZeroOrMisplacedPageIsRefused) {
    const std::string whole = file_bytes(path_);
    const std::uint64_t pages = whole.size() / page;
    int refused = 0;
    for (std::uint64_t p = 0; p < pages; ++p) {
        write_at(path_, p * page, std::string(page, '\0'));
        refused += check_refused_or_same() ? 1 : 0;
        write_at(path_, p * page, whole.substr((p + 1) % pages * page, page));
        refused += check_refused_or_same() ? 1 : 0;
        write_at(path_, p * page, whole.substr(p * page, page));
    }
    EXPECT_GE(refused, static_cast<int>(2 * pages) - 6) << "all but pages that hold nothing";
    EXPECT_FALSE(check_refused_or_same());
}

// An older version of a page is consistent in itself, as after a write that the disk lost.
TEST_F(DamageTest, APageAsItWasBeforeIsRefused) {
    const std::string older = file_bytes(path_);
    {
        auto recording = Recording::open(path_);
        append(recording, SomeEvent(10, 100));
        recording.refuse(some_refusal("z", {1, 5}));
        recording.begin_checkpoint({10, some_bytes(1, 400), {}});
        recording.finish_checkpoint();
        before_ = contents_of(recording);
    }
    const std::string newer = file_bytes(path_);
    int changed = 0;
    int refused = 0;
    for (std::uint64_t at = 0; at < older.size(); at += page) {
        if (older.substr(at, page) == newer.substr(at, page)) continue;
        write_at(path_, at, older.substr(at, page));
        ++changed;
        refused += check_refused_or_same() ? 1 : 0;
        write_at(path_, at, newer.substr(at, page));
    }
    EXPECT_GE(changed, 6);
    EXPECT_GE(refused, changed - 1) << "all but the first page, of which only counters changed";
}

/// The log of a killed writer, with six transactions of two events after the transaction of the opening.
class LogDamageTest : public testing::Test {
protected:
    static constexpr std::uint64_t header = 32;
    static constexpr std::uint64_t frame_header = 24;
    static constexpr std::uint64_t frame = frame_header + page;
    static constexpr Sequence events = 12;

    LogDamageTest() {
        EXPECT_EQ(run_in_child([&] {
                      Recording& recording = leak(Recording::create(path_, "c"));
                      while (recording.last_sequence() < events) append_committed(recording, 2);
                  }),
                  0);
        file_ = file_bytes(path_);
        log_ = file_bytes(log_beside(path_));
        for (std::uint64_t f = 0; f * frame + header + frame <= log_.size(); ++f) {
            if (log_.substr(offset_of(f) + 4, 4) != std::string(4, '\0')) ends_.push_back(f);
        }
        EXPECT_EQ(ends_.size(), 7U);
    }

    [[nodiscard]] static std::uint64_t offset_of(std::uint64_t f) { return header + f * frame; }
    /// Restores the file and the log as the killed writer left them.
    void restore() const {
        directory_.write("stream.fairstream", file_);
        directory_.write("stream.fairstream-wal", log_);
        fs::remove(path_.string() + "-shm");
    }
    [[nodiscard]] std::string error_with_log(const std::string& log) const {
        restore();
        directory_.write("stream.fairstream-wal", log);
        const std::string error = error_of_opening(path_);
        EXPECT_TRUE(file_bytes(log_beside(path_)) == log) << "the evidence is left";
        return error;
    }
    [[nodiscard]] std::string flipped(std::uint64_t byte, unsigned bit = 3) const {
        std::string log = log_;
        log[byte] = static_cast<char>(log[byte] ^ 1 << bit);
        return log;
    }
    /// Returns the newest event when opened with this log, after checking that a reader and a writer agree.
    [[nodiscard]] Sequence last_with_log(const std::string& log) const {
        restore();
        directory_.write("stream.fairstream-wal", log);
        const Sequence last = Recording::open_read_only(path_).last_sequence();
        auto recording = Recording::open(path_);
        EXPECT_EQ(checked_events(recording).size(), last);
        append_committed(recording, 1);
        EXPECT_EQ(recording.last_sequence(), last + 1);
        return last;
    }

    /// Returns whether a reader and a writer report an unreadable end for this log.
    [[nodiscard]] bool has_unreadable_end(const std::string& log) const {
        restore();
        directory_.write("stream.fairstream-wal", log);
        const bool by_reader = Recording::open_read_only(path_).unclean_end().unreadable;
        EXPECT_EQ(Recording::open(path_).unclean_end().unreadable, by_reader);
        EXPECT_FALSE(Recording::open(path_).unclean_end().unreadable) << "the next start";
        return by_reader;
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    std::string file_;
    std::string log_;
    std::vector<std::uint64_t> ends_;  // the frame that ends each transaction
};

TEST_F(LogDamageTest, ASoundLogGivesEverything) {
    EXPECT_EQ(last_with_log(log_), events);
}

TEST_F(LogDamageTest, AnywhereBeforeTheLastTransactionItIsRefused) {
    const std::uint64_t last_begins = ends_[ends_.size() - 2] + 1;
    for (std::uint64_t f = 0; f < last_begins; ++f) {
        // The number of the page, the salts, the checksum, and what the page holds.
        for (const std::uint64_t byte : {1, 8, 15, 17, 23, 24, 30000, 65559}) {
            EXPECT_THAT(error_with_log(flipped(offset_of(f) + byte)),
                        ::testing::HasSubstr("frame " + std::to_string(f + 1)))
                << byte;
        }
    }
}

TEST_F(LogDamageTest, DamagedCommitMarkIsRefused) {
    for (std::uint64_t t = 0; t + 2 < ends_.size(); ++t) {
        EXPECT_THAT(error_with_log(flipped(offset_of(ends_[t]) + 6)), ::testing::HasSubstr("at frame"));
    }
}

TEST_F(LogDamageTest, InItsHeaderItIsRefused) {
    for (std::uint64_t byte = 0; byte < header; ++byte) {
        EXPECT_THAT(error_with_log(flipped(byte, static_cast<unsigned>(byte % 8))), ::testing::HasSubstr("header"));
    }
}

TEST_F(LogDamageTest, ItsAbsenceIsRefused) {
    restore();
    fs::remove(log_beside(path_));
    EXPECT_THAT(error_of_opening(path_), ::testing::HasSubstr("missing"));
    directory_.write("stream.fairstream-wal", "");
    EXPECT_THAT(error_of_opening(path_), ::testing::HasSubstr("missing"));
    for (const std::uint64_t size : {1, 31}) {
        EXPECT_THAT(error_with_log(log_.substr(0, size)), ::testing::HasSubstr("missing")) << size;
    }
}

TEST_F(LogDamageTest, ACopyOfTheFileAloneIsRefused) {
    auto recording = Recording::create(directory_ / "other", "c");
    append_committed(recording, 5);
    ASSERT_EQ(run_in_child([&] { fs::copy_file(directory_ / "other", directory_ / "copy"); }), 0);
    EXPECT_THAT(error_of_opening(directory_ / "copy"), ::testing::HasSubstr("missing"));
}

// The possible remains of an unacknowledged transaction after a power cut: any of its blocks, in any state.
TEST_F(LogDamageTest, ATornLastTransactionIsDropped) {
    const std::uint64_t begin = offset_of(ends_[ends_.size() - 2] + 1);
    for (const std::uint64_t size :
         {begin, begin + 1, begin + frame_header, begin + 5000, begin + frame, log_.size() - 1}) {
        EXPECT_EQ(last_with_log(log_.substr(0, size)), events - 2) << size;
    }
    for (std::uint64_t at = begin; at + 4096 < log_.size(); at += 30000) {
        std::string log = log_;
        log.replace(at, 4096, 4096, '\x5a');
        EXPECT_EQ(last_with_log(log), events - 2) << at;
    }
}

TEST_F(LogDamageTest, OldFramesAreIgnored) {
    std::string log = log_;
    for (std::uint64_t f = 0; f < 4; ++f) {  // as if the log had begun anew over a longer one
        std::string old = log_.substr(offset_of(f), frame);
        old[8] = static_cast<char>(old[8] ^ 1);
        log += old;
    }
    EXPECT_EQ(last_with_log(log), events);
    EXPECT_FALSE(has_unreadable_end(log));
}

TEST_F(LogDamageTest, UnreadableEndIsReported) {
    const std::uint64_t last_begins = ends_[ends_.size() - 2] + 1;
    for (std::uint64_t f = last_begins; f <= ends_.back(); ++f)
        for (const std::uint64_t byte : {17, 24, 30000, 65559})
            EXPECT_TRUE(has_unreadable_end(flipped(offset_of(f) + byte))) << f << ", " << byte;
    const std::uint64_t begin = offset_of(last_begins);
    for (const std::uint64_t size : {begin + frame_header, begin + 5000, log_.size() - 1})
        EXPECT_TRUE(has_unreadable_end(log_.substr(0, size))) << size;
    EXPECT_FALSE(has_unreadable_end(log_)) << "all can be read";
    EXPECT_FALSE(has_unreadable_end(log_.substr(0, begin))) << "nothing shows that there was more";
    EXPECT_FALSE(has_unreadable_end(log_.substr(0, begin + frame))) << "sound, but never ended, and so never acked";
}

TEST_F(LogDamageTest, WriterCutsTornEnd) {
    const std::string torn = log_.substr(0, log_.size() - 100);
    ASSERT_EQ(last_with_log(torn), events - 2);
    EXPECT_EQ(Recording::open_read_only(path_).last_sequence(), events - 1);
    EXPECT_FALSE(fs::exists(log_beside(path_)));
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
