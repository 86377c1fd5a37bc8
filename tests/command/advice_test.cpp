/// Advice of a command on a file or an output that it cannot use; following it succeeds in one step.

#include <gtest/gtest.h>

#include <filesystem>

#include "command.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Advice : public ::testing::Test {
protected:
    /// Fits 40 points of two clusters, with further columns behind x and sex.
    template <class Cells> [[nodiscard]] test::Finished fit(const std::string& header, const Cells& cells,
                                                            const std::vector<std::string>& more = {}) const {
        std::string text = "x,sex," + header + "\n";
        for (int i = 0; i < 40; ++i)
            text += std::to_string(i % 2 * 50 + i % 5) + (i % 3 == 0 ? ",m," : ",f,") + cells(i) + "\n";
        return of_file(directory.write("points.csv", text).string(), more);
    }
    [[nodiscard]] static test::Finished of_file(const std::string& file, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"fit", "safairkm",   "--input", file,    "--group",
                                           "sex", "--clusters", "2",       "--set", "parity_at_least=0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return fairstream(arguments);
    }

    test::TemporaryDirectory directory;
};

TEST_F(Advice, ConstantColumnWithGapsKeepsBoth) {
    for (const std::string mark : {"x", "1"}) {
        const auto box = [&](int i) { return i % 4 == 0 ? mark : std::string(); };
        EXPECT_THAT(fit("v", box).err, AllOf(HasSubstr(" --missing v=indicator"), Not(HasSubstr("most_frequent")),
                                             Not(HasSubstr("v=mean"))));
    }
}

TEST_F(Advice, RowsWithoutAWeightAreLeftOut) {
    const auto weight = [](int i) { return i == 7 ? "" : "1.5"; };
    for (const std::string how : {"w=drop", "drop"}) {
        const test::Finished finished = fit("w", weight, {"--weight", "w", "--missing", how, "--json"});
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
        EXPECT_THAT(finished.err, Names({"1 row ", "'w'"}));
        EXPECT_EQ(json::parse(finished.out)["points"], 39);
    }
    EXPECT_THAT(fit("w", weight, {"--weight", "w", "--missing", "w=mean"}).err, Names({"--missing w=mean", "=drop"}));
}

TEST_F(Advice, SpellingsOfNaNAreMissingValues) {
    const auto cells = [](int i) { return i % 10 == 0 ? std::string("NAN") : std::to_string(i) + ".5"; };
    EXPECT_THAT(fit("v", cells).err, AllOf(HasSubstr("--missing-text v=NAN"), Not(HasSubstr("decimal"))));
    EXPECT_EQ(fit("v", cells, {"--missing-text", "v=NAN", "--missing", "v=mean"}).exit_code, 0);
}

TEST_F(Advice, ColumnsOfOneValueAreTold) {
    const auto cells = [](int) { return std::string("5,red"); };
    EXPECT_THAT(fit("v,colour", cells, {"--categorical", "colour=onehot"}).err,
                Names({"'v', 'colour'", "--leave-out v,colour"}));
    EXPECT_EQ(fit("v,colour", cells, {"--leave-out", "v,colour"}).err, "");
}

TEST_F(Advice, OfManyColumnsTheFirstAreShown) {
    std::string header = "v0";
    for (int j = 1; j < 100; ++j) header += ",v" + std::to_string(j);
    const auto cells = [](int i) {
        std::string text = std::to_string(i);
        for (int j = 1; j < 100; ++j) text += "," + std::to_string((i * j) % 37);
        return text;
    };
    const std::string model = (directory / "wide.fairstream").string();
    const test::Finished finished = fit(header, cells, {"--save", model});
    EXPECT_THAT(finished.out, HasSubstr("  ... and 61 columns more: --report lists all\n"));
    EXPECT_LT(lines_of(finished.out).size(), 80U);
}

TEST_F(Advice, TooLargeValuesAreIdsOrTimes) {
    const auto cells = [](int i) { return std::to_string(9007199254740993 + i); };
    EXPECT_THAT(fit("v", cells).err, Names({"1e15", "40 of 40 rows", ": add --leave-out v\n"}));
    EXPECT_EQ(fit("v", cells, {"--id", "v"}).exit_code, 0);
}

TEST_F(Advice, BadRowsAreWrittenToStandardOutput) {
    const auto cells = [](int i) { return i == 7 ? std::string("x") : std::to_string(i); };
    const std::string expected = "line,reason,x,sex,v\n9,";
    for (const char* out : {"-", "/dev/stdout"}) {
        const test::Finished finished = fit("v", cells, {"--bad-rows", "1", "--bad-rows-to", out});
        EXPECT_EQ(finished.exit_code, 0);
        EXPECT_EQ(finished.out.substr(0, expected.size()), expected);
        EXPECT_EQ(lines_of(finished.out).size(), 2U);
    }
    EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(Advice, SeveralTargetsNeedSeveralAttributes) {
    const auto cells = [](int i) { return std::to_string(i % 7); };
    EXPECT_THAT(fit("v", cells, {"--set", "balance_at_least=0.3,0.2"}).err,
                Names({"balance_at_least", "1 attributes"}));
}

TEST_F(Advice, BlankLinesBetweenRowNumbersMeanNothing) {
    const std::string rows = directory.write("rows.txt", "\n0\n1\n \n2\r\n\r\n3\n\n").string();
    const test::Finished finished = fit("v", [](int i) { return std::to_string(i % 7); }, {"--rows", rows, "--json"});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(json::parse(finished.out)["points"], 4);
}

TEST_F(Advice, FolderAsOutputIsRefusedEarly) {
    const std::string folder = directory.path().string();
    for (const char* option : {"--labels", "--report", "--save-config"}) {
        const test::Finished finished = fit("v", [](int i) { return std::to_string(i % 7); }, {option, folder});
        EXPECT_EQ(finished.exit_code, 2);
        EXPECT_THAT(finished.err, Names({option, folder + ": "}));
    }
}

}  // namespace
}  // namespace fairstream::command
