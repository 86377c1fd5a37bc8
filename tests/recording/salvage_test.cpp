/// Reading of a damaged recording: every event with an intact row is read, and the others are named.

#include <sqlite3.h>

#include <map>
#include <set>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/opening.hpp>
#include <fairstream/log/sqlite/salvage.hpp>

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using fairstream::test::file_bytes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Sequence newest = 120;
constexpr std::size_t event_bytes = 5000;

class SalvageTest : public testing::Test {
protected:
    SalvageTest() {
        {
            auto recording = Recording::create(path_, "the configuration");
            append_committed(recording, newest, event_bytes);
        }
        sound_ = file_bytes(path_);
        whole_ = read();
    }

    struct Read {
        std::map<Sequence, std::vector<std::byte>> events;
        std::vector<LostEvents> lost;
        std::string config;
        bool knows_last = false;
    };
    [[nodiscard]] Read read(Sequence first = 1) const {
        const Salvage salvage(path_);
        Read read;
        read.config = salvage.config();
        read.knows_last = salvage.knows_last_sequence();
        read.lost = salvage.for_each_event(first, [&](const RecordedEvent& event) {
            EXPECT_TRUE(read.events.emplace(event.sequence, event.message).second);
            return true;
        });
        return read;
    }
    /// Expects the intact file's events, with all others named as lost.
    void expect_complete(const Read& read) const {
        std::set<Sequence> met;
        for (const auto& [sequence, message] : read.events) {
            EXPECT_EQ(message, whole_.events.at(sequence));
            met.insert(sequence);
        }
        for (const auto& [first, last] : read.lost)
            for (Sequence s = first; s <= last; ++s) EXPECT_TRUE(met.insert(s).second) << s;
        EXPECT_EQ(met.size(), newest);
        EXPECT_EQ(*met.rbegin(), newest);
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    std::string sound_;
    Read whole_;
};

TEST_F(SalvageTest, OfASoundFileIsAllOfIt) {
    EXPECT_EQ(whole_.events.size(), newest);
    EXPECT_THAT(whole_.lost, IsEmpty());
    EXPECT_EQ(whole_.config, "the configuration");
    EXPECT_EQ(read(100).events.size(), 21U);
}

TEST_F(SalvageTest, LeavesOutARowWhoseBytesChanged) {
    std::string bytes = sound_;
    const std::string message(reinterpret_cast<const char*>(whole_.events.at(50).data()), 64);
    bytes.at(bytes.find(message)) ^= 1;
    write_at(path_, 0, bytes);
    EXPECT_THROW((void)Recording::open_read_only(path_), RecordingError);
    const Read found = read();
    expect_complete(found);
    EXPECT_THAT(found.lost, ElementsAre(LostEvents{50, 50}));
}

TEST_F(SalvageTest, ReadsAroundEveryPageThatIsGone) {
    int salvaged = 0, without_config = 0;
    for (std::size_t at = page; at < sound_.size(); at += page) {
        std::string bytes = sound_;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), page, '\0');
        write_at(path_, 0, bytes);
        const Read found = read();
        expect_complete(found);
        EXPECT_LE(newest - found.events.size(), page / event_bytes) << "the events of a page at most";
        salvaged += found.events.size() > newest / 2;
        without_config += found.config.empty();
    }
    EXPECT_GE(salvaged, 8);
    EXPECT_EQ(without_config, 1);
}

TEST_F(SalvageTest, ReadsTruncatedFile) {
    std::size_t salvaged = 0, events = 0, unknown = 0;
    for (std::size_t size = sound_.size() - 1; size > page; size -= page / 2) {
        write_at(path_, 0, sound_);
        fs::resize_file(path_, size);
        try {
            const Read found = read();
            for (const auto& [sequence, message] : found.events) EXPECT_EQ(message, whole_.events.at(sequence));
            if (found.knows_last && found.lost.empty()) {
                EXPECT_EQ(found.events.size(), newest) << size;
            }
            unknown += !found.knows_last;
            ++salvaged, events += found.events.size();
        } catch (const RecordingError&) {  // the page of the configuration, or of the tables
        }
    }
    EXPECT_GE(salvaged, 8U);
    EXPECT_GE(events, 4U * newest);
    EXPECT_GE(unknown, 1U) << "cut off before the tables that tell the newest event";
}

TEST_F(SalvageTest, ReadsDespiteDamagedHeader) {
    constexpr std::size_t header = 100, low_byte_of_format = 63;
    for (std::size_t at = 0; at < header; ++at) {
        if (at == low_byte_of_format) continue;
        for (const unsigned bits : {0x01U, 0x80U, 0xFFU}) {
            std::string bytes = sound_;
            bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ bits);
            write_at(path_, 0, bytes);
            const Read found = read();
            EXPECT_THAT(found.lost, IsEmpty()) << at;
            EXPECT_EQ(found.events, whole_.events) << at;
            EXPECT_EQ(file_bytes(path_), bytes) << "the file stays as it is";
        }
    }
}

TEST_F(SalvageTest, FindsPagesWithoutRoot) {
    const fs::path path = directory_ / "large.fairstream";
    constexpr std::size_t bytes_of_each = 150'000, count = 40;
    {
        auto recording = Recording::create(path, "the configuration");
        append_committed(recording, count, bytes_of_each);
    }
    const std::string sound = file_bytes(path);
    int pages = 0;
    for (std::size_t at = page; at < sound.size(); at += page) {
        write_at(path, at, std::string(page, '\0'));
        const Salvage salvage(path);
        std::size_t read = 0;
        for (const LostEvents& lost : salvage.for_each_event(1, [&](const RecordedEvent& event) {
                 EXPECT_GE(event.message.size(), bytes_of_each);
                 ++read;
                 return true;
             }))
            read += lost.last - lost.first + 1;
        EXPECT_EQ(read, count) << at / page;
        write_at(path, at, sound.substr(at, page));
        ++pages;
    }
    EXPECT_GT(pages, 40);
}

TEST_F(SalvageTest, OfWhatIsNoRecordingFails) {
    (void)directory_.write("text", "no recording");
    (void)directory_.write("empty", "");
    for (const char* const name : {"text", "empty", "missing"})
        EXPECT_THROW((void)Salvage(directory_ / name), RecordingError) << name;
}

TEST_F(SalvageTest, NeedsNoHeaderAndNoTables) {
    write_at(path_, 0, std::string(page, '\0'));
    EXPECT_EQ(read().events, whole_.events);
}

TEST_F(SalvageTest, ForeignOrNewerFileFails) {
    const auto error = [&](std::size_t at, std::string_view bytes) {
        std::string changed = sound_;
        changed.replace(at, bytes.size(), bytes);
        write_at(path_, 0, changed);
        return error_of([&] { (void)Salvage(path_); });
    };
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open((directory_ / "other").c_str(), &other), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(other, "CREATE TABLE events(a, b)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    EXPECT_THAT(error_of([&] { (void)Salvage(directory_ / "other"); }), ::testing::HasSubstr("SQLite"));
    EXPECT_THAT(error(60, std::string("\0\0\0\4", 4)), ::testing::HasSubstr("newer"));
}

/// The file and the log of a writer that was killed after eighty transactions.
class SalvageOfALogTest : public testing::Test {
protected:
    static constexpr std::size_t header = 32, frame_header = 24, frame = frame_header + page;

    SalvageOfALogTest() {
        EXPECT_EQ(run_in_child([&] {
                      Recording& recording = leak(Recording::create(path_, "the configuration"));
                      while (recording.last_sequence() < events) append_committed(recording, 1, event_bytes);
                  }),
                  0);
        file_ = file_bytes(path_);
        log_ = file_bytes(path_.string() + "-wal");
    }
    /// Reads with this log. Expects every event either as written or named as lost; returns the number of lost ones.
    [[nodiscard]] std::size_t lost_with(const std::string& log) {
        (void)directory_.write("stream.fairstream", file_);
        (void)directory_.write("stream.fairstream-wal", log);
        fs::remove(path_.string() + "-shm");
        std::set<Sequence> met;
        const Salvage salvage(path_);
        EXPECT_EQ(salvage.last_sequence(), events);
        const auto lost = salvage.for_each_event(1, [&](const RecordedEvent& event) {
            if (whole_.contains(event.sequence)) {
                EXPECT_EQ(event.message, whole_.at(event.sequence));
            }
            EXPECT_TRUE(met.insert(event.sequence).second);
            read_.insert_or_assign(event.sequence, event.message);
            return true;
        });
        const std::size_t read = met.size();
        for (const auto& [first, last] : lost)
            for (Sequence s = first; s <= last; ++s) EXPECT_TRUE(met.insert(s).second) << s;
        EXPECT_EQ(met.size(), events);
        EXPECT_TRUE(file_bytes(path_.string() + "-wal") == log) << "the log stays as it is";
        return events - read;
    }

    static constexpr Sequence events = 80;
    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    std::string file_, log_;
    std::map<Sequence, std::vector<std::byte>> read_, whole_;
};

TEST_F(SalvageOfALogTest, ReadsTheTransactionsAfterADamagedFrame) {
    ASSERT_EQ(lost_with(log_), 0U);
    whole_ = read_;
    const std::size_t frames = (log_.size() - header) / frame;
    ASSERT_GT(frames, 100U);
    std::size_t most = 0;
    for (std::size_t f = 0; f + 2 < frames; f += 5) {
        // The size after a commit, the salts, the checksum, and what the page holds.
        for (const std::size_t byte : {std::size_t{7}, std::size_t{9}, std::size_t{14}, std::size_t{17},
                                       std::size_t{22}, frame_header + 20000, frame_header + page - 9}) {
            std::string log = log_;
            char& changed = log[header + f * frame + byte];
            changed = static_cast<char>(changed ^ 4);
            most = std::max(most, lost_with(log));
        }
    }
    EXPECT_LE(most, page / event_bytes) << "a page at most";
}

TEST_F(SalvageOfALogTest, ReadsBehindDamagedLogPage) {
    // Damage within the last transaction looks like a write cut short by a crash.
    constexpr std::size_t of_last_transaction = 3;
    const std::size_t frames = (log_.size() - header) / frame - of_last_transaction;
    for (std::size_t f = frames - 30; f < frames; ++f) {
        std::string log = log_;
        char& kind_of_page = log[header + f * frame + frame_header];
        kind_of_page = static_cast<char>(kind_of_page ^ 1);
        EXPECT_LE(lost_with(log), page / event_bytes) << f;
    }
}

TEST_F(SalvageOfALogTest, ReportsMissingOrCutLog) {
    const auto lacks_log = [&](const std::optional<std::string>& log) {
        (void)directory_.write("stream.fairstream", file_);
        for (const char* beside : {"-wal", "-shm"}) fs::remove(path_.string() + beside);
        if (log) (void)directory_.write("stream.fairstream-wal", *log);
        const Salvage salvage(path_);
        Database other(path_, access_for_reading(path_, system_files()));
        (void)other.number("SELECT count(*) FROM sqlite_schema");  // from here on no writer deletes the log
        // No other data name the events that were only in the log.
        EXPECT_THAT(salvage.for_each_event(1, [](const RecordedEvent&) { return true; }), IsEmpty());
        const auto refusal = [&]() -> std::string {
            try {
                (void)Recording::open(path_);
            } catch (const RecordingError& error) {
                return error.what();
            }
            return "";
        };
        EXPECT_EQ(salvage.lacks_log(), refusal().find("is missing") != std::string::npos);
        return salvage.lacks_log();
    };
    EXPECT_TRUE(lacks_log(std::nullopt));
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{31}, header, header + frame - 1})
        EXPECT_TRUE(lacks_log(log_.substr(0, bytes))) << bytes;
    EXPECT_FALSE(lacks_log(log_));
    EXPECT_FALSE(lacks_log(log_.substr(0, header + frame))) << "as a crash during the first write leaves it";
    EXPECT_FALSE(lacks_log(file_bytes(path_.string() + "-wal"))) << "whose unfinished end a writer has cut off";
}

TEST_F(SalvageOfALogTest, ReadsDespiteDamagedLogHeader) {
    for (std::size_t byte = 0; byte < header; ++byte) {
        std::string log = log_;
        log[byte] = static_cast<char>(log[byte] ^ 16);
        EXPECT_EQ(lost_with(log), 0U) << byte;
    }
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
