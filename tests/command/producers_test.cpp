/// `fairstream producers`: the producers that an engine knows, and the removal of one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Producers : public testing::Test {
protected:
    void SetUp() override {
        for (const char* const name : {"desk", "branch"}) {
            const test::Finished sent = test::run(
                site_.send_arguments({"--generate", "loans", "--points", "200", "--batch", "100", "--name", name}));
            ASSERT_EQ(sent.exit_code, 0) << sent.err;
        }
    }
    [[nodiscard]] test::Finished producers(std::vector<std::string> more) const {
        more.insert(more.begin(), {program(), "producers", "--control", site_.endpoint("control"), "--timeout", "60"});
        return test::run(more);
    }

    Site site_;
    test::Process engine_{site_.serve_arguments()};
};

TEST_F(Producers, AreListedWithTheirClientAndNewestEvent) {
    const test::Finished listed = producers({"--json"});
    ASSERT_EQ(listed.exit_code, 0) << listed.err;
    const json branch = json::parse(listed.out.substr(0, listed.out.find('\n')));
    EXPECT_EQ(branch["producer"], "branch");
    EXPECT_EQ(branch["last_sequence"], 4);
    EXPECT_EQ(branch["producer_sequence"], 2);
    EXPECT_THAT(branch["client"].get<std::string>(), HasSubstr("user:"));
    EXPECT_THAT(producers({}).out, Names({"branch", "desk", "newest event"}));
}

TEST_F(Producers, ForgottenProducerReturnsInNewEpoch) {
    const test::Finished forgotten = producers({"--forget", "desk"});
    EXPECT_EQ(forgotten.exit_code, 0) << forgotten.err;
    EXPECT_THAT(forgotten.out, Names({"'desk'", "event 5 "}));
    EXPECT_THAT(producers({}).out, AllOf(HasSubstr("branch"), Not(HasSubstr("desk"))));
    const test::Finished again = producers({"--forget", "desk"});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("'desk'"));
    const test::Finished sent =
        test::run(site_.send_arguments({"--generate", "loans", "--points", "100", "--batch", "100", "--name", "desk"}));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_THAT(producers({}).out, HasSubstr("desk"));
}

}  // namespace
}  // namespace fairstream::command
