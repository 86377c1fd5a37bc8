/// Profiles of clusters in reports, summaries and CSV files, and input columns beside labels.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

/// Four young people and four old ones. Pay is missing of one young person and of two old ones.
///   mean age 23 and 64, of all 43.5; mean pay 1,200 and 3,100, of all 1,960; three clerks, and three who retired
class Profiles : public ::testing::Test {
protected:
    Profiles() {
        file = write("people.csv",
                     "name,age,pay,job,joined,sex,w\n"
                     "\"Doe, Ann\",20,1000,clerk,2020-01-01,female,1\n"
                     "Bob,22,1200,clerk,2020-01-03,male,1\n"
                     "Cy,24,,cook,2020-01-05,female,1\n"
                     "Di,26,1400,clerk,2020-01-07,male,1\n"
                     "Ed,60,3000,retired,2000-01-01,male,3\n"
                     "Flo,62,,retired,2000-01-03,male,1\n"
                     "Gus,64,,retired,2000-01-05,male,1\n"
                     "Hal,70,3200,cook,2000-01-07,female,1\n");
    }

    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        return directory.write(name, text).string();
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
    [[nodiscard]] std::string text_of(const std::string& name) const { return test::file_bytes(directory / name); }

    [[nodiscard]] Words fit(const Words& more) const {
        Words arguments{"fit", "safairkm", "--input", file,    "--group",
                        "sex", "--dates",  "days",    "--set", "parity_at_least=0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    [[nodiscard]] Words fit_two(const Words& more) const {
        Words all{"--features", "age,pay,job,joined", "--categorical", "onehot", "--missing",
                  "mean",       "--standardise",      "--clusters",    "2"};
        all.insert(all.end(), more.begin(), more.end());
        return fit(all);
    }
    static std::string out_of(Words arguments) {
        const test::Finished finished = fairstream(std::move(arguments));
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
        return finished.out;
    }
    static json report_of(Words arguments) {
        arguments.emplace_back("--json");
        return json::parse(out_of(std::move(arguments)));
    }
    /// Returns the profiles by a mean that differs between them.
    static std::map<double, json> by_mean(const json& report, const std::string& feature) {
        std::map<double, json> profiles;
        for (const json& profile : report["profiles"])
            profiles[std::round(profile["feature_means"][feature].get<double>())] = profile;
        EXPECT_EQ(profiles.size(), report["profiles"].size());
        return profiles;
    }

    test::TemporaryDirectory directory;
    std::string file;
};

TEST_F(Profiles, AreInTheUnitsOfTheFile) {
    const json report = report_of(fit_two({}));
    std::map<double, json> profiles = by_mean(report, "age");
    const json& young = profiles[23];
    const json& old = profiles[64];
    EXPECT_EQ(young["points"], 4);
    EXPECT_EQ(young["share"], 0.5);
    EXPECT_EQ(young["balances"], (json{{"sex", 1.0}}));
    EXPECT_EQ(old["balances"]["sex"], 1.0 / 3);
    EXPECT_EQ(young["shares_by_group"]["sex"], (json{{"female", 0.5}, {"male", 0.5}}));
    EXPECT_EQ(old["shares_by_group"]["sex"], (json{{"female", 0.25}, {"male", 0.75}}));
    EXPECT_EQ(young["feature_means"], (json{{"age", 23.0}, {"pay", 1200.0}}));
    EXPECT_EQ(old["feature_means"], (json{{"age", 64.0}, {"pay", 3100.0}}));
    EXPECT_EQ(young["feature_dates"], (json{{"joined", "2020-01-04T00:00:00Z"}}));
    EXPECT_EQ(young["level_shares"]["job"], (json{{"clerk", 0.75}, {"cook", 0.25}, {"retired", 0.0}}));
    EXPECT_EQ(young["missing_shares"], (json{{"pay", 0.25}}));
    EXPECT_EQ(old["missing_shares"], (json{{"pay", 0.5}}));

    const json& all = report["profile_of_all"];
    EXPECT_EQ(all["points"], 8);
    EXPECT_EQ(all["feature_means"], (json{{"age", 43.5}, {"pay", 1960.0}}));
    EXPECT_NEAR(all["feature_deviations"]["age"].get<double>(), std::sqrt(3438.0 / 8), 1e-12);
    EXPECT_NEAR(all["feature_deviations"]["pay"].get<double>(), std::sqrt(4'432'000.0 / 5), 1e-9);
    EXPECT_EQ(all["feature_dates"]["joined"], "2010-01-03T12:00:00Z");
    EXPECT_EQ(all["level_shares"]["job"], (json{{"clerk", 0.375}, {"cook", 0.25}, {"retired", 0.375}}));
    EXPECT_EQ(all["missing_shares"]["pay"], 0.375);
    EXPECT_EQ(all["shares_by_group"]["sex"], (json{{"female", 0.375}, {"male", 0.625}}));
}

TEST_F(Profiles, DistinctionsAreLargestInDeviations) {
    const json report = report_of(fit_two({}));
    std::map<double, json> profiles = by_mean(report, "age");
    const auto columns = [](const json& profile) {
        Words names;
        for (const json& one : profile["apart"]) names.push_back(one["column"]);
        return names;
    };
    // The young differ by 1.00, 0.99, 0.81 deviations, ahead of 0.77 for clerks; the old by 1.21, 1.00, 0.99.
    EXPECT_EQ(columns(profiles[23]), (Words{"joined", "age", "pay"}));
    EXPECT_EQ(columns(profiles[64]), (Words{"pay", "joined", "age"}));
    const json& joined = profiles[23]["apart"][0];
    EXPECT_EQ(joined["here"], "2020-01-04T00:00:00Z");
    EXPECT_EQ(joined["of_all"], "2010-01-03T12:00:00Z");
    const json& age = profiles[23]["apart"][1];
    EXPECT_EQ(age["statistic"], "mean");
    EXPECT_EQ(age["here"], 23.0);
    EXPECT_EQ(age["of_all"], 43.5);
    EXPECT_NEAR(age["difference"].get<double>(), -20.5 / std::sqrt(3438.0 / 8), 1e-12);
    const json& pay = profiles[64]["apart"][0];
    EXPECT_NEAR(pay["difference"].get<double>(), 1140 / std::sqrt(4'432'000.0 / 5), 1e-12);
}

TEST_F(Profiles, DistinctLevelHasLargestDifference) {
    const json report = report_of(fit({"--features", "age,job", "--categorical", "job=onehot", "--clusters", "2"}));
    std::map<double, json> profiles = by_mean(report, "age");
    for (const auto& [age, level] : {std::pair(23, "clerk"), {64, "retired"}}) {
        const json& job = profiles[age]["apart"][1];
        EXPECT_EQ(job["column"], "job");
        EXPECT_EQ(job["level"], level);  // not the other level, whose share is too low by the same amount
        EXPECT_EQ(job["statistic"], "share");
        EXPECT_EQ(job["here"], 0.75);
        EXPECT_EQ(job["of_all"], 0.375);
        EXPECT_NEAR(job["difference"].get<double>(), 0.375 / std::sqrt(0.375 * 0.625), 1e-12);
    }
}

TEST_F(Profiles, MissingValuesSetAClusterApartToo) {
    const std::string gaps = write("gaps.csv", "x,seen\n0,1\n1,1\n2,1\n3,1\n100,\n101,\n102,\n103,1\n");
    const json report = report_of({"fit", "safairkm", "--input", gaps, "--missing", "mean", "--clusters", "2"});
    std::map<double, json> profiles = by_mean(report, "x");
    const json& seen = profiles[102]["apart"][1];
    EXPECT_EQ(seen["column"], "seen");
    EXPECT_EQ(seen["statistic"], "missing");
    EXPECT_EQ(seen["here"], 0.75);
    EXPECT_EQ(seen["of_all"], 0.375);
    EXPECT_EQ(profiles[102]["feature_means"]["seen"], 1.0);  // from the one with a value
}

TEST_F(Profiles, MeansAndSharesAreByWeight) {
    const json report = report_of(fit_two({"--weight", "w"}));
    std::map<double, json> profiles = by_mean(report, "age");
    const json& old = profiles[63];
    EXPECT_EQ(old["points"], 4);
    EXPECT_EQ(old["weight"], 6.0);
    EXPECT_EQ(old["share"], 0.6);
    EXPECT_NEAR(old["feature_means"]["age"].get<double>(), (3 * 60 + 62 + 64 + 70) / 6.0, 1e-12);
    EXPECT_NEAR(old["feature_means"]["pay"].get<double>(), (3 * 3000 + 3200) / 4.0, 1e-9);
    EXPECT_NEAR(old["missing_shares"]["pay"].get<double>(), 2.0 / 6, 1e-12);
    EXPECT_NEAR(old["level_shares"]["job"]["retired"].get<double>(), 5.0 / 6, 1e-12);
    EXPECT_NEAR(old["shares_by_group"]["sex"]["male"].get<double>(), 5.0 / 6, 1e-12);
}

TEST_F(Profiles, ScalesInMemoryAreUndone) {
    const std::string plain = write("plain.csv", "id,x,y\n1,1000,1\n2,1002,2\n1,9,9\n3,5000,8\n4,5004,9\n1,1004,3\n");
    for (const Words& scale : {Words{}, Words{"--standardise"}, Words{"--standardise", "--unit-rows"}}) {
        Words arguments{"fit", "safairkm", "--input", plain, "--id", "id", "--clusters", "2"};
        arguments.insert(arguments.end(), scale.begin(), scale.end());
        std::map<double, json> profiles = by_mean(report_of(std::move(arguments)), "x");
        EXPECT_EQ(profiles[1003]["feature_means"], (json{{"x", 1003.0}, {"y", 2.5}}));  // from the last row with id 1
        EXPECT_EQ(profiles[5002]["feature_means"], (json{{"x", 5002.0}, {"y", 8.5}}));
    }
}

TEST_F(Profiles, LogarithmsAndBoundsOfAConfigurationAreUndone) {
    const std::string config =
        write("engine.toml",
              "[stream]\ncolumns = [\"age\"]\n\n[prepare]\nlog = true\nclip = [21, 61]\nscale = \"first:8\"\n\n"
              "[[model]]\nkind = \"safairkm\"\n");
    const json report = report_of({"fit", "safairkm", "--input", file, "--config", config, "--clusters", "2"});
    ASSERT_EQ(report["prepare"]["columns"][0]["clip"], (json{21.0, 61.0}));
    const std::map<double, json> profiles = by_mean(report, "age");
    EXPECT_EQ(profiles.begin()->first, 23);
    EXPECT_EQ(profiles.rbegin()->first, 64);
}

TEST_F(Profiles, AreOfTheRetainedPoints) {
    const json report = report_of(fit_two({"--window", "5", "--batch", "2"}));
    EXPECT_EQ(report["profile_of_all"]["points"], 5);
    EXPECT_NEAR(report["profile_of_all"]["feature_means"]["age"].get<double>(), (26 + 60 + 62 + 64 + 70) / 5.0, 1e-12);
}

TEST_F(Profiles, TextsAsIdsFindTheirPoints) {
    const json report = report_of(fit_two({"--id", "name", "--passes", "2"}));
    EXPECT_EQ(by_mean(report, "age").begin()->second["feature_means"]["pay"], 1200.0);
}

TEST_F(Profiles, HashedTextIsLeftOut) {
    const json report = report_of(fit({"--features", "age,job", "--categorical", "job=hash:4", "--clusters", "2"}));
    for (const json& profile : report["profiles"]) {
        EXPECT_FALSE(profile.contains("level_shares"));
        EXPECT_EQ(profile["apart"].size(), 1);
        EXPECT_EQ(profile["apart"][0]["column"], "age");
    }
}

TEST_F(Profiles, TimesOfDayAreShownAsSuch) {
    const std::string times = write("times.csv", "at\n08:00\n08:30\n09:00\n20:00\n20:30\n21:00\n");
    const json report = report_of({"fit", "safairkm", "--input", times, "--dates", "hours", "--clusters", "2"});
    std::set<std::string> means;
    for (const json& profile : report["profiles"]) means.insert(profile["feature_dates"]["at"]);
    EXPECT_EQ(means, (std::set<std::string>{"08:30:00", "20:30:00"}));
    EXPECT_EQ(report["profile_of_all"]["feature_dates"]["at"], "14:30:00");
}

TEST_F(Profiles, TextOfManyValuesFitsEncodedEitherWay) {
    constexpr int points = 400, values = 90;
    std::string text = "job,town,sex\n";
    for (int i = 0; i < points; ++i)
        text += "job" + std::to_string(7 * i % values) + ",town" + std::to_string(i % 40 * (i % 3)) + "," +
                (i % 5 < 2 ? "female" : "male") + "\n";
    const std::string many = write("many.csv", text);
    for (const std::string encoding : {"onehot", "hash"}) {
        const json report = report_of({"fit", "safairkm", "--input", many, "--group", "sex", "--clusters", "4", "--set",
                                       "balance_at_least=0.6", "--categorical", encoding});
        EXPECT_EQ(report["outcome"], "converged") << encoding;
        EXPECT_EQ(report["features"], 2);
        EXPECT_GE(report["balance"].get<double>(), 0.6);
        EXPECT_GT(report["cost"].get<double>(), 0);
        EXPECT_LT(report["cost"].get<double>(), 2) << "two values of 1 in each row, less their means";
        int sum = 0;
        for (const json& size : report["cluster_sizes"]) sum += size.get<int>();
        EXPECT_EQ(sum, points);
        for (const json& profile : report["profiles"]) {
            ASSERT_EQ(profile.contains("level_shares"), encoding == "onehot");
            if (encoding == "hash") continue;
            double shares = 0;
            for (const json& share : profile["level_shares"]["job"]) shares += share.get<double>();
            EXPECT_NEAR(shares, 1, 1e-6);
            EXPECT_EQ(profile["level_shares"]["job"].size(), std::size_t{values});
        }
    }
}

TEST_F(Profiles, SummaryNamesWhatSetsClustersApart) {
    const std::string summary = out_of(fit_two({}));
    EXPECT_THAT(summary,
                Names({"joined 2020-01-04 (2010-01-03)  age 23 (44)", "pay 1,200 (1,960)", "pay 3,100 (1,960)"}));
    EXPECT_THAT(out_of(fit({"--features", "age,job", "--categorical", "onehot", "--clusters", "2"})),
                HasSubstr("age 64 (44)  job=retired 75 % (38 %)"));
}

TEST_F(Profiles, LongNamesAreWholeInTheCsvAlone) {
    const std::string name = "how_often_the_person_was_late_in_the_last_twelve_months",
                      text = write("late.csv", name + "\n0\n1\n2\n50\n51\n52\n");
    EXPECT_THAT(out_of({"fit", "safairkm", "--input", text, "--clusters", "2", "--clusters-csv", path("clusters.csv")}),
                HasSubstr("  how_often_the_person_was_late… 1 (26)\n"));
    EXPECT_THAT(text_of("clusters.csv"), HasSubstr(",1," + name + " 1 (26)\n"));
}

TEST_F(Profiles, AnswersAreLevels) {
    const std::string text = write("churned.csv", "x,churned\n1,no\n2,no\n3,no\n91,yes\n92,yes\n93,no\n");
    EXPECT_THAT(out_of({"fit", "safairkm", "--input", text, "--clusters", "2"}),
                HasSubstr("x 92 (47)  churned=yes 67 % (33 %)"));
}

TEST_F(Profiles, OneClusterIsAllPoints) {
    Words one = fit({"--features", "age", "--clusters", "1"});
    EXPECT_THAT(out_of(one), Not(HasSubstr("apart")));
    EXPECT_EQ(report_of(one)["profiles"][0]["apart"], json::array());
}

TEST_F(Profiles, EmptyClustersHaveNoMeans) {
    const std::string equal = write("equal.csv", "x,job\n1,cook\n1,cook\n5,clerk\n5,clerk\n");
    const Words arguments{"fit", "safairkm",       "--input",           equal, "--categorical", "onehot", "--clusters",
                          "3",   "--clusters-csv", path("clusters.csv")};
    EXPECT_THAT(out_of(arguments), HasSubstr("no points"));
    EXPECT_THAT(lines_of(text_of("clusters.csv")), ::testing::Contains(::testing::EndsWith(",0,0,,,,")));
    int empty = 0;
    const json report = report_of(arguments);
    for (const json& profile : report["profiles"]) {
        if (profile["points"] != 0) continue;
        ++empty;
        EXPECT_EQ(profile["feature_means"], (json{{"x", nullptr}}));
        EXPECT_EQ(profile["level_shares"]["job"], (json{{"clerk", nullptr}, {"cook", nullptr}}));
        EXPECT_EQ(profile["apart"], json::array());
    }
    EXPECT_EQ(empty, 1);
}

TEST_F(Profiles, CsvShowsAllClustersSummaryLargest) {
    std::string text = "x\n";
    for (int i = 0; i < 40; ++i)
        for (int copies = 0; copies <= i / 20; ++copies) text += std::to_string(i) + "\n";
    const Words arguments{"fit",        "safairkm", "--input",        write("many.csv", text),
                          "--clusters", "40",       "--clusters-csv", path("clusters.csv")};
    const std::string summary = out_of(arguments);
    EXPECT_THAT(summary, HasSubstr("  the 20 largest of 40 clusters: --clusters-csv OUT.csv and --report list all\n"));
    const std::string apart = summary.substr(summary.find("apart"));
    EXPECT_EQ(std::ranges::count(apart, '\n'), 21);
    EXPECT_EQ(lines_of(text_of("clusters.csv")).size(), 41);
    EXPECT_EQ(report_of(arguments)["profiles"].size(), 40);
}

TEST_F(Profiles, CsvHasLinePerClusterAndReportNames) {
    (void)out_of(fit_two({"--clusters-csv", path("clusters.csv")}));
    const Words lines = lines_of(text_of("clusters.csv"));
    ASSERT_EQ(lines.size(), 3);
    EXPECT_EQ(lines[0],
              "cluster,points,share,balances.sex,shares_by_group.sex.female,shares_by_group.sex.male,"
              "feature_means.age,feature_means.pay,feature_dates.joined,level_shares.job.clerk,level_shares.job.cook,"
              "level_shares.job.retired,missing_shares.pay,apart");
    EXPECT_THAT(lines, ::testing::Contains(
                           ::testing::EndsWith(",4,0.5,1,0.5,0.5,23,1200,2020-01-04T00:00:00Z,0.75,0.25,0,0.25,"
                                               "\"joined 2020-01-04 (2010-01-03); age 23 (44); pay 1,200 (1,960)\"")));
}

TEST_F(Profiles, ClustersOfAGraphHaveSizesAndGroups) {
    const std::string edges = write("edges.csv", "u,v\n0,1\n1,2\n0,2\n3,4\n4,5\n3,5\n2,3\n"),
                      nodes = write("nodes.csv", "node,sex\n0,f\n1,m\n2,f\n3,m\n4,f\n5,m\n");
    const json report =
        json::parse(fairstream({"fit", "fair_spectral", "--edges", edges, "--nodes", nodes, "--group", "sex",
                                "--clusters", "2", "--json", "--clusters-csv", path("clusters.csv")})
                        .out);
    ASSERT_EQ(report["profiles"].size(), 2);
    EXPECT_FALSE(report["profiles"][0].contains("apart"));
    EXPECT_EQ(report["profile_of_all"]["shares_by_group"]["sex"], (json{{"f", 0.5}, {"m", 0.5}}));
    EXPECT_EQ(lines_of(text_of("clusters.csv"))[0],
              "cluster,points,share,balances.sex,shares_by_group.sex.f,shares_by_group.sex.m");
}

TEST_F(Profiles, LabelsKeepColumnsAsWritten) {
    (void)out_of(fit({"--features", "age", "--clusters", "2", "--labels", path("labels.csv"), "--with", "name,pay,age",
                      "--standardise"}));
    const Words lines = lines_of(text_of("labels.csv"));
    ASSERT_EQ(lines.size(), 9);
    EXPECT_EQ(lines[0], "id,label,name,pay,age");
    EXPECT_THAT(lines[1], ::testing::MatchesRegex("0,[01],\"Doe, Ann\",1000,20"));
    EXPECT_THAT(lines[3], ::testing::MatchesRegex("2,[01],Cy,,24"));
    EXPECT_THAT(lines[8], ::testing::MatchesRegex("7,[01],Hal,3200,70"));
}

TEST_F(Profiles, JsonLabelsKeepUnusedKeys) {
    const std::string lines = write("people.jsonl",
                                    "{\"age\": 20, \"name\": \"Ann\"}\n{\"age\": 22}\n"
                                    "{\"age\": 60, \"name\": \"Ed\"}\n{\"age\": 62, \"name\": \"Flo\"}\n");
    (void)out_of({"fit", "safairkm", "--input", lines, "--features", "age", "--clusters", "2", "--labels",
                  path("labels.csv"), "--with", "name"});
    EXPECT_THAT(text_of("labels.csv"),
                ::testing::MatchesRegex("id,label,name\n0,[01],Ann\n1,[01],\n2,[01],Ed\n3,[01],Flo\n"));
}

TEST_F(Profiles, WindowedTextIdsKeepTheirCells) {
    (void)out_of(fit({"--features", "age", "--id", "name", "--clusters", "2", "--window", "3", "--batch", "2",
                      "--labels", path("labels.csv"), "--with", "age"}));
    EXPECT_THAT(text_of("labels.csv"),
                ::testing::MatchesRegex("id,label,age\nFlo,[01],62\nGus,[01],64\nHal,[01],70\n"));
}

TEST_F(Profiles, PredictedLabelsComeWithColumnsToo) {
    (void)out_of({"fit", "safairkm", "--input", file, "--features", "age", "--group", "sex", "--clusters", "2", "--set",
                  "balance_at_least=0.2", "--save", path("fit.fairstream")});
    for (const Words& how :
         {Words{"--nearest"}, Words{"--fair"}, Words{"--nearest", "--bad-rows", "0", "--missing", "drop"}}) {
        Words arguments{"predict", "--by",     path("fit.fairstream"), "--input", file,      "--features",
                        "age",     "--labels", path("new.csv"),        "--with",  "sex,name"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        const test::Finished finished = fairstream(arguments);
        EXPECT_THAT(finished.exit_code, ::testing::AnyOf(0, 3, 4)) << finished.err;
        const Words lines = lines_of(text_of("new.csv"));
        ASSERT_EQ(lines.size(), 9);
        EXPECT_EQ(lines[0], "id,label,sex,name");
        EXPECT_THAT(lines[1], ::testing::MatchesRegex("0,[01],female,\"Doe, Ann\""));
        EXPECT_THAT(lines[8], ::testing::MatchesRegex("7,[01],female,Hal"));
    }
}

TEST_F(Profiles, ColumnsOfLabelsThatCannotBeAreRefused) {
    const auto refused = [&](const Words& more) {
        Words arguments = fit({"--features", "age", "--clusters", "2"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return refusal(arguments);
    };
    EXPECT_THAT(refused({"--labels", path("l.csv"), "--with", "age,id"}), HasSubstr("--with id:"));
    EXPECT_THAT(refused({"--labels", path("l.csv"), "--with", "age,age"}), HasSubstr("--with age:"));
    EXPECT_THAT(refused({"--labels", path("l.csv"), "--with", "agee"}), HasSubstr("agee"));
    EXPECT_THAT(refused({"--with", "age"}), HasSubstr("--labels"));
}

}  // namespace
}  // namespace fairstream::command
