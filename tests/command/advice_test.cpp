/// Advice of a command about a file or an output that it cannot use, which leads on in one step.

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
    /// Fits 40 points of two clusters with columns behind x and sex.
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

TEST_F(Advice, CellsThatMeanNothingKeepTheirRows) {
    for (const std::string word : {"None", "--", "#DIV/0!"}) {
        const auto cells = [&](int i) { return i == 7 ? word : std::to_string(i * i % 17); };
        const std::string quoted = word == "#DIV/0!" ? "'v=#DIV/0!'" : "v=" + word;
        EXPECT_THAT(
            fit("v", cells).err,
            HasSubstr("column 'v' (1 of 40, all of them '" + word +
                      "', the first in line 9) has cells that are nothing like the others: add --missing-text " +
                      quoted + " --missing v=mean (or"));
        EXPECT_EQ(fit("v", cells, {"--missing-text", "v=" + word, "--missing", "v=mean"}).exit_code, 0);
    }
    const auto several = [](int i) { return i == 7 ? "None" : i == 9 ? "--" : std::to_string(i * i % 17); };
    EXPECT_THAT(fit("v", several).err, HasSubstr("add --missing-text v=None --missing-text v=-- --missing v=mean"));
    const auto soon = [](int i) { return i == 7 ? "soon" : std::to_string(i * i % 17); };
    EXPECT_THAT(fit("v", soon).err, HasSubstr("add --bad-rows 1, or"));
}

TEST_F(Advice, AColumnOfOneValueAndGapsKeepsBoth) {
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
        EXPECT_THAT(finished.err, HasSubstr("left out 1 row without a value of 'w'"));
        EXPECT_EQ(json::parse(finished.out)["points"], 39);
    }
    EXPECT_THAT(fit("w", weight, {"--weight", "w", "--missing", "w=mean"}).err,
                HasSubstr("--missing w=mean: a weight is not filled in; =drop leaves rows without one out"));
}

TEST_F(Advice, ATitleIsLeftOutUpToTheHeader) {
    const std::string title = directory.write("title.csv", "Report of May\n\nAll sites\nx,sex\n1,f\n2,m\n").string();
    EXPECT_THAT(of_file(title).err, HasSubstr("tail -n +4 FILE | fairstream ... --input - begins with line 4"));
    const std::string alone = directory.write("alone.csv", "Report of May\nx,sex\n1,f\n").string();
    EXPECT_THAT(of_file(alone).err, HasSubstr("tail -n +2 FILE | fairstream ... --input - begins with line 2"));
}

TEST_F(Advice, WhatReadsAFileWithOddQuotesOrBlanksReadsIt) {
    std::string tabs, blanks, escaped, parted;
    for (int i = 0; i < 40; ++i) {
        const std::string x = std::to_string(i % 2 * 50 + i % 5), sex = i % 3 == 0 ? "m" : "f";
        tabs += x + "\tJoe \"J\" Doe\t" + sex + "\n";
        blanks += x + ", \"" + sex + "\" \n";
        escaped += x + ",\"a \\\"q\\\" b\"," + sex + "\n";
        parted += x + "  " + sex + "\n";
    }
    const std::vector<std::pair<std::string, std::string>> files{{"tabs", "x\tname\tsex\n" + tabs},
                                                                 {"blanks", "x, \"sex\"\n" + blanks},
                                                                 {"escaped", "x,name,sex\n" + escaped},
                                                                 {"parted", "x sex\n" + parted}};
    for (const auto& [name, text] : files) {
        const std::string file = directory.write(name + ".csv", text).string();
        const std::string err = of_file(file).err;
        const std::size_t first = err.find("sed '"), end = err.find(" FILE | fairstream ... --input -");
        ASSERT_TRUE(first < end && end != std::string::npos) << err;
        const std::string edited = (directory / "edited.csv").string();
        ASSERT_EQ(test::run({"/bin/sh", "-c", err.substr(first, end - first) + " " + file + " > " + edited}).exit_code,
                  0);
        const test::Finished finished =
            name == "parted" || name == "blanks" ? of_file(edited) : of_file(edited, {"--leave-out", "name"});
        EXPECT_EQ(finished.exit_code, 0) << name << ": " << finished.err;
    }
    const std::string table = directory.write("table.txt", "\"x\" \"sex\"\n\"1\" 20 \"f\"\n").string();
    EXPECT_THAT(of_file(table).err, HasSubstr("R's write.csv(..., row.names = FALSE) writes commas"));
}

TEST_F(Advice, SpellingsOfNaNAreMissingValues) {
    const auto cells = [](int i) { return i % 10 == 0 ? std::string("NAN") : std::to_string(i) + ".5"; };
    EXPECT_THAT(fit("v", cells).err, AllOf(HasSubstr("--missing-text v=NAN"), Not(HasSubstr("decimal"))));
    EXPECT_EQ(fit("v", cells, {"--missing-text", "v=NAN", "--missing", "v=mean"}).exit_code, 0);
    const auto mixed = [](int i) {
        return i == 3 ? std::string("Nan") : i == 5 ? "missing" : std::to_string(i) + ".5";
    };
    EXPECT_THAT(fit("v", mixed).err, HasSubstr("--missing-text v=Nan --missing-text v=missing --missing v=mean"));
}

TEST_F(Advice, DatesThatAreNotReadAreTakenForSuch) {
    for (const std::string day :
         {"2021-03-27 06:00:00 CET", "27Mar2021", "27MAR2021:06:00:00", "Sat Mar 27 06:00:00 2021"})
        EXPECT_THAT(fit("d", [&](int i) { return i % 2 == 0 ? day : "2021-03-28 06:00:00 CET"; }).err,
                    HasSubstr("; if 'd' has dates, write them like 2026-01-31"))
            << day;
    for (const std::string text : {"Margaret 3", "March", "a:b", "room 12:3"})
        EXPECT_THAT(fit("d", [&](int i) { return i % 2 == 0 ? text : "other"; }).err, Not(HasSubstr("has dates")));
}

TEST_F(Advice, ColumnsOfOneValueAreTold) {
    const auto cells = [](int) { return std::string("5,red"); };
    EXPECT_THAT(fit("v,colour", cells, {"--categorical", "colour=onehot"}).err,
                HasSubstr("columns 'v', 'colour' have one value each alone, which tell no points apart: --leave-out "
                          "v,colour leaves them out"));
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
    EXPECT_THAT(finished.out, HasSubstr("  ... and 61 columns more: --report has all\n"));
    EXPECT_LT(lines_of(finished.out).size(), 80U);
}

TEST_F(Advice, ValuesThatAreTooLargeAreIdsOrTimes) {
    const auto cells = [](int i) { return std::to_string(9007199254740993 + i); };
    EXPECT_THAT(fit("v", cells).err, HasSubstr("--leave-out v leaves the column out, --id v takes it for ids; of times "
                                               "since 1970, write seconds"));
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
                HasSubstr("must be one value, or one for each of 1 attributes: name several by attribute"));
}

TEST_F(Advice, ObjectsOfSeveralLinesArePutOnOne) {
    const std::string pretty = directory.write("pretty.json", "{\n  \"x\": 1,\n  \"sex\": \"f\"\n}\n").string();
    EXPECT_THAT(of_file(pretty).err,
                HasSubstr("if each object has several lines, put it on one: jq -c . FILE | fairstream ... --input -"));
}

TEST_F(Advice, BlankLinesBetweenRowNumbersMeanNothing) {
    const std::string rows = directory.write("rows.txt", "\n0\n1\n \n2\r\n\r\n3\n\n").string();
    const test::Finished finished = fit("v", [](int i) { return std::to_string(i % 7); }, {"--rows", rows, "--json"});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(json::parse(finished.out)["points"], 4);
}

TEST_F(Advice, AnOutputThatIsAFolderIsRefusedBeforeTheWork) {
    const std::string folder = directory.path().string();
    for (const char* option : {"--labels", "--report", "--save-config"}) {
        const test::Finished finished = fit("v", [](int i) { return std::to_string(i % 7); }, {option, folder});
        EXPECT_EQ(finished.exit_code, 2);
        EXPECT_EQ(finished.err, "fairstream fit: " + std::string(option) + " " + folder + ": is a folder\n");
    }
}

}  // namespace
}  // namespace fairstream::command
