/// `fairstream remove` and `fairstream erase`: persons are removed from an engine, and from its recording.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Three persons of 300 leave; their ids are those of generated points, 0, 1, 2, ...
class Leaving : public testing::Test {
protected:
    static constexpr const char* persons = "7\n150\n299\n";

    [[nodiscard]] test::Finished remove(const std::string& ids, std::vector<std::string> more = {}) const {
        const std::filesystem::path file = site_.directory().write("ids.txt", ids);
        more.insert(more.begin(), {program(), "remove", "--control", site_.endpoint("control"), "--timeout", "60",
                                   "--ids", file.string()});
        return test::run(more);
    }
    [[nodiscard]] test::Finished erase(const std::string& ids, std::vector<std::string> more = {}) const {
        const std::filesystem::path file = site_.directory().write("ids.txt", ids);
        more.insert(more.begin(), {program(), "erase", site_.recording(), "--ids", file.string(), "--to", erased()});
        return test::run(more);
    }
    [[nodiscard]] std::string erased() const { return site_.file("erased.fairstream"); }
    [[nodiscard]] test::Finished sent() const {
        return test::run(site_.send_arguments({"--generate", "loans", "--points", "300", "--batch", "50"}));
    }
    /// Returns the lines "id,..." of the labels at a recording's end.
    [[nodiscard]] std::string labels(const std::string& recording) const {
        const test::Finished replayed =
            test::run({program(), "replay", recording, "--verify", "--labels", site_.file("labels.csv")});
        EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
        return "\n" + test::file_bytes(site_.file("labels.csv"));
    }

    Site site_;
};

TEST_F(Leaving, RemovesFromEngineAndReplays) {
    test::Process engine(site_.serve_arguments());
    ASSERT_EQ(sent().exit_code, 0);
    test::Process watcher(
        site_.watch_arguments("fair", {"--until-sequence", "7", "--labels", site_.file("watched.csv")}));
    ASSERT_TRUE(watcher.writes(R"("consistent":true)"));
    const test::Finished removed = remove(std::string(persons) + "999999\n\n7\r\n", {"--json"});
    ASSERT_EQ(removed.exit_code, 0) << removed.err;
    EXPECT_EQ(json::parse(removed.out), json({{"removed", 3}, {"not_retained", 1}, {"sequence", 7}}));
    EXPECT_THAT(remove(persons).out, Names({"3 ids", "fairstream erase"}));
    EXPECT_EQ(watcher.wait().exit_code, 0);
    Site::stop(engine);
    const std::string replayed = labels(site_.recording());
    for (const char* const id : {"\n7,", "\n150,", "\n299,"}) {
        EXPECT_THAT(replayed, Not(HasSubstr(id)));
        EXPECT_THAT("\n" + test::file_bytes(site_.file("watched.csv")), Not(HasSubstr(id)));
    }
    EXPECT_THAT(replayed, HasSubstr("\n8,"));
    EXPECT_THAT(test::run({program(), "check", site_.recording()}).out, HasSubstr("1 removal"));
}

TEST_F(Leaving, MakesARecordingWithoutThem) {
    test::Process engine(site_.serve_arguments());
    ASSERT_EQ(sent().exit_code, 0);
    ASSERT_EQ(remove("7\n8\n").exit_code, 0);
    const test::Finished early = erase(persons);
    EXPECT_EQ(early.exit_code, 2);
    EXPECT_THAT(early.err, HasSubstr("stop it"));
    Site::stop(engine);

    const test::Finished made = erase(persons, {"--json"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(json::parse(made.out), json({{"recording", erased()},
                                           {"erased", 3},
                                           {"unknown_ids", 0},
                                           {"outcomes", 0},
                                           {"removals", 1},
                                           {"refusals_cleared", 0},
                                           {"first_sequence", 1},
                                           {"last_sequence", 7}}));
    const std::string left = labels(erased());
    for (const char* const id : {"\n7,", "\n8,", "\n150,", "\n299,"}) EXPECT_THAT(left, Not(HasSubstr(id)));
    const json checked = json::parse(test::run({program(), "check", erased(), "--json"}).out);
    EXPECT_EQ(checked["sent"], 297);
    EXPECT_EQ(checked["erasures"][0]["erased"], 3);
    const test::Finished exported = test::run({program(), "export", erased(), "--points", site_.file("points.csv")});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    EXPECT_FALSE(std::filesystem::exists(erased() + ".part"));

    const test::Finished again = erase(persons);
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("already"));
}

TEST_F(Leaving, AnEngineGoesOnWithTheNewRecording) {
    site_.record(300, 50);
    ASSERT_EQ(erase(persons).exit_code, 0);
    std::filesystem::rename(erased(), site_.recording());
    test::Process engine(site_.serve_arguments());
    ASSERT_EQ(sent().exit_code, 0);
    const test::Finished status = test::run({program(), "status", "--control", site_.endpoint("control"), "--json"});
    EXPECT_EQ(json::parse(status.out)["sequence"], 12) << "of another producer, so that they are new points";
    Site::stop(engine);
}

TEST_F(Leaving, SaysWhatIsNoId) {
    site_.record(100, 50);
    for (const auto& [ids, why] :
         {std::pair("ann\n", "'ann'"), std::pair("\n", "has no ids"), std::pair("999999\n", "to a point")}) {
        const test::Finished refused = erase(ids);
        EXPECT_EQ(refused.exit_code, 2);
        EXPECT_THAT(refused.err, HasSubstr(why));
        EXPECT_FALSE(std::filesystem::exists(erased()));
    }
}

}  // namespace
}  // namespace fairstream::command
