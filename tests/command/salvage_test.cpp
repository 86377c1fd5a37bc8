/// `fairstream salvage`: of a damaged recording, it writes every event that can be read, and names the others.

#include <map>
#include <random>
#include <set>
#include <sstream>

#include <fairstream/log/open/open.hpp>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t page = 65536;

/// Returns the position in the file of each event's message. Each message lies on one page.
std::map<Sequence, std::size_t> positions_of_messages(const std::string& recording, const std::string& bytes) {
    std::map<Sequence, std::size_t> positions;
    log::open_read_only(recording)->for_each_event(1, [&](const log::RecordedEvent& event) {
        const std::string message(reinterpret_cast<const char*>(event.message.data()), event.message.size());
        const std::size_t at = positions[event.sequence] = bytes.find(message);
        EXPECT_EQ(at / page, (at + message.size() - 1) / page) << event.sequence;
        return true;
    });
    return positions;
}

/// Returns the events of the points in an export.
std::set<Sequence> events_in(const std::string& csv) {
    std::set<Sequence> events;
    const std::vector<std::string> lines = lines_of(csv);
    for (std::size_t i = 1; i < lines.size(); ++i) events.insert(std::stoull(lines[i]));
    return events;
}

/// A recording of two hundred events, of which each round damages some pages by wrong bytes.
class DamagedPages : public ::testing::Test {
protected:
    DamagedPages() {
        site_.record(10'000, 50);
        sound_ = test::file_bytes(site_.recording());
        positions_ = positions_of_messages(site_.recording(), sound_);
    }
    /// Writes the recording with wrong bytes in some pages, half of them near the beginning of the page; sets `pages_`
    /// to these pages. The first page, which names the tables, and the page of the configuration stay sound.
    [[nodiscard]] std::string damaged(std::size_t wrong_bytes) {
        const std::size_t config = sound_.find("clusters = ") / page;
        std::string bytes = sound_;
        pages_.clear();
        for (std::size_t number = 1; number < bytes.size() / page; ++number) {
            if (number == config || random_() % 3 > 0) continue;
            pages_.insert(number);
            for (std::size_t i = 0; i < wrong_bytes; ++i) {
                char& byte = bytes[number * page + random_() % (i % 2 == 0 ? 100 : page)];
                byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1 + random_() % 255));
            }
        }
        return site_.directory().write("damaged" + std::to_string(++made_) + ".fairstream", bytes).string();
    }

    Site site_;
    std::string sound_;
    std::map<Sequence, std::size_t> positions_;
    std::mt19937_64 random_{1};
    std::set<std::size_t> pages_;
    int made_ = 0;
};

constexpr std::size_t some_wrong_bytes[] = {1, 1, 1, 2, 2, 4, 4, 16, 16, 64, 64, 4096};

TEST_F(DamagedPages, LoseNoEventOfOtherPages) {
    std::size_t lost = 0;
    for (const std::size_t wrong_bytes : some_wrong_bytes) {
        const test::Finished salvaged = fairstream({"salvage", damaged(wrong_bytes)});
        EXPECT_EQ(salvaged.exit_code, 0) << salvaged.err;
        const std::set<Sequence> read = events_in(salvaged.out);
        for (const auto& [sequence, at] : positions_)
            EXPECT_TRUE(read.contains(sequence) || pages_.contains(at / page)) << sequence;
        lost += positions_.size() - read.size();
    }
    EXPECT_GT(lost, 100U) << "damage was done";
}

/// Returns the rows of events that the program sqlite3 recovers, in their table or in lost_and_found: each row's number
/// and its text from the producer to the message. Returns none if the program is missing, or was built without
/// recovery.
std::set<std::string> recovered_rows(const std::string& recording) {
    std::set<std::string> rows;
    for (const std::string& line : lines_of(test::run({"/usr/bin/env", "sqlite3", recording, ".recover"}).out)) {
        const std::size_t producer = line.find(", 'send-");
        if (producer == std::string::npos || line.find("X'") == std::string::npos) continue;
        constexpr std::string_view null = ", NULL";
        const std::size_t end =
            line.compare(producer - null.size(), null.size(), null) == 0 ? producer - null.size() : producer;
        const std::size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
        rows.insert(line.substr(begin, end - begin) + line.substr(producer, line.rfind('\'') - producer));
    }
    return rows;
}

TEST_F(DamagedPages, LoseNoEventThatSqliteRecovers) {
    const std::set<std::string> sound = recovered_rows(site_.recording());
    if (sound.empty()) GTEST_SKIP() << "no program sqlite3 that recovers";
    EXPECT_EQ(sound.size(), positions_.size());
    for (const std::size_t wrong_bytes : some_wrong_bytes) {
        const std::string recording = damaged(wrong_bytes);
        const std::size_t salvaged = events_in(fairstream({"salvage", recording}).out).size();
        const std::set<std::string> recovered = recovered_rows(recording);
        EXPECT_GE(salvaged, static_cast<std::size_t>(std::ranges::count_if(
                                recovered, [&](const std::string& row) { return sound.contains(row); })))
            << wrong_bytes;
    }
}

TEST(Salvage, LeavesOutADamagedEvent) {
    const Site site;
    site.record(2000, 50);
    const std::string whole = fairstream({"export", site.recording()}).out;
    std::string bytes = test::file_bytes(site.recording());
    constexpr std::size_t some_feature = 600;
    const std::size_t at = positions_of_messages(site.recording(), bytes).at(3) + some_feature;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    const std::string damaged = site.directory().write("damaged.fairstream", bytes).string();
    EXPECT_THAT(fairstream({"export", damaged}).err, HasSubstr("fairstream salvage"));
    EXPECT_THAT(fairstream({"serve", "--config", site.config(), "--recording", damaged}).err,
                HasSubstr("fairstream salvage"));
    const test::Finished salvaged = fairstream({"salvage", damaged});
    EXPECT_EQ(salvaged.exit_code, 0) << salvaged.err;
    EXPECT_THAT(salvaged.err, Names({"event 3\n", "39 events", "1,950 points"}));
    const json report = json_of({"salvage", damaged, "--json", "--points", site.file("points.csv")});
    EXPECT_EQ(report["lost"], (json{{3, 3}}));
    EXPECT_EQ(report["events"], 39);
    EXPECT_TRUE(report["lost_after"].is_null());
    std::string expected;
    std::istringstream lines(whole);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("3,")) expected += line + "\n";
    EXPECT_EQ(salvaged.out, expected);
    const std::string sound = fairstream({"salvage", site.recording()}).err;
    EXPECT_THAT(sound, AllOf(HasSubstr("40 events"), Not(HasSubstr("event 3"))));
}

TEST(Salvage, DamagedConfigIsReplacedByGivenOne) {
    const Site site;
    site.record(2000, 50);
    const std::string whole = fairstream({"export", site.recording()}).out;
    std::string bytes = test::file_bytes(site.recording());
    const std::size_t at = bytes.find("clusters = ");
    ASSERT_NE(at, std::string::npos);
    bytes[at] = 'k';
    const std::string damaged = site.directory().write("damaged.fairstream", bytes).string();
    const std::vector<std::string> salvage{"salvage", damaged};
    const test::Finished without = fairstream(salvage);
    EXPECT_EQ(without.exit_code, 1);
    EXPECT_THAT(without.err, Names({"configuration", "--config FILE", "40 events"}));
    const auto with = [&](const std::string& config, std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--config", config});
        return fairstream(arguments);
    };
    EXPECT_EQ(with(site.config(), salvage).out, whole);
    const std::string other = site.directory()
                                  .write("other.toml", R"([stream]
dimensions = 2
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[[model]]
kind = "safairkm"
)")
                                  .string();
    const test::Finished refused = with(other, salvage);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"event 1", other}));
    EXPECT_THAT(with(site.config(), {"salvage", site.recording()}).err, HasSubstr("--config:"));
}

TEST(Salvage, ReadsTruncatedFiles) {
    const Site site;
    const std::string model = site.file("model.fairstream");
    ASSERT_EQ(fairstream({"fit", "safairkm", "--generate", "loans", "--points", "300", "--save", model}).exit_code, 0);
    const std::string bytes = test::file_bytes(model);
    constexpr std::size_t pages_of_tables = 1;
    const std::string cut = site.directory().write("cut.fairstream", bytes.substr(0, pages_of_tables * page)).string();
    const test::Finished unreadable = fairstream({"salvage", cut});
    EXPECT_EQ(unreadable.exit_code, 1);
    EXPECT_THAT(unreadable.err, Names({"configuration", "damaged"}));

    EXPECT_THAT(fairstream({"check", cut}).err, Not(HasSubstr("salvage"))) << "of which nothing can be read";
    const std::string of_two = site.directory().write("two.fairstream", bytes.substr(0, 2 * page + 9)).string();
    const test::Finished unknown = fairstream({"salvage", of_two});
    EXPECT_EQ(unknown.exit_code, 1) << "no event of it was read: " << unknown.err;
    EXPECT_THAT(unknown.err, HasSubstr("not known"));
    std::string header = bytes;
    header[20] = static_cast<char>(header[20] ^ 1);
    const std::string of_header = site.directory().write("header.fairstream", header).string();
    EXPECT_THAT(fairstream({"check", of_header}).err, Names({"header", "fairstream salvage"}));
    EXPECT_EQ(fairstream({"salvage", of_header}).out, fairstream({"export", model}).out);
}

}  // namespace
}  // namespace fairstream::command
