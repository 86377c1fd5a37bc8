/// Proofs that a recording's events and updates are unchanged: the running hash, and `replay --verify`.

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>
#include <fairstream/numeric/cpu_level.hpp>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// One recording, which each test copies.
class ReplayVerify : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        site_ = new Site;
        site_->record(1000, 100);
    }
    static void TearDownTestSuite() {
        delete site_;
        site_ = nullptr;
    }
    /// Returns a copy of the recording, changed by these statements.
    static std::string changed(const std::string& statements) {
        const std::string copy = site_->file("changed.fairstream");
        std::filesystem::copy_file(site_->recording(), copy, std::filesystem::copy_options::overwrite_existing);
        log::sqlite::Database database(copy, log::sqlite::Access::write);
        database.fold_on_close(true);
        database.execute("BEGIN; " + statements + "; COMMIT");
        return copy;
    }
    static std::string number(std::uint64_t value) { return std::to_string(static_cast<std::int64_t>(value)); }
    static std::string with_digest(Sequence event, std::uint64_t digest) {
        return "UPDATE update_digests SET digest = " + number(digest) +
               ", checksum = " + number(log::sqlite::checksum(log::sqlite::UpdateDigestRow{event, digest})) +
               " WHERE sequence = " + number(event);
    }
    static std::string with_version(const std::string& version) {
        const std::string level(cpu_level());
        const log::sqlite::BuildRow row{1, 1, version, level, 0};
        return "UPDATE builds SET version = '" + version + "', checksum = " + number(log::sqlite::checksum(row));
    }
    static json first_run(const test::Finished& finished) { return json::parse(finished.out)["runs"][0]; }

    static Site* site_;
};
Site* ReplayVerify::site_ = nullptr;

TEST_F(ReplayVerify, SaysIdentical) {
    const test::Finished verified = fairstream({"replay", site_->recording(), "--verify"});
    EXPECT_EQ(verified.exit_code, 0);
    EXPECT_THAT(verified.out, Names({"identical", "1 to 10\n"}));
    const json run = first_run(fairstream({"replay", site_->recording(), "--verify", "--json"}));
    EXPECT_EQ(run["verified"], "identical");
    EXPECT_EQ(run["compared_events"], 10);
    EXPECT_EQ(run["not_recorded_events"], 0);
    EXPECT_EQ(run["differs_from"], json());
}

TEST_F(ReplayVerify, NamesTheFirstEventThatDiffersAndFails) {
    const std::string copy = changed(with_digest(7, 1));
    const test::Finished verified = fairstream({"replay", copy, "--verify"});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_THAT(verified.out, AllOf(HasSubstr("event 7 "), Not(HasSubstr("may differ"))));
    const test::Finished told = fairstream({"replay", copy, "--json"});
    EXPECT_EQ(told.exit_code, 0);
    EXPECT_EQ(first_run(told)["verified"], "differs");
    EXPECT_EQ(first_run(told)["differs_from"], 7);
}

TEST_F(ReplayVerify, SaysThatAnotherVersionMayDiffer) {
    const std::string copy = changed(with_digest(7, 1) + "; " + with_version("0.0.9"));
    const test::Finished verified = fairstream({"replay", copy, "--verify"});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_THAT(verified.out, Names({"event 7 ", "0.0.9 (" + std::string(cpu_level()) + ")", "may differ"}));
}

TEST_F(ReplayVerify, SaysWhereNothingWasRecorded) {
    const std::string copy = changed("DROP TABLE update_digests; DROP TABLE builds; DROP TABLE growth");
    const test::Finished verified = fairstream({"replay", copy, "--verify"});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_THAT(verified.out, HasSubstr("updates: not recorded: "));
    EXPECT_EQ(first_run(fairstream({"replay", copy, "--json"}))["verified"], "not recorded");
}

TEST_F(ReplayVerify, CheckNamesRecoveriesThatCameToOtherUpdates) {
    EXPECT_EQ(json_of({"check", site_->recording(), "--json"})["recoveries"], json::array());
    const log::sqlite::BuildRow row{2, 8, "0.0.9", "x86-64-v2", 5};
    const std::string copy =
        changed("INSERT INTO builds VALUES(2, 8, '0.0.9', 'x86-64-v2', 5, " + number(log::sqlite::checksum(row)) + ")");
    const json expected = {
        {{"version", "0.0.9"}, {"cpu_level", "x86-64-v2"}, {"differs_from", 5}, {"own_updates_from", 8}}};
    EXPECT_EQ(json_of({"check", copy, "--json"})["recoveries"], expected);
    EXPECT_THAT(fairstream({"check", copy}).out, Names({"0.0.9 (x86-64-v2)", "event 5 ", "event 8"}));
}

TEST_F(ReplayVerify, NeedsTheRecordedConfiguration) {
    EXPECT_EQ(fairstream({"replay", site_->recording(), "--verify", "--config", site_->config()}).exit_code, 2);
    EXPECT_EQ(fairstream({"replay", site_->recording(), "--verify", "--without-changes"}).exit_code, 2);
    EXPECT_EQ(
        fairstream({"replay", site_->recording(), "--verify", "--config", site_->config(), "--compare"}).exit_code, 0);
}

TEST(RunningHash, AgreesAcrossCommands) {
    const Site site;
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "300", "--batch", "100"})).exit_code,
              0);
    const std::vector<std::string> status{"status", "--control", site.endpoint("control"), "--timeout", "60"};
    const json answer = json_of({"status", "--control", site.endpoint("control"), "--timeout", "60", "--json"});
    const auto hash = answer["running_hash"].get<std::string>();
    EXPECT_EQ(hash.size(), 16U);
    EXPECT_THAT(fairstream(status).out, Names({"running hash  " + hash, "events from 1"}));
    EXPECT_EQ(answer["first_sequence"], 1);
    EXPECT_GT(answer["recording_bytes"], 65536);
    EXPECT_EQ(answer["bytes_a_day"], json());
    engine.signal(SIGTERM);
    const std::vector<std::string> log = lines_of(engine.wait().err);
    ASSERT_FALSE(log.empty());
    EXPECT_THAT(log.back(), Names({"event 3", "running hash " + hash}));
    EXPECT_EQ(json_of({"check", site.recording(), "--json"})["running_hash"], hash);
    EXPECT_EQ(json_of({"replay", site.recording(), "--json"})["runs"][0]["running_hash"], hash);
    EXPECT_THAT(fairstream({"replay", site.recording()}).out, Names({"event 3", hash}));
}

}  // namespace
}  // namespace fairstream::command
