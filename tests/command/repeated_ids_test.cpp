/// Among rows with one id the last counts, in all uses: splits, scales, fronts.

#include <gtest/gtest.h>

#include "applicants.hpp"
#include "front_files.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* note = "earlier row";

/// The applicants, and the same with additional rows before them that repeat some ids, but differ in all else: once in
/// another part of each split, and once in the same part.
struct RepeatedApplicants {
    RepeatedApplicants() {
        std::istringstream all(test::file_bytes(applicants.file));
        std::string header, rest;
        std::getline(all, header);
        std::string text = header + "\n";
        for (std::size_t i = 0; i < 60; ++i) {
            const std::size_t three = applicants.parts[i];
            for (const std::size_t part : {(three + 1) % 3, three})
                text += std::to_string(5000 - i) + ",9,-9," + (applicants.males[i] ? "female," : "male,") +
                        (applicants.goods[i] ? "0," : "1,") + (part == 2 ? "1," : "0,") + std::to_string(part) + "\n";
        }
        for (std::string line; std::getline(all, line);) rest += line + "\n";
        repeated = applicants.directory.write("repeated.csv", text + rest).string();
    }
    [[nodiscard]] test::Finished fit(const std::string& file, const std::string& model,
                                     std::vector<std::string> more) const {
        std::vector<std::string> arguments{"fit",      model,     "--input", file,       "--features",
                                           "x,y",      "--group", "sex",     "--id",     "id",
                                           "--target", "good",    "--json",  "--scores", scores()};
        const bool is_network = model == "esvd_fair";
        arguments.insert(arguments.end(), {"--set", is_network ? "epochs=2" : "interval=0.1,0.4"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return fairstream(std::move(arguments));
    }
    [[nodiscard]] std::string scores() const { return applicants.path("scores.csv"); }

    Applicants applicants;
    std::string repeated;
};

TEST(RepeatedIds, LastRowCountsInEveryPart) {
    const RepeatedApplicants of;
    for (const auto& [model, split] :
         {std::pair<std::string, std::vector<std::string>>{"partial_fair_scorer", {"--split", "three"}},
          {"partial_fair_scorer", {"--split", "0.7,0.3", "--standardise"}},
          {"esvd_fair", {"--split", "two", "--standardise"}},
          {"esvd_fair", {"--split", "0.6,0.2,0.2", "--seed", "2"}}}) {
        SCOPED_TRACE(model + " " + split[1]);
        const test::Finished alone = of.fit(of.applicants.file.string(), model, split);
        const std::string expected = test::file_bytes(of.scores());
        EXPECT_THAT(alone.err, Not(HasSubstr(note)));
        const test::Finished replaced = of.fit(of.repeated, model, split);
        EXPECT_THAT(replaced.err, Names({"120 rows", note}));
        EXPECT_EQ(replaced.exit_code, alone.exit_code) << replaced.err;
        EXPECT_EQ(test::file_bytes(of.scores()), expected);
    }
}

TEST(RepeatedIds, FullyReplacedPartIsReported) {
    const Applicants applicants;
    const std::string file =
        applicants.directory.write("gone.csv", "id,x,sex,good,part\n1,1,m,0,1\n1,2,m,1,0\n2,3,f,0,0\n3,4,m,0,0\n")
            .string();
    const test::Finished refused = fairstream({"fit", "partial_fair_scorer", "--input", file, "--group", "sex",
                                               "--target", "good", "--id", "id", "--split", "part"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("for test"));
}

TEST(RepeatedIds, OfSelectedRowsTheLastSelectedCounts) {
    const Applicants applicants;
    std::string text = "id,x,sex\n", rows;
    for (int i = 0; i < 40; ++i)
        text += std::to_string(i % 20) + "," + std::to_string(i) + (i % 20 % 2 ? ",m\n" : ",f\n");
    for (int i = 0; i < 21; ++i) rows += std::to_string(i) + "\n";
    const test::Finished finished = fairstream(
        {"fit", "safairkm", "--input", applicants.directory.write("all.csv", text).string(), "--id", "id", "--group",
         "sex", "--clusters", "2", "--json", "--rows", applicants.directory.write("rows", rows).string()});
    EXPECT_THAT(finished.err, Names({"1 row ", note}));
    EXPECT_EQ(json::parse(finished.out)["points"], 20);
}

TEST(RepeatedIds, FrontUsesLastRows) {
    const People people;
    std::istringstream all(test::file_bytes(people.file));
    std::string text, rest;
    std::getline(all, text);
    text += "\n";
    for (int i = 0; i < 30; ++i) text += std::to_string(1000 - i) + ",99.5,99.5,female,2\n";
    for (std::string line; std::getline(all, line);) rest += line + "\n";
    const std::string repeated = people.directory.write("repeated.csv", text + rest).string();
    const auto front = [&](const std::string& file, std::vector<std::string> more) {
        std::vector<std::string> arguments{
            "front",      "--input", file,       "--id", "id",       "--group",        "sex",    "--json",
            "--clusters", "3",       "--stages", "6",    "--labels", people.path("l"), "--pick", "balance>=0.2"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return fairstream(std::move(arguments));
    };
    for (const std::vector<std::string>& more : {std::vector<std::string>{"--features", "x,y"},
                                                 {"--features", "y", "--weight", "x"},
                                                 {"--features", "x,y", "--standardise"},
                                                 {"fair_spectral", "--features", "x,y"}}) {
        SCOPED_TRACE(more.back());
        const test::Finished alone = front(people.file.string(), more);
        const std::string labels = test::file_bytes(people.path("l"));
        const test::Finished replaced = front(repeated, more);
        EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
        EXPECT_THAT(replaced.err, Names({"30 rows", note}));
        EXPECT_EQ(json::parse(replaced.out)["front"], json::parse(alone.out)["front"]);
        EXPECT_EQ(test::file_bytes(people.path("l")), labels);
    }
}

}  // namespace
}  // namespace fairstream::command
