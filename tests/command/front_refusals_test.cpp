/// Refusals of `fairstream front`, and its end by a signal.

#include <gtest/gtest.h>

#include "front_files.hpp"
#include "terminal.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FrontRefusals : public ::testing::Test {
protected:
    std::string refused(const std::vector<std::string>& options) const { return refusal(people.front(options)); }
    std::string overlay(const std::string& text) const {
        return refused({"--plot", people.path("p.svg"), "--overlay", people.directory.write("o.json", text).string()});
    }
    void TearDown() override {
        for (const char* name : {"out.json", "out.csv", "p.svg", "labels.csv"})
            EXPECT_FALSE(std::filesystem::exists(people.directory / name)) << name << " was written all the same";
    }
    People people;
};

TEST_F(FrontRefusals, APickThatIsNone) {
    for (const char* pick : {"best", "balance", "balance>=", "balance>0.5", "balance<=0.5", "cost>=1", "cost<=", "Knee",
                             "cost<=1,5", "balance>=0.5x", "balance>= 0.5", "balance>=nan", "cost<=inf", "cost<=-nan"})
        EXPECT_THAT(refused({"--report", people.path("out.json"), "--pick", pick}),
                    AllOf(StartsWith("fairstream front: --pick " + std::string(pick) + ": "),
                          Names({"balance>=X", "cost<=X"})));
}

TEST(FrontOfFairSpectral, UnknownGroupIsRefusedWithRemedy) {
    const test::TemporaryDirectory directory;
    std::string text = "x,y,g\n";
    for (int i = 0; i < 40; ++i)
        text += std::to_string(i % 7) + "," + std::to_string(i % 5) +
                (i % 9 == 0   ? ",\n"
                 : i % 2 == 0 ? ",a\n"
                              : ",b\n");
    const std::string file = directory.write("gaps.csv", text).string();
    const auto refused_with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"front", "fair_spectral", "--input", file, "--group", "g", "--clusters", "2"});
        return refusal(more);
    };
    EXPECT_THAT(refused_with({}), HasSubstr("--missing g=drop"));
    EXPECT_THAT(refused_with({"--unknown-group", "none"}), Names({"--unknown-group", "--missing g=drop"}));
}

TEST_F(FrontRefusals, OptionsThatNeedAnother) {
    EXPECT_THAT(refused({"--labels", people.path("labels.csv")}), HasSubstr("--labels needs --pick"));
    EXPECT_THAT(refused({"--overlay", people.path("o.json")}), HasSubstr("--overlay needs --plot"));
    for (const char* name : {"p", "p.png", "p.svg.gz", "svg"})
        EXPECT_THAT(refused({"--plot", people.path(name)}), Names({"--plot", ".html", ".svg"}));
}

TEST_F(FrontRefusals, DestructiveOutputs) {
    const std::string before = test::file_bytes(people.file), input = people.file.string(),
                      rows = people.directory.write("rows.txt", "1\n2\n3\n").string(),
                      other = people.directory.write("other.svg", R"({"front": [{"cost": 1, "balance": 0}]})").string();
    for (const char* option : {"--report", "--csv", "--labels"})
        EXPECT_THAT(refused({option, input, "--pick", "knee"}), Names({option, input}));
    EXPECT_THAT(refused({"--csv", rows, "--rows", rows}), Names({rows, "--csv"}));
    EXPECT_THAT(refused({"--plot", other, "--overlay", other}), Names({other, "--plot"}));
    EXPECT_THAT(refused({"--plot", other, "--overlay", "NAME=" + other}), Names({other, "--plot"}));
    EXPECT_THAT(refused({"--report", people.path("out.csv"), "--csv", people.path("./out.csv")}),
                Names({"--report", "--csv"}));
    EXPECT_EQ(test::file_bytes(people.file), before);
    EXPECT_EQ(test::file_bytes(rows), "1\n2\n3\n");
}

TEST_F(FrontRefusals, SettingsThatTheCommandHasOptionsFor) {
    for (const auto& [setting, instead] :
         {std::pair("kmeans_updates=3", "--pairs"), std::pair("swaps=3", "--pairs"), std::pair("starts=3", "--starts"),
          std::pair("clusters=3", "--clusters"), std::pair("seed=3", "--seed"), std::pair("attribute=0", "--attribute"),
          std::pair("balance_at_least=0.3", "--pick")})
        EXPECT_THAT(refused({"--set", setting}), HasSubstr("--set " + std::string(setting) + ": use " + instead));
    EXPECT_THAT(refused({"--set", "swop=nearest"}), Names({"swop", "centre_update"}));
    EXPECT_THAT(refused({"--set", "swap=farthest"}), Names({"farthest", "exact_change|nearest"}));
    EXPECT_THAT(refused({"--set", "swap"}), HasSubstr("--set swap: must be OPTION=VALUE"));
}

TEST_F(FrontRefusals, PairsThatAreNone) {
    for (const char* pair : {"64", "a:b", "1:2:3", ":", "1:", ":1", "1.5:2", "64 :0", "9223372036854775808:0"})
        EXPECT_THAT(refused({"--pairs", pair}), HasSubstr("--pairs " + std::string(pair) + ":"));
    EXPECT_THAT(refused({"--pairs", "8:0,7:2"}), Names({"(7, 2)", " 9", "(8, 0)", " 8"}));
    EXPECT_THAT(refused({"--pairs", "8:0", "--pairs", "7:2"}), Names({"(7, 2)", " 9"}));
    EXPECT_THAT(refused({"--pairs", "0:0"}), HasSubstr("(0, 0)"));
    EXPECT_THAT(refused({"--pairs", "9:-1"}), Names({"(9, -1)", "1000000000"}));
    EXPECT_THAT(refused({"--pairs", "9223372036854775807:9223372036854775807"}), HasSubstr("0 to 1000000000"));
}

TEST_F(FrontRefusals, NumbersOutOfRange) {
    for (const auto& [option, value, range] :
         {std::tuple("--clusters", "0", "1 to 32767"), std::tuple("--starts", "0", "1 to 1000"),
          std::tuple("--starts", "1001", "1 to 1000"), std::tuple("--stages", "-1", "0 to 1000000"),
          std::tuple("--rounds", "-1", "0 to 1000000"), std::tuple("--rounds", "1000001", "0 to 1000000"),
          std::tuple("--iterations-per-pair", "0", "1 to 1000000"), std::tuple("--limit", "0", "1 to 1000000"),
          std::tuple("--seed", "-1", "0 to 18446744073709551615"), std::tuple("--threads", "-1", "0 to 1024"),
          std::tuple("--threads", "1025", "0 to 1024"), std::tuple("--gap", "-0.1", "0 to 1"),
          std::tuple("--gap", "1.1", "0 to 1"), std::tuple("--gap", "nan", "0 to 1"),
          std::tuple("--rounds", "2x", "0 to 1000000")})
        EXPECT_THAT(refused({option, value}), Names({std::string(option) + ": '" + value + "' must be", range}));
    EXPECT_THAT(refused({"--gap", "1"}), HasSubstr("gap = 1:"));
}

TEST_F(FrontRefusals, PointsThatCannotBeBalanced) {
    EXPECT_THAT(refusal({"front", "--input", people.file.string(), "--features", "x,y"}), HasSubstr("--group"));
    EXPECT_THAT(refused({"--attribute", "age"}), Names({"--attribute age", "sex"}));
    EXPECT_THAT(refused({"--attribute", "sex,sex"}), Names({"--attribute", "'sex'", "twice"}));
    EXPECT_THAT(refused({"--clusters", "241"}), Names({"clusters = 241", " 240"}));
    const auto front_of = [&](const std::string& text, std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"front", "--input", people.directory.write("bad.csv", text).string(), "--group", "g"});
        return refusal(more);
    };
    EXPECT_THAT(front_of("x,g\n1,a\n2,a\n", {"--clusters", "1"}), Names({"'g'", "one group"}));
    const std::string rows = people.directory.write("rows.txt", "0\n1\n").string();
    EXPECT_THAT(front_of("x,g\n1,a\n2,a\n3,b\n", {"--clusters", "1", "--rows", rows}), Names({"'b'", "'g'"}));
    EXPECT_THAT(front_of("x,g\n1,a\nnan,b\n", {}), HasSubstr("bad.csv: column 'x' (1 of 2) lacks values"));
    EXPECT_THAT(front_of("x,h\n1,a\n", {}), HasSubstr("'g'"));
    EXPECT_THAT(refusal({"front", "--group", "g"}), HasSubstr("--input"));
    EXPECT_THAT(refusal({"front"}), StartsWith("fairstream front: no points"));
    EXPECT_THAT(refusal({"front", "--generate", "people"}), HasSubstr("'people'"));
    EXPECT_THAT(refused({"extra"}), Names({"'extra'", "safairkm", "fair_spectral"}));
    EXPECT_THAT(refused({"safairkm", "extra"}), HasSubstr("unexpected argument 'extra'"));
    EXPECT_THAT(refused({"--frobnicate"}), HasSubstr("unknown option '--frobnicate'"));
}

TEST_F(FrontRefusals, OverlaysThatAreNoFronts) {
    EXPECT_THAT(refused({"--plot", people.path("p.svg"), "--overlay", people.path("none.json")}),
                Names({"none.json", "No such"}));
    EXPECT_THAT(refused({"--plot", people.path("p.svg"), "--overlay", people.directory.path().string()}),
                Names({people.directory.path().string(), "directory"}));
    for (const char* text :
         {"", "x", "[1]", "7", "{}", R"({"front": [1]})", R"({"front": [{"cost": 1}]})",
          R"({"front": [{"cost": "1", "balance": 0}]})", R"({"front": [{"cost": null, "balance": 0}]})",
          R"({"front": [{"cost": 1e999, "balance": 0}]})", R"({"front": 5})"})
        EXPECT_THAT(overlay(text), Names({"--overlay ", "o.json:", "--report"})) << text;
    EXPECT_THAT(overlay(R"({"front": []})"), Names({"o.json:", "no points"}));
    EXPECT_THAT(overlay(R"({"front": [{"cost": 1, "balance": 0.5}, {"cost": 2, "balance": 0.5}]})"),
                Names({"o.json:", "dominate"}));
    EXPECT_THAT(overlay(R"({"front": [{"cost": -1, "balance": 0.5}]})"), HasSubstr("(-1.0, 0.5)"));
    EXPECT_THAT(overlay(R"({"front": [{"cost": 1, "balance": 1.5}]})"), HasSubstr("balance in [0, 1]"));
}

// Other requested files are written, and the line tells where the front goes.
TEST(FrontPick, MissingPickIsReportedAtEnd) {
    const People people;
    for (const char* pick : {"balance>=1.01", "cost<=0.001"}) {
        const test::Finished finished = fairstream(people.front(
            {"--json", "--pick", pick, "--labels", people.path("labels.csv"), "--report", people.path("front.json")}));
        EXPECT_EQ(finished.exit_code, 2);
        EXPECT_THAT(finished.err,
                    AllOf(StartsWith("fairstream front: --pick " + std::string(pick) + ": "), HasSubstr(" to cost ")));
        EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1);
        EXPECT_EQ(test::file_bytes(people.path("front.json")), finished.out);
        EXPECT_FALSE(json::parse(finished.out).contains("picked"));
        EXPECT_FALSE(std::filesystem::exists(people.path("labels.csv")));
    }
    const std::string two = people.directory.write("two.csv", "x,g\n-1,a\n1,b\n").string();
    const test::Finished single =
        fairstream({"front", "--input", two, "--group", "g", "--clusters", "1", "--pick", "knee"});
    EXPECT_EQ(single.exit_code, 2);
    EXPECT_THAT(single.err, HasSubstr("--pick knee"));
}

TEST(FrontPick, UnwritableOutputStillPrintsFront) {
    const People people;
    const test::Finished full = fairstream(people.front({"--report", "/dev/full"}));
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_THAT(full.err, HasSubstr("/dev/full"));
    EXPECT_THAT(full.out, HasSubstr("nondominated clusterings"));
    for (const char* option : {"--report", "--csv", "--plot", "--labels"}) {
        const test::Finished finished =
            fairstream(people.front({"--pick", "balance>=0", option, people.path("none/out.svg")}));
        EXPECT_EQ(finished.exit_code, 2) << option;
        EXPECT_THAT(finished.err, Names({"none/out.svg:", "folder"}));
    }
}

TEST(FrontStop, AnInterruptedSearchWritesWhatItHas) {
    const People people;
    const Terminal terminal;
    // Far more starts and rounds than anyone waits for; the line drawn after the first one is the sign.
    test::Process process({"/bin/sh",
                           "-c",
                           "terminal=$1; shift; exec \"$@\" 2>\"$terminal\"",
                           "sh",
                           terminal.name(),
                           program(),
                           "front",
                           "--generate",
                           "loans",
                           "--points",
                           "5000",
                           "--stages",
                           "0",
                           "--starts",
                           "1000",
                           "--rounds",
                           "1000000",
                           "--limit",
                           "1000000",
                           "--iterations-per-pair",
                           "1000",
                           "--report",
                           people.path("front.json"),
                           "--csv",
                           people.path("front.csv"),
                           "--plot",
                           people.path("front.svg"),
                           "--pick",
                           "balance>=0",
                           "--labels",
                           people.path("labels.csv")});
    ASSERT_TRUE(terminal.shows("starts ")) << process.wait().out;
    process.signal(SIGINT);
    const test::Finished finished = process.wait();
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.out, Names({"loans", "5,000 points", "stopped"}));
    const json report = json::parse(test::file_bytes(people.path("front.json")));
    EXPECT_EQ(report["stopped"], true);
    EXPECT_EQ(report["outcome"], "iteration_limit");
    EXPECT_EQ(rows_of(people.path("front.csv"), "cost,balance").size(), report["front"].size());
    EXPECT_EQ(rows_of(people.path("labels.csv"), "id,label").size(), 5000U);
    EXPECT_EQ(occurrences(test::file_bytes(people.path("front.svg")), "r=\"3\""), report["front"].size());
    EXPECT_EQ(report["picked"]["index"], 0);
}

}  // namespace
}  // namespace fairstream::command
