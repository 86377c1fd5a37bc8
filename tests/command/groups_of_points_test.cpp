/// The groups of a fit and of a front are those of its points; groups of unused rows do not count.

#include <gtest/gtest.h>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Rows of which the first five are of group C. `same_ids`: the next five have the same ids.
class GroupsOfPoints : public ::testing::Test {
protected:
    static constexpr int first = 5, others = 200;

    [[nodiscard]] std::string write(const std::string& name, bool with_first, bool same_ids, int from = 0) const {
        std::string text = "id,g,x\n";
        if (with_first)
            for (int i = 0; i < first; ++i)
                text += std::to_string(same_ids ? i : 1000 + i) + ",C," + std::to_string(i) + ".5\n";
        for (int i = from; i < others; ++i)
            text += std::to_string(i) + (i * 7 % 11 < 5 ? ",A," : ",B,") + std::to_string(i * 37 % 101) + ".25\n";
        return directory.write(name, text).string();
    }
    [[nodiscard]] static std::vector<std::string> of(const std::string& command, const std::string& file,
                                                     const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{command, "--input", file, "--group", "g", "--id", "id", "--clusters", "3"};
        if (command == "fit") arguments.insert(arguments.begin() + 1, "safairkm");
        arguments.push_back("--json");
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    /// Expects a fit without group C, equal to the fit of the other rows alone, and a note with these words.
    void expect_without(const std::string& file, const std::vector<std::string>& more, const std::string& reason) {
        const json alone = json::parse(fairstream(of("fit", write("alone.csv", false, false))).out);
        const test::Finished finished = fairstream(of("fit", file, more));
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
        EXPECT_THAT(finished.err, Names({"note: column 'g'", "'C'", reason}));
        const json report = json::parse(finished.out);
        EXPECT_EQ(report["groups"], json({"A", "B"}));
        EXPECT_GT(report["balance"], 0);
        for (const char* figure : {"points", "balance", "parity", "clusters"})
            EXPECT_EQ(report[figure], alone[figure]) << figure;
        EXPECT_NEAR(report["cost"].get<double>(), alone["cost"].get<double>(), 1e-9);
    }

    test::TemporaryDirectory directory;
};

TEST_F(GroupsOfPoints, RowsThatLaterOnesReplaceHaveNoGroup) {
    const std::string file = write("replaced.csv", true, true);
    expect_without(file, {}, "rows");
    expect_without(file, {"--set", "rare_below=0"}, "'C'");
    const json alone = json_of(of("front", write("alone.csv", false, false), {"--stages", "6"}));
    const test::Finished front = fairstream(of("front", file, {"--stages", "6"}));
    EXPECT_EQ(front.exit_code, 0) << front.err;
    EXPECT_EQ(json::parse(front.out)["front"], alone["front"]);
    // No later row can have the group: the saved files do not contain it.
    const std::string config = (directory / "saved.toml").string();
    const test::Finished saved = fairstream(of("fit", file, {"--save-config", config}));
    EXPECT_THAT(saved.err, Not(HasSubstr("configuration")));
    EXPECT_THAT(test::file_bytes(config), HasSubstr("groups = [\"A\", \"B\"]\nunknown = "));
}

TEST_F(GroupsOfPoints, UnselectedRowsCountOnlyInSavedFiles) {
    std::string rows;
    for (int i = 0; i < others; ++i) rows += std::to_string(first + i) + "\n";
    const std::string selected = directory.write("rows.txt", rows).string();
    const std::string config = (directory / "saved.toml").string(), file = write("all.csv", true, false);
    expect_without(file, {"--rows", selected}, "rows");
    const test::Finished saved = fairstream(of("fit", file, {"--rows", selected, "--save-config", config}));
    EXPECT_THAT(saved.err, Names({"configuration", "'C'", "'g'"}));
    EXPECT_THAT(test::file_bytes(config), HasSubstr("groups = [\"A\", \"B\", \"C\"]\nunknown = "));
}

TEST_F(GroupsOfPoints, DepartedPointsCountOnlyInSavedFiles) {
    const std::string config = (directory / "saved.toml").string(), file = write("all.csv", true, false);
    const std::vector<std::string> window{"--window", std::to_string(others)};
    expect_without(file, window, "--window");
    std::vector<std::string> saving = of("fit", file, window);
    saving.insert(saving.end(), {"--save-config", config, "--set", "rare_below=0", "--passes", "2"});
    const test::Finished saved = fairstream(saving);
    EXPECT_EQ(saved.exit_code, 0) << saved.err;
    EXPECT_THAT(test::file_bytes(config), HasSubstr("groups = [\"A\", \"B\", \"C\"]\nunknown = "));
    EXPECT_EQ(json::parse(fairstream(of("fit", file, {"--window", std::to_string(others + 1)})).out)["groups"],
              json({"A", "B", "C"}));
}

TEST_F(GroupsOfPoints, PointsOfOneGroupAreRefused) {
    const std::string file = directory.write("two.csv", "id,g,x\n1,A,1\n2,A,2\n3,A,3\n4,B,4\n").string();
    const std::string rows = directory.write("rows.txt", "0\n1\n2\n").string();
    EXPECT_THAT(refusal(of("fit", file, {"--rows", rows})), Names({"3 points", "group, A"}));
}

}  // namespace
}  // namespace fairstream::command
