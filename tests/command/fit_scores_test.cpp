/// Reports and files of `fairstream fit partial_fair_scorer`.

#include <gtest/gtest.h>

#include <iostream>

#include "applicants.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns the figures of a part, from its scores, groups and targets alone.
json figures_of(const Applicants& applicants, const std::map<std::size_t, double>& scores) {
    ScoreTally tally(2);
    for (const auto& [i, score] : scores) tally.add(score, applicants.males[i] ? 1 : 0, applicants.goods[i]);
    tally.settle();
    const ScoreFairness f = score_fairness(tally, {{{0.1, 0.4}}}, 0);
    const ScoreIntervals in = score_intervals(tally, {{{0.1, 0.4}}}, 0);
    const auto ends = [](const Interval& interval) { return json{interval.low, interval.high}; };
    return {{"sampling_intervals",
             {{"accuracy", ends(in.accuracy)},
              {"auc", ends(in.auc)},
              {"psp", ends(in.sp)},
              {"pdp", ends(in.dp)},
              {"gauc", ends(in.gauc)},
              {"eop", ends(in.eop)},
              {"eod", ends(in.eod)},
              {"tail_gap", ends(in.tail_gap)},
              {"overall_gap", ends(in.overall_gap)}}},
            {"points", f.points},
            {"accuracy", f.accuracy},
            {"auc", f.auc},
            {"psp", f.sp},
            {"pdp", f.dp},
            {"gauc", f.gauc},
            {"eop", f.eop},
            {"eod", f.eod},
            {"tail_gap", f.tail_gap},
            {"overall_gap", f.overall_gap}};
}

TEST(FitScores, ReportsWhatItsScoresSay) {
    const Applicants applicants;
    const std::string path = applicants.path("scores.csv");
    const json report = json_of_scores(applicants.fit({"--split", "three", "--json", "--scores", path}));
    const auto scores = scores_in(path);
    for (std::size_t part = 0; part < 3; ++part)
        EXPECT_EQ(report[part_names[part]], figures_of(applicants, scores[part])) << part_names[part];
    EXPECT_EQ(report["judged_on"], "test");
    EXPECT_GT(report["train"]["accuracy"], 0.75);
    EXPECT_LE(report["train"]["psp"], report["bound"]);
}

TEST(FitScores, WithoutASplitAllPointsAreForTraining) {
    const Applicants applicants;
    const std::string path = applicants.path("scores.csv");
    const json report = json_of_scores(applicants.fit({"--json", "--scores", path}));
    EXPECT_EQ(report["train"], figures_of(applicants, scores_in(path)[0]));
    EXPECT_EQ(report["train"]["points"], Applicants::n);
    EXPECT_EQ(report["judged_on"], "train");
    EXPECT_EQ(report["split"], nullptr);
    for (const char* name : {"test_accuracy", "test", "validation", "curve", "unconstrained"})
        EXPECT_FALSE(report.contains(name)) << name;
}

TEST(FitScores, ReportsProblemAndRun) {
    const Applicants applicants;
    const json report = json_of_scores(
        applicants.fit({"--split", "two", "--json", "--seed", "5", "--set", "kappa=0.2", "--set", "metric=pdp"}));
    const auto names = [&] {
        std::vector<std::string> all;
        const std::string text = fairstream(applicants.fit({"--split", "two", "--json"})).out;
        const nlohmann::ordered_json ordered = nlohmann::ordered_json::parse(text);
        for (const auto& [name, value] : ordered.items()) all.push_back(name);
        return all;
    }();
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 14),
              (std::vector<std::string>{"model", "points", "features", "attribute", "groups", "judged_on",
                                        "kkt_residual", "infeasibility", "outer_iterations", "inner_iterations",
                                        "restarts", "seconds", "cost", "outcome"}));
    EXPECT_EQ(report["model"], "partial_fair_scorer");
    EXPECT_EQ(report["points"], report["train"]["points"]);
    EXPECT_EQ(report["features"], 2);
    EXPECT_EQ(report["attribute"], "sex");
    EXPECT_EQ(report["groups"], json({"female", "male"}));
    EXPECT_EQ(report["batch"], report["points"]);
    EXPECT_EQ(report["window"], report["points"]);
    EXPECT_EQ(report["steps"], 1);
    EXPECT_EQ(report["options"]["kappa"], 0.2);
    EXPECT_EQ(report["options"]["metric"], "pdp");
    EXPECT_EQ(report["options"]["seed"], 5);
    EXPECT_EQ(report["split"], json({{"column", "two"}}));
    EXPECT_EQ(report["outcome"], "converged");
    EXPECT_LE(report["kkt_residual"], 1e-3);
    EXPECT_GT(report["outer_iterations"], 0);
    EXPECT_GT(report["inner_iterations"], 0);
    for (const char* name : {"stationarity", "complementarity", "threads", "cpu_level", "version", "input"})
        EXPECT_TRUE(report.contains(name)) << name;
}

TEST(FitScores, AColumnPutsEveryRowIntoItsPart) {
    const Applicants applicants;
    const std::string path = applicants.path("scores.csv");
    for (const std::string split : {"two", "three"}) {
        json_of_scores(applicants.fit({"--split", split, "--json", "--scores", path}));
        const auto scores = scores_in(path);
        for (std::size_t i = 0; i < Applicants::n; ++i) {
            const std::size_t part = split == "three" ? applicants.parts[i] : applicants.parts[i] == 2 ? 2 : 0;
            EXPECT_TRUE(scores[part].contains(i)) << split << " " << i;
        }
    }
    // Among all columns without a role, the split column is no feature.
    std::vector<std::string> all = applicants.fit({"--split", "two", "--json"});
    *std::ranges::find(all, "x,y") = "all";
    EXPECT_EQ(json_of_scores(all)["features"], 3) << "x, y and three";
}

TEST(FitScores, FractionsDrawPartsBySeed) {
    const Applicants applicants;
    const std::string path = applicants.path("scores.csv");
    const auto drawn = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = applicants.fit({"--json", "--scores", path, "--split"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        const json report = json_of_scores(arguments);
        return std::pair(report, scores_in(path));
    };
    const auto [report, scores] = drawn({"0.6,0.15,0.25"});
    EXPECT_EQ(report["train"]["points"], 480);
    EXPECT_EQ(report["validation"]["points"], 120);
    EXPECT_EQ(report["test"]["points"], 200);
    EXPECT_EQ(report["split"], json({{"fractions", {0.6, 0.15, 0.25}}, {"seed", 1}}));
    EXPECT_EQ(drawn({"0.6,0.15,0.25", "--seed", "1"}).second, scores);
    EXPECT_EQ(drawn({"0.6,0.15,0.25", "--threads", "1"}).second, scores);
    const auto [other, other_scores] = drawn({"0.6,0.15,0.25", "--seed", "2"});
    EXPECT_NE(other_scores, scores);
    EXPECT_EQ(other["split"]["seed"], 2);
    const auto [two, two_scores] = drawn({"0.9,0.1"});
    EXPECT_EQ(two["train"]["points"], 720);
    EXPECT_EQ(two["test"]["points"], 80);
    EXPECT_FALSE(two.contains("validation"));
}

TEST(FitScores, AnUnknownGroupWithoutPointsChangesNothing) {
    const Applicants applicants;
    const auto train = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments =
            applicants.fit({"--json", "--set", "kappa=0.01", "--set", "loss=logistic"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json::parse(fairstream(arguments).out)["train"];
    };
    const json known = train({}), with_unknown = train({"--unknown-group", "unknown"});
    for (const char* figure : {"accuracy", "auc", "psp"}) EXPECT_EQ(known[figure], with_unknown[figure]) << figure;
}

TEST(FitScores, StandardisingLooksAtTheTrainingPartAlone) {
    const Applicants usual, scaled(1000);
    const auto training_scores = [](const Applicants& applicants, const std::vector<std::string>& more) {
        std::vector<std::string> arguments =
            applicants.fit({"--standardise", "--json", "--scores", applicants.path("scores.csv")});
        arguments.insert(arguments.end(), more.begin(), more.end());
        json_of_scores(arguments);
        return scores_in(applicants.path("scores.csv"))[0];
    };
    EXPECT_EQ(training_scores(usual, {"--split", "three"}), training_scores(scaled, {"--split", "three"}));
    EXPECT_NE(training_scores(usual, {}), training_scores(scaled, {}));
}

TEST(FitScores, LearnsInBatchesPassesAndWindow) {
    const Applicants applicants;
    const json report = json_of_scores(applicants.fit({"--split", "0.75,0.25", "--json", "--batch", "200", "--passes",
                                                       "2", "--window", "250", "--refine-rounds", "2"}));
    EXPECT_EQ(report["points"], 250);
    EXPECT_EQ(report["window"], 250);
    EXPECT_EQ(report["train"]["points"], 600) << "all are scored";
    EXPECT_EQ(report["sent"], 1200);
    EXPECT_EQ(report["steps"], 6);
    EXPECT_EQ(report["passes"], 2);
    const json no_end = json_of_scores(applicants.fit({"--json", "--refine-rounds", "0"}));
    EXPECT_EQ(no_end["refine_seconds"], 0);
}

TEST(FitScores, MadeUpDecisionsAreSplitAndScored) {
    const json report = json_of_scores({"fit", "partial_fair_scorer", "--generate", "loan_decisions", "--points",
                                        "4000", "--split", "0.7,0.3", "--json"});
    EXPECT_EQ(report["train"]["points"], 2800);
    EXPECT_EQ(report["test"]["points"], 1200);
    EXPECT_LE(report["train"]["psp"], report["bound"]);
    EXPECT_GT(report["train"]["accuracy"], 0.7);
    EXPECT_EQ(report["input"], json({{"generate", "loan_decisions"}, {"points", 4000}, {"seed", 1}}));
}

TEST(FitScores, IsReproducibleAtAnyThreadCount) {
    const Applicants applicants;
    const auto run = [&](const std::string& threads) {
        const std::string scores = applicants.path("scores.csv"), plot = applicants.path("curve.html");
        const json report = json_of_scores(applicants.fit({"--split", "three", "--threads", threads, "--json",
                                                           "--curve", "0.05,0.2", "--scores", scores, "--plot", plot}));
        return std::tuple(without_times(report), test::file_bytes(scores), test::file_bytes(plot));
    };
    const auto once = run("1");
    for (const char* threads : {"1", "2", "3", "0"}) EXPECT_EQ(run(threads), once) << threads;
}

TEST(FitScores, WritesTheReportWhereItIsTold) {
    const Applicants applicants;
    const test::Finished finished = fairstream(applicants.fit({"--report", applicants.path("report.json")}));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("accuracy")) << "the summary is printed all the same";
    EXPECT_EQ(json::parse(test::file_bytes(applicants.path("report.json")))["points"], Applicants::n);
    EXPECT_EQ(fairstream(applicants.fit({"--scores", "/dev/full"})).exit_code, 1);
}

TEST(FitScores, SummaryIsShort) {
    const Applicants applicants;
    const test::Finished finished =
        fairstream(applicants.fit({"--split", "three", "--set", "kappa=0.2", "--curve", "0.05,0.2"}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.err, "");
    EXPECT_THAT(finished.out, AllOf(StartsWith("partial_fair_scorer on "),
                                    Names({" train, ", "test points, 2 features (x, y)", "sex",
                                           "train         95 %  validation         95 %    test         95 %\n",
                                           "\n  accuracy ", "\n  bound", "\n   0.05  ", "\n   none  "})));
    EXPECT_LE(std::ranges::count(finished.out, '\n'), 26);
}

TEST(FitScores, OptionsOfOtherKindsAreRefused) {
    const Applicants applicants;
    EXPECT_THAT(refusal(applicants.fit({"--labels", "labels.csv"})), Names({"--labels", "partial_fair_scorer"}));
    EXPECT_THAT(refusal(applicants.fit({"--clusters", "3"})), HasSubstr("no option 'clusters'"));
    for (const auto& more : std::vector<std::vector<std::string>>{
             {"--scores", "scores.csv"}, {"--split", "two"}, {"--curve"}, {"--curve", "--plot", "plot.svg"}}) {
        std::vector<std::string> arguments{"fit", "safairkm", "--input", applicants.file.string(), "--group", "sex"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_THAT(refusal(arguments), HasSubstr(more[0]));
    }
    EXPECT_THAT(refusal({"fit", "partial_fair_scorer", "--generate", "msbm"}), Names({"fair_spectral", "lord"}));
}

TEST(FitScores, RefusesWrongUseInOneLine) {
    const Applicants applicants;
    const auto refused = [&](const std::vector<std::string>& more) { return refusal(applicants.fit(more)); };
    const std::vector<std::string> plain{"fit", "partial_fair_scorer", "--input", applicants.file.string()};
    const auto without_target = [&] {
        std::vector<std::string> arguments = plain;
        arguments.insert(arguments.end(), {"--group", "sex"});
        return arguments;
    }();
    EXPECT_THAT(refusal(without_target), Names({"targets", "--target"}));
    EXPECT_THAT(refusal({"fit", "partial_fair_scorer", "--generate", "loans"}), Names({"targets", "loan_decisions"}));
    EXPECT_THAT(refusal({"fit", "partial_fair_scorer"}), HasSubstr("--input"));
    EXPECT_THAT(refusal({"fit", "partial_fair_scorer", "--generate", "loan_decisions", "--split", "part"}),
                HasSubstr("--split part"));
    EXPECT_THAT(refused({"--set", "interval=0.3,0.1"}), HasSubstr("0.3"));
    EXPECT_THAT(refused({"--split", "none"}), HasSubstr("'none'"));
    EXPECT_THAT(refused({"--split", "x"}), Names({"'x'", "split"}));
    EXPECT_THAT(refused({"--split", "0.5,0.6"}), Names({"0.5,0.6", "1.1"}));
    EXPECT_THAT(refused({"--split", "0.5,0.5,"}), HasSubstr("split 0.5,0.5,:"));
    EXPECT_THAT(refused({"--split", "0,1"}), HasSubstr("split 0,1:"));
    EXPECT_THAT(refused({"--split", "0.5,nan"}), HasSubstr("split 0.5,nan:"));
    EXPECT_THAT(refused({"--split", "0.4,0.2,0.2,0.2"}), HasSubstr("4 fractions"));
    EXPECT_THAT(refused({"--split", "0.9999,0.0001"}), HasSubstr("800 rows"));
    EXPECT_THAT(refused({"--plot", "curve.svg"}), HasSubstr("--curve"));
    EXPECT_THAT(refused({"--curve", "--plot", "curve.pdf"}), Names({"--plot", ".html", ".svg"}));
    EXPECT_THAT(refused({"--curve", "0.1,,0.2"}), HasSubstr("--curve 0.1,,0.2: kappa = "));
    EXPECT_THAT(refused({"--curve", "0.1,2"}), HasSubstr("--curve 0.1,2: kappa = 2"));
    EXPECT_THAT(refused({"--curve", "0.1,0.2,0.10"}), HasSubstr("0.1 comes twice"));
    EXPECT_THAT(refused({"--curve", "--set", "metric=none"}), Names({"--curve", "metric = none"}));
    EXPECT_THAT(refusal({"fit", "partial_fair_scorer", "--input", applicants.file.string(), "--group", "sex",
                         "--target", "good", "--features", "x,good"}),
                Names({"'good'", "target"}));
    EXPECT_THAT(refused({"--scores", applicants.file.string()}), HasSubstr(applicants.file.string()));
    EXPECT_THAT(refused({"--scores", "same.csv", "--report", "same.csv"}), Names({"--scores", "--report", "same.csv"}));
}

TEST(FitScores, RefusesPointsThatTeachNothing) {
    const Applicants applicants;
    const auto refused = [&](std::string_view text, const std::string& split) {
        return refusal({"fit", "partial_fair_scorer", "--input", applicants.directory.write("bad.csv", text).string(),
                        "--group", "sex", "--target", "good", "--split", split});
    };
    EXPECT_THAT(refused("x,sex,good,part\n1,m,1,0\n2,f,1,0\n3,f,0,1\n", "part"),
                Names({"2 training points", "above 0"}));
    EXPECT_THAT(refused("x,sex,good,part\n1,m,0,0\n2,f,-1,0\n3,f,1,1\n", "part"),
                Names({"2 training points", "0 or below"}));
    EXPECT_THAT(refused("x,sex,good,part\n1,m,0,0\n2,m,1,1\n", "part"), HasSubstr("('m')"));
    EXPECT_THAT(refused("x,sex,good,part\n1,m,0,0\n2,m,1,0\n3,f,0,1\n", "part"),
                Names({"2 training points", "one group", " m"}));
    EXPECT_THAT(refused("x,sex,good,part\n1,m,0,3\n2,f,1,1\n", "part"), Names({"bad.csv:2:", "'part'", "'3'"}));
    EXPECT_THAT(refused("x,sex,good,part\n1,m,0,1\n2,f,1,1\n", "part"), Names({"'part'", "training"}));
    EXPECT_THAT(refused("x,sex,good,part\n1,m,0,0\n2,f,1,0\n", "part"), Names({"'part'", "all rows"}));
    EXPECT_THAT(refused("x,sex,good,part\n1,m,0,0\n2,f,1,2\n", "part"), HasSubstr("has 0 and 2, but no 1"));
    EXPECT_THAT(
        refusal(applicants.fit({"--split", "three", "--rows", applicants.directory.write("r", "0\n").string()})),
        HasSubstr("no row"));
}

TEST(FitScores, AdultIsAccurateWithinBound) {
    const auto file = std::filesystem::path(FAIRSTREAM_SOURCE_DIR) / "../shared/data/a9a/a9a.csv.gz";
    if (!std::filesystem::exists(file)) {
        std::cout << "[   NOTE   ] " << file << " is not here: accuracy and bound on it are not checked\n";
        return;
    }
    const test::Finished finished = fairstream({"fit", "partial_fair_scorer", "--input", file.string(), "--group",
                                                "group", "--target", "target", "--set", "interval=0.05,0.30", "--set",
                                                "kappa=0.05", "--set", "metric=psp", "--split", "split", "--json"});
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.err, AllOf(StartsWith("note: "), Names({"'f72'", "'group'", "100 %", "'f73'"})));
    const json report = json::parse(finished.out);
    EXPECT_EQ(report["train"]["points"], 32561);
    EXPECT_EQ(report["test"]["points"], 16281);
    EXPECT_EQ(report["features"], 123);
    EXPECT_GT(report["train"]["accuracy"], 0.83);
    EXPECT_GT(report["test"]["accuracy"], 0.82);
    EXPECT_LE(report["train"]["psp"], report["bound"]);
    EXPECT_LT(report["bound"], 0.25);
}

TEST(FitScores, LowerKeptKappaImpliesHigher) {
    for (const char* const kappa : {"0.05", "0.06", "0.08", "0.1"})
        EXPECT_EQ(fairstream({"fit", "partial_fair_scorer", "--generate", "loan_decisions", "--points", "500", "--set",
                              std::string("kappa=") + kappa})
                      .exit_code,
                  0)
            << kappa;
}

TEST(FitScores, OddsWithoutPositivesAreNotMet) {
    const test::TemporaryDirectory directory;
    std::string rows = "x,z,g,y\n";
    for (int i = 0; i < 240; ++i) {
        const char* const group = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
        const bool positive = i % 3 != 1 && i * 7 % 11 < 5;
        rows += std::to_string(i * 13 % 17) + "," + std::to_string(i % 5) + "," + group + (positive ? ",1\n" : ",0\n");
    }
    const std::vector<std::string> fit{"fit",      "partial_fair_scorer",
                                       "--input",  directory.write("people.csv", rows),
                                       "--group",  "g",
                                       "--target", "y",
                                       "--set",    "metric=eod",
                                       "--set",    "kappa=1"};
    const test::Finished shown = fairstream(fit);
    EXPECT_EQ(shown.exit_code, 4) << shown.err;
    EXPECT_THAT(shown.err, Names({"'b' of 'g'", "eop", "eod"}));
    EXPECT_THAT(shown.out, HasSubstr(">= "));
    std::vector<std::string> as_json = fit;
    as_json.emplace_back("--json");
    EXPECT_EQ(json::parse(fairstream(as_json).out)["train"]["missing_rates"],
              json::parse(R"([{"rate":"true_positive_rate","group_names":["b"]}])"));
}

}  // namespace
}  // namespace fairstream::command
