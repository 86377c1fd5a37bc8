/// Output of commands about a running engine on groups that a target leaves out as too rare.

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Two clusters of women, men, and four others, fewer than rare_below times the number of clusters.
class RareGroups : public testing::Test {
protected:
    static std::string config() {
        return "[stream]\ndimensions = 2\n[[stream.attribute]]\nname = \"sex\"\ngroups = [\"f\", \"m\", \"x\"]\n"
               "[window]\ncapacity = 1000\n[[model]]\nname = \"fair\"\nkind = \"safairkm\"\n[model.options]\n"
               "clusters = 2\nbalance_at_least = 0.4\nrare_below = 3\n";
    }
    /// Sends 200 points; the first `others` are of the third group.
    void send(int others) const {
        std::string rows = "x,y,sex\n";
        for (int i = 0; i < 200; ++i)
            rows += std::to_string(i % 2 * 10 + i % 7 * 0.1) + "," + std::to_string(i % 11 * 0.1) +
                    (i < others   ? ",x\n"
                     : i % 3 == 0 ? ",f\n"
                                  : ",m\n");
        const std::filesystem::path file = site_.directory().write("points.csv", rows);
        const test::Finished sent =
            test::run(site_.send_arguments({"--input", file.string(), "--features", "x,y", "--group", "sex"}));
        ASSERT_EQ(sent.exit_code, 0) << sent.err;
    }
    [[nodiscard]] std::string status() const {
        return test::run({program(), "status", "--control", site_.endpoint("control"), "--timeout", "60"}).out;
    }
    [[nodiscard]] std::string refine() const {
        return test::run({program(), "refine", "fair", "--control", site_.endpoint("control"), "--timeout", "60"}).out;
    }

    Site site_{config()};
    test::Process engine_{site_.serve_arguments()};
};

TEST_F(RareGroups, LeftOutGroupsAreReported) {
    test::Process watcher(site_.watch_arguments("fair", {"--until-sequence", "1"}));
    ASSERT_TRUE(watcher.writes(R"("consistent":true)"));
    send(4);
    EXPECT_THAT(status(), Names({"rare groups", "(rare_below)"}));
    EXPECT_THAT(refine(), HasSubstr("rare groups"));
    EXPECT_THAT(watcher.wait().out, HasSubstr(R"("rare_groups_left_out":true)"));
}

TEST_F(RareGroups, ThatCountAreNoMatterOfNote) {
    send(60);
    EXPECT_THAT(status(), Not(HasSubstr("rare groups")));
    EXPECT_THAT(refine(), Not(HasSubstr("rare groups")));
}

}  // namespace
}  // namespace fairstream::command
