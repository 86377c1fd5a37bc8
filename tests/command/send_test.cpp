/// Output of `fairstream send` on points that may have become something else than meant.

#include <string>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A stream with named columns and a window by age, and with some points of unknown sex.
std::string shops_config() {
    return R"([stream]
columns = ["income", "age", "city"]
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
unknown = "not said"
[[stream.attribute]]
name = "region"
groups = ["north", "south"]
unknown = "elsewhere"
[window]
max_age = "1h"
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 2
parity_at_least = 0
[prepare]
missing = "mean"
[[prepare.column]]
name = "city"
levels = ["Paris", "Lyon"]
)";
}

class SendSays : public ::testing::Test {
protected:
    void serve() { engine_ = std::make_unique<test::Process>(site_.serve_arguments()); }
    void stop() { Site::stop(*engine_); }
    [[nodiscard]] std::vector<std::string> arguments(std::string_view text, std::vector<std::string> more = {}) const {
        const std::string file = site_.directory().write("points.csv", text).string();
        more.insert(more.begin(), {"send", "--ingest", site_.endpoint("ingest"), "--timeout", "60", "--input", file});
        return more;
    }
    [[nodiscard]] std::vector<std::string> as_json(std::string_view text, std::vector<std::string> more = {}) const {
        more.emplace_back("--json");
        return arguments(text, std::move(more));
    }
    /// Returns the number of retained points of each group, from two clusters of one attribute.
    [[nodiscard]] std::vector<std::int64_t> groups_of(std::size_t attribute, std::size_t groups) const {
        const json counts = json_of({"replay", site_.recording(),
                                     "--json"})["runs"][0]["models"][0]["final"]["attributes"][attribute]["counts"];
        std::vector<std::int64_t> sums(groups);
        for (std::size_t i = 0; i < counts.size(); ++i) sums[i % groups] += counts[i].get<std::int64_t>();
        return sums;
    }

    const Site site_{shops_config()};
    std::unique_ptr<test::Process> engine_;
};

TEST_F(SendSays, HowManyPointsCameTooLate) {
    serve();
    std::string text = "income,age,city,sex,region,at\n";
    for (int i = 0; i < 10; ++i) text += std::to_string(i) + ",20,Paris,f,north,2026-01-01T10:00Z\n";
    for (int i = 0; i < 990; ++i) text += "1,20,Lyon,m,south,2026-01-01T08:00Z\n";
    const std::vector<std::string> by_time{"--time", "at", "--batch", "10"};
    const test::Finished sent = fairstream(arguments(text, by_time));
    EXPECT_EQ(sent.exit_code, 0);
    EXPECT_THAT(sent.out, Names({"100 on disk, 0 refused", "990 of 1,000 points", "2026-01-01T09:00:00Z", "max_age"}));
    const json again = json_of(as_json(text, by_time));
    EXPECT_EQ(again["late_points"], 990);
    EXPECT_EQ(again["late_before"], "2026-01-01T09:00:00Z");
    const json in_time =
        json_of(as_json("income,age,city,sex,region,at\n1,2,Lyon,m,north,2026-01-01T10:30Z\n", by_time));
    EXPECT_EQ(in_time["late_points"], 0);
    EXPECT_TRUE(in_time["late_before"].is_null());
    stop();
    const json run = json_of({"replay", site_.recording(), "--json"})["runs"][0];
    EXPECT_EQ(run["late_points"], 1980);
    EXPECT_THAT(fairstream({"replay", site_.recording()}).out, HasSubstr("1,980 points"));
}

TEST_F(SendSays, WideMessagesUnderMaxAge) {
    serve();
    std::string text = "income,age,city,sex,region,at\n";
    for (int i = 0; i < 60; ++i)
        text +=
            std::to_string(i) + ",20,Paris,f,north,2026-01-01T10:" + (i < 10 ? "0" : "") + std::to_string(i) + "Z\n";
    EXPECT_THAT(only_warning(json_of(as_json(text, {"--time", "at"}))["warnings"]),
                Names({"'at'", "59m", "1h", "--batch N"}));
    EXPECT_EQ(json_of(as_json(text, {"--time", "at", "--batch", "5"}))["warnings"], json::array());
    stop();
}

TEST_F(SendSays, PresentTimeEmptiesWindow) {
    serve();
    const std::string text = "income,age,city,sex,region,at\n1,20,Paris,f,north,2026-01-01T10:00Z\n";
    EXPECT_EQ(json_of(as_json(text))["warnings"], json::array()) << "before there are points";
    stop();
    const Site other{shops_config()};
    test::Process engine(other.serve_arguments());
    const auto sent = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"--input", other.directory().write("points.csv", text).string()};
        all.insert(all.end(), more.begin(), more.end());
        return json::parse(test::run(other.send_arguments(all)).out)["warnings"];
    };
    EXPECT_EQ(sent({"--time", "at"}), json::array());
    const test::Finished refused =
        test::run(other.send_arguments({"--input", other.directory().write("points.csv", text).string()}));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("--time"));
    EXPECT_THAT(only_warning(sent({"--future-times"})), Names({"1h", "2026-01-01T10:00:00Z", "--time COL"}));
    Site::stop(engine);
}

TEST_F(SendSays, UnusedAndMissingColumns) {
    serve();
    const std::string text = "income,age,city,sex,region,paid\n45,20,Paris,f,north,1\n5,30,Lyon,m,north,0\n";
    EXPECT_THAT(only_warning(json_of(as_json(text, {"--target", "paid"}))["warnings"]), HasSubstr("--target paid"));
    stop();
    std::string weighted = shops_config();
    weighted.insert(weighted.find("[[stream.attribute]]"), "weights = true\n");
    const Site site{weighted};
    test::Process engine(site.serve_arguments());
    const std::string file =
        site.directory().write("p.csv", "income,age,city,sex,region,w\n1,20,Paris,f,north,2\n").string();
    const auto sent = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"--input", file};
        all.insert(all.end(), more.begin(), more.end());
        return json::parse(test::run(site.send_arguments(all)).out)["warnings"];
    };
    EXPECT_THAT(only_warning(sent({})), HasSubstr("--weight COL"));
    EXPECT_EQ(sent({"--weight", "w"}), json::array());
    Site::stop(engine);
}

TEST_F(SendSays, TheOrderThatReadsATime) {
    serve();
    const std::string text = "income,age,city,sex,region,at\n1,20,Paris,f,north,31.12.2025\n";
    EXPECT_THAT(fairstream(arguments(text, {"--time", "at"})).err,
                Names({"'at'", "'31.12.2025'", "1 of 1 row", "add --date-order day_first"}));
    EXPECT_EQ(fairstream(arguments(text, {"--time", "at", "--date-order", "day_first"})).exit_code, 0);
    stop();
}

TEST_F(SendSays, UnlistedCellsIgnoringBlanks) {
    serve();
    const std::string text =
        "income,age,city,sex,region\n"
        "1,20, Paris,f , north\n2,30,Paris2,x,south\n3,40,Lyonn,,south\n4,50,Paris2, m,mars\n5,60,Lyon\t,not "
        "said,south\n";
    const test::Finished sent = fairstream(arguments(text));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_EQ(sent.err, "");
    EXPECT_THAT(sent.out,
                Names({"\n2 cells of column 'sex'", "'not said': 'x' (1), '' (1)\n", "\n1 cell of column 'region'",
                       "'elsewhere': 'mars' (1)\n", "\n3 cells of column 'city'", "'Paris2' (2), 'Lyonn' (1)\n"}));
    const json told = json_of(as_json(text))["unlisted"];
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0],
              json({{"column", "sex"}, {"taken_for", "not said"}, {"cells", 2}, {"first", {{"x", 1}, {"", 1}}}}));
    EXPECT_EQ(told[2], json({{"column", "city"}, {"cells", 3}, {"first", {{"Paris2", 2}, {"Lyonn", 1}}}}));
    stop();
    EXPECT_THAT(groups_of(0, 3), ElementsAre(1, 1, 3));
    EXPECT_THAT(groups_of(1, 3), ElementsAre(1, 3, 1));
}

TEST_F(SendSays, NothingAboutLeftOutRows) {
    serve();
    const json told =
        json_of(as_json("income,age,city,sex,region,at\n1,20,Rome,x,north,2026-01-01T10:00Z\n2,20,Oslo,y,north,never\n",
                        {"--time", "at", "--bad-rows", "1"}));
    EXPECT_EQ(told["bad_rows"], 1);
    EXPECT_EQ(told["unlisted"][0]["first"], json({{"x", 1}}));
    EXPECT_EQ(told["unlisted"][1]["first"], json({{"Rome", 1}}));
    stop();
}

TEST_F(SendSays, FirstUnlistedCells) {
    serve();
    std::string many = "income,age,city,sex,region\n";
    for (int i = 0; i < 9; ++i) many += "1,20,Rome" + std::to_string(i % 7) + ",f,south\n";
    EXPECT_THAT(fairstream(arguments(many)).out,
                Names({"\n9 cells of column 'city'",
                       ": 'Rome0' (2), 'Rome1' (2), 'Rome2' (1), 'Rome3' (1), 'Rome4' (1), ...\n"}));
    stop();
}

TEST_F(SendSays, FileWithoutKnownGroupIsRefused) {
    serve();
    const auto rows = [](const std::string& sex, int count, const std::string& last = "") {
        std::string text = "income,age,city,sex,region,zone\n";
        for (int i = 0; i < count; ++i) text += "1,20,Paris," + sex + ",north,7\n";
        return text + last;
    };
    EXPECT_THAT(refusal(arguments(rows("Frau", 10))),
                AllOf(Names({"'sex'", "'f', 'm'", "'Frau'", "--group", "add --missing-text sex=Frau"}),
                      Not(HasSubstr("iconv"))));
    EXPECT_THAT(refusal(arguments(rows("weiblich", 10, "1,20,Paris,m\xe4nnlich,north,7\n"))),
                Names({"'m\xe4nnlich'", "UTF-8", "iconv -f LATIN1"}));
    EXPECT_THAT(refusal(arguments(rows("f", 10), {"--group", "sex,zone"})),
                Names({"'zone'", "'north', 'south'", "'7'"}));
    const auto unlisted = [&](const std::string& text, std::vector<std::string> more = {}) {
        return json_of(as_json(text, std::move(more)))["unlisted"];
    };
    EXPECT_EQ(unlisted(rows("Frau", 9))[0]["cells"], 9) << "a few points may be of new groups";
    EXPECT_EQ(unlisted(rows("Frau", 10, "1,20,Paris,m,north,7\n"))[0]["cells"], 10);
    EXPECT_EQ(unlisted(rows("", 10))[0]["cells"], 10) << "without a text";
    EXPECT_EQ(unlisted(rows("not said", 10)), json::array());
    EXPECT_EQ(unlisted(rows("Frau", 10), {"--missing-text", "sex=Frau"}), json::array());
    stop();
    EXPECT_EQ(json_of({"check", site_.recording(), "--json"})["events"], 5);
}

TEST_F(SendSays, UnlistedCellsWithInvalidUtf8) {
    serve();
    const json told = json_of(as_json("income,age,city,sex,region\n1,20,K\xf6ln,f,north\n"))["unlisted"];
    EXPECT_EQ(told[0]["first"], json({{"K\xef\xbf\xbdln", 1}}));
    stop();
}

TEST_F(SendSays, TakesTheEnginesOwnNamesInAnyOrder) {
    serve();
    const std::string text =
        "age,city,income,region,sex\n20,Paris,1000,north,f\n30,Lyon,2000,south,m\n40,Lyon,3000,south,m\n";
    const json sent = json_of(as_json(text, {"--group", "region,sex", "--features", "city,income,age"}));
    EXPECT_EQ(sent["unlisted"], json::array());
    EXPECT_EQ(sent["warnings"], json::array());
    const std::string renamed = "age,city,income,region,gender\n20,Paris,1000,north,f\n";
    EXPECT_THAT(only_warning(json_of(as_json(renamed, {"--group", "region,gender"}))["warnings"]),
                Names({"--group", "gender", "sex"}));
    EXPECT_THAT(refusal(arguments(text, {"--group", "region,age"})), Names({"--group", "sex, region"}));
    EXPECT_THAT(refusal(arguments(text, {"--features", "income,age"})), Names({"--features", "income, age, city"}));
    stop();
    EXPECT_THAT(groups_of(0, 3), ElementsAre(1, 2, 0)) << "the one that came last has the id of an earlier one";
    EXPECT_THAT(groups_of(1, 3), ElementsAre(1, 2, 0));
}

TEST_F(SendSays, WhatItTookByPosition) {
    serve();
    const std::string text = "wage,years,town,gender,part\n1000,20,Paris,f,north\n2000,30,Lyon,m,south\n";
    const std::vector<std::string> others{"--group", "gender,part", "--features", "wage,years,town", "--batch", "1"};
    const std::string noted = fairstream(arguments(text, others)).err;
    EXPECT_THAT(noted, AllOf(ContainsRegex("--group: gender .*sex, part .*region\n"),
                             ContainsRegex("--features: wage .*income, years .*age, town .*city\n")));
    const json warnings = json_of(as_json(text, others))["warnings"];
    EXPECT_EQ(noted, warnings.at(0).get<std::string>() + "\n" + warnings.at(1).get<std::string>() + "\n");
    stop();
}

TEST_F(SendSays, WhichUnitTimesAreProbablyIn) {
    serve();
    const std::string text =
        "income,age,city,sex,region,at\n1,20,Paris,f,north,1767261600000\n2,30,Lyon,m,north,1767261601000\n";
    const test::Finished refused = fairstream(arguments(text, {"--time", "at"}));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"'at'", "'1767261600000'", "2026-01-01T10:00:00Z", "1970-01-21T10:54:21.600000Z",
                                    "2 of 2 rows", ": add --time-unit ms"}));
    EXPECT_EQ(json_of(as_json(text, {"--time", "at", "--time-unit", "ms"}))["warnings"], json::array());
    EXPECT_THAT(refusal(arguments(text, {"--time", "at", "--time-unit", "min"})), HasSubstr("--time-unit min"));
    EXPECT_THAT(refusal(arguments(text, {"--time-unit", "ms"})), HasSubstr("--time"));
    // In milliseconds these times are in 2026, so that times in 1970 are now late.
    EXPECT_EQ(json_of(as_json(text, {"--time", "at", "--time-unit", "us"}))["late_points"], 2);
    const std::string nanoseconds = "income,age,city,sex,region,at\n1,20,Paris,f,north,1767261600000000000\n";
    EXPECT_THAT(fairstream(arguments(nanoseconds, {"--time", "at"})).err, HasSubstr(": add --time-unit ns"));
    stop();
}

TEST_F(SendSays, CoarseFloat32ColumnOnce) {
    serve();
    std::string text = "income,age,city,sex,region\n";
    for (int i = 0; i < 100; ++i)
        text += std::to_string(1'700'000'000 + i % 19) + "," + std::to_string(20 + i % 50) + ",Paris,f,north\n";
    const test::Finished sent = fairstream(arguments(text, {"--batch", "20"}));
    EXPECT_THAT(sent.err, AllOf(Names({"'income'", "float32", "100 %", "1700000000"}), Not(HasSubstr("'age'"))));
    EXPECT_EQ(std::count(sent.err.begin(), sent.err.end(), '\n'), 1) << sent.err;
    stop();
}

/// A stream of two columns, with more lines on the columns.
std::string two_columns_config(const std::string& more) {
    return R"([stream]
columns = ["income", "age"]
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[[model]]
kind = "safairkm"
[model.options]
clusters = 2
parity_at_least = 0
)" + more;
}

TEST(Send, ScalesForUnpreparedStreamOnly) {
    std::string text = "income,age,sex\n";
    for (int i = 0; i < 100; ++i)
        text += std::to_string(1'700'000'000 + i % 19) + "," + std::to_string(20 + i % 50) + ",f\n";
    const auto sent = [](const Site& site, const std::string& rows) {
        return test::run(
            site.send_arguments({"--input", site.directory().write("p.csv", rows).string(), "--standardise"}));
    };
    {
        const Site site(two_columns_config(""));
        test::Process engine(site.serve_arguments());
        const auto warning = [&](const std::string& rows) {
            return only_warning(json::parse(sent(site, rows).out)["warnings"]);
        };
        EXPECT_THAT(warning(text), Names({"'income'", "[prepare] scale"}));
        EXPECT_THAT(warning("income,age,sex\n1,20,f\n2,30,m\n"), HasSubstr("[prepare] scale"));
        Site::stop(engine);
    }
    for (const char* prepare : {"scale = \"running\"", "scale = \"range\"", "clip = [0, 100]", "missing = \"mean\"",
                                "[[prepare.column]]\nname = \"age\"\nlevels = [\"20\", \"30\"]"}) {
        const Site site(two_columns_config("[prepare]\n" + std::string(prepare) + "\n"));
        test::Process engine(site.serve_arguments());
        const test::Finished refused = sent(site, text);
        EXPECT_EQ(refused.exit_code, 2) << prepare;
        EXPECT_EQ(refused.out, "") << prepare;
        EXPECT_THAT(refused.err, Names({"--standardise: [prepare]", "remove this option"})) << prepare;
        Site::stop(engine);
        EXPECT_EQ(json_of({"check", site.recording(), "--json"})["events"], 0) << prepare;
    }
}

TEST(Send, ShrinksBatchesAboveLimit) {
    const Site site(applicants_config() + "\n[ingest]\nmax_message_bytes = 4096\n");
    test::Process engine(site.serve_arguments());
    const json sent = json::parse(test::run(site.send_arguments({"--generate", "loans", "--points", "400"})).out);
    EXPECT_EQ(sent["acked"], sent["events"]);
    EXPECT_GE(sent["events"], 5) << "of at most 4096 bytes, more than 40 a point";
    EXPECT_EQ(sent["answered"], 400);
    EXPECT_TRUE(sent["failure"].is_null());
    const test::Finished refused =
        test::run(site.send_arguments({"--generate", "loans", "--points", "400", "--batch", "400"}));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"--batch N", "400"}));
    Site::stop(engine);
}

TEST(Send, ReportsRetainedCount) {
    const Site site;
    test::Process engine(site.serve_arguments());
    const auto sent = [&](const char* points) {
        return fairstream({"send", "--ingest", site.endpoint("ingest"), "--timeout", "60", "--generate", "loans",
                           "--points", points})
            .out;
    };
    EXPECT_THAT(sent("2000"), Not(HasSubstr("capacity")));
    EXPECT_THAT(sent("2001"), Names({"2,000 points", "capacity"}));
    Site::stop(engine);
}

TEST(Send, GivesUpWaitingForRate) {
    const Site site;
    test::Process engine(site.serve_arguments());
    test::Process sender({program(), "send", "--ingest", site.endpoint("ingest"), "--timeout", "0.5", "--generate",
                          "loans", "--points", "1000", "--batch", "1", "--rate", "20", "--json"});
    const std::string sequence = "4";  // points have come by this event
    EXPECT_EQ(test::run(site.watch_arguments("fair", {"--until-sequence", sequence})).exit_code, 0);
    engine.signal(SIGKILL);
    (void)engine.wait();
    const test::Finished ended = sender.wait();
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("0.5 s"));
    const json report = json::parse(ended.out);
    EXPECT_EQ(report["stopped"], true);
    EXPECT_THAT(report["failure"].get<std::string>(), HasSubstr("0.5 s"));
    EXPECT_LT(report["answered"], report["sent"]) << "from which on they are to be sent again";
    EXPECT_LT(report["sent"], 1000);
    EXPECT_THAT(ended.err, HasSubstr("point " + std::to_string(report["answered"].get<int>() + 1) + " "));
}

}  // namespace
}  // namespace fairstream::command
