/// Files in the forms that people have. `fit` reads each one directly, or names the command that does; `serve` and
/// `send` continue with them.

#include <map>

#include "described_files.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Described, ErrorNamesOptionsThatReadFile) {
    const std::string all = write("all.csv", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_THAT(refusal(fit(all)),
                Names({"'id' (", "'6f0-ab'", "'work' (3 values", "'nurse'", "'joined'", "'age' (7 of 60)", "--id id",
                       "--missing age=mean", "--missing work=most_frequent", "--categorical city=hash"}));
    const json report = read_in_two_commands_at_most(all);
    EXPECT_EQ(report["points"], 60);
    std::map<std::string, json> columns;
    for (const json& column : report["prepare"]["columns"]) columns[column["column"]] = column;
    EXPECT_EQ(columns["work"]["levels"], json({"clerk", "nurse", "smith, iron"}));
    EXPECT_EQ(columns["work"]["missing"], "most_frequent");
    EXPECT_EQ(columns["city"]["hash"], 64);
    EXPECT_EQ(columns["employed"]["levels"], json({"no", "yes"}));
    EXPECT_EQ(columns["employed"]["encoding"], "ordinal");
    EXPECT_EQ(columns["joined"]["dates"], "days");
    EXPECT_EQ(columns["age"]["missing"], "mean");
    EXPECT_EQ(report["bad_rows"], 0);
}

TEST_F(Described, EveryFileIsReadInTwoCommands) {
    for (const std::string& file : write_all()) {
        SCOPED_TRACE(file);
        EXPECT_GE(read_in_two_commands_at_most(file)["points"], 59);
    }
}

TEST_F(Described, AmbiguousDatesAreAskedAbout) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].joined = i % 2 == 0 ? "03/04/2026" : "05/04/2026";
    const std::string file = write("dates.csv", {6, 7, 8});
    EXPECT_THAT(refusal(fit(file, {"--dates", "days"})), Names({" month", "--date-order day_first"}));
    const json report = json_of(fit(file, {"--dates", "days", "--date-order", "month_first"}));
    EXPECT_EQ(report["prepare"]["columns"][0]["date_order"], "month_first");
}

TEST_F(Described, NestedKeysAreLeftOutAndCounted) {
    std::string lines;
    for (int i = 0; i < 40; ++i)
        lines += R"({"x": )" + (i % 20 == 0 ? "[1]" : std::to_string(i % 9)) +
                 R"(, "tags": ["a", {"b": 1}], "sex": ")" + (i % 3 == 0 ? "f" : "m") + "\"}\n" + (i == 7 ? "{\n" : "");
    const std::string file = directory.write("nested.jsonl", lines).string();
    const std::vector<std::string> fit{"fit", "safairkm", "--input", file, "--group", "sex", "--clusters", "2"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = fit;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return fairstream(arguments);
    };
    const std::string refused = with({}).err;
    EXPECT_THAT(refused, Names({"'x' (2 of 40", "'[...]'", "line 1", "'tags'", "--leave-out tags"}));
    const test::Finished read = with(options_told(refused));
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.err, HasSubstr("1 row"));
}

TEST_F(Described, TimesOfDayAreHoursSinceMidnight) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].joined = std::to_string(i % 24) + ":30";
    const std::string file = write("times.csv", {6, 7, 8});
    EXPECT_THAT(refusal(fit(file)), Names({"'joined'", "times of", "--dates joined=hours"}));
    std::vector<std::string> as_told = fit(file, {"--dates", "joined=hours"});
    EXPECT_EQ(json_of(as_told)["prepare"]["columns"][0]["dates"], "hours");
    std::erase(as_told, "--json");
    EXPECT_THAT(fairstream(as_told).out, HasSubstr("since midnight"));
}

TEST_F(Described, MissingValuesAreDroppedOrSaidAndReported) {
    const std::string file = write("gaps.csv", {1, 7, 8});
    const test::Finished dropped = fairstream(fit(file, {"--missing", "drop"}));
    EXPECT_EQ(dropped.exit_code, 0);
    EXPECT_THAT(dropped.err, one_note({"7 rows", "'age'"}));
    const json report = json::parse(dropped.out);
    EXPECT_EQ(report["points"], 53);
    EXPECT_EQ(report["rows_without"], json({{"age", 7}}));
    EXPECT_EQ(json_of(fit(file, {"--missing", "indicator"}))["points"], 60);
    EXPECT_THAT(refusal(fit(file, {"--missing", "zero"})), Names({"--missing zero", "drop, mean, most_frequent or"}));
    EXPECT_THAT(refusal(fit(file, {"--missing", "agee=mean"})), Names({"'agee'", "'age'?"}));
    EXPECT_THAT(refusal(fit(file, {"--missing", "age=mean", "--missing", "age=drop"})), HasSubstr("two values"));
}

TEST_F(Described, OptionOfExcludedColumnNamesItsRole) {
    const std::string file = write("roles.csv", {0, 2, 7, 8});
    struct Case {
        std::vector<std::string> more;
        std::string reason;
    };
    for (const Case& each : {Case{{"--leave-out", "work", "--categorical", "work=onehot"}, "'work' is left out"},
                             Case{{"--leave-out", "work", "--missing", "work=drop"}, "'work' is left out"},
                             Case{{"--leave-out", "work", "--dates", "work=days"}, "'work' is left out"},
                             Case{{"--id", "id", "--categorical", "id=hash"}, "'id' holds the ids (--id)"},
                             Case{{"--categorical", "sex=onehot"}, "'sex' is a group column (--group)"},
                             Case{{"--weight", "hours", "--dates", "hours=days"}, "'hours' holds the weights"}}) {
        EXPECT_THAT(refusal(fit(file, each.more)), AllOf(HasSubstr(each.reason), Not(HasSubstr("did you mean"))));
    }
}

TEST_F(Described, GivenOrderOfTextsIsUsed) {
    const std::string file = write("sizes.csv", {4, 7, 8});
    const json report = json_of(fit(file, {"--categorical", "size=small<medium<large"}));
    EXPECT_EQ(report["prepare"]["columns"][0]["levels"], json({"small", "medium", "large"}));
    EXPECT_THAT(refusal(fit(file, {"--categorical", "size=small<large"})), HasSubstr("leaves out 'medium'"));
    EXPECT_THAT(refusal(fit(file, {"--categorical", "size=target"})), Names({"size=target", "onehot, ordinal, hash"}));
    EXPECT_THAT(refusal(fit(file, {"--categorical", "size=hash:1"})), HasSubstr("N must be 2 to 65535"));
}

TEST_F(Described, GroupsThatAreNumbersOrMissingAreQuestioned) {
    EXPECT_THAT(
        refusal({"fit", "safairkm", "--input", write("ages.csv", {1, 7}), "--group", "age", "--missing", "drop"}),
        Names({"group column 'age' has 38 different numbers", "--groups-at-most 38"}));
    rows[3].sex.clear();
    const std::string file = write("sex.csv", {7, 8});
    EXPECT_THAT(refusal(fit(file)), Names({"--unknown-group unknown", "--missing sex=drop"}));
    const json report = json_of(fit(file, {"--unknown-group", "not said"}));
    EXPECT_EQ(report["points"], 60);
    EXPECT_EQ(json::parse(fairstream(fit(file, {"--missing", "sex=drop"})).out)["points"], 59);
    rows[3].sex = rows[4].sex = "not said";
    rows[5].sex.clear();
    const test::Finished known = fairstream(fit(write("said.csv", {7, 8}), {"--unknown-group", "not said"}));
    EXPECT_THAT(known.err, one_note({"--unknown-group not said", "'sex'"}));
    EXPECT_EQ(json::parse(known.out)["groups"], json({"female", "male", "not said"}));
}

TEST_F(Described, AModelLearnsATargetOfText) {
    const std::string file = write("income.csv", {1, 7, 8, 9});
    const std::vector<std::string> arguments{
        "fit",    "partial_fair_scorer", "--input", file,    "--group", "sex", "--target",
        "income", "--missing",           "mean",    "--json"};
    EXPECT_THAT(refusal(arguments), Names({"--positive '<=50K'", "--positive '>50K'"}));
    std::vector<std::string> told = arguments;
    told.insert(told.end(), {"--positive", ">50K", "--set", "kappa=1"});
    EXPECT_EQ(fairstream(told).exit_code, 0);
}

TEST_F(Described, SavedLearnerIsFedLikeItsFile) {
    const std::string file = write("income.csv", {1, 7, 8, 9});
    const Site site;
    ASSERT_EQ(
        fairstream({"fit", "partial_fair_scorer", "--input", file, "--group", "sex", "--target", "income", "--positive",
                    ">50K", "--missing", "drop", "--save-config", site.config(), "--set", "kappa=1"})
            .exit_code,
        0);
    std::ifstream stream(site.config());
    std::string line;
    while (std::getline(stream, line) && !line.starts_with("#   fairstream send ")) {
    }
    std::vector<std::string> words = words_of(line.substr(std::string("#   fairstream send ").size()));
    EXPECT_THAT(words, ::testing::IsSupersetOf({"--positive", ">50K", "--missing", "drop"}));
    test::Process engine(site.serve_arguments());
    const test::Finished sent = test::run(site.send_arguments(words));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_EQ(json::parse(sent.out)["sent"], 53);
    const test::Finished refused = test::run(
        site.send_arguments({"--input", file, "--target", "income", "--positive", ">50K", "--missing", "age=mean"}));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"--missing age=mean", "[prepare]"}));
    Site::stop(engine);
}

TEST_F(Described, SavedMonitorReportsLeftBoundByExitCode) {
    std::string text = "score,sex,label\n";
    for (int i = 0; i < 400; ++i)
        text += std::string(i % 2 == 0   ? "0.9,male,"
                            : i % 8 == 1 ? "0.9,female,"
                                         : "0.1,female,") +
                (i % 3 == 0 ? "1\n" : "0\n");
    const std::string file = directory.write("decisions.csv", text).string(), saved = (directory / "m.toml").string();
    const std::vector<std::string> arguments{"fit",           "group_metrics", "--input", file,    "--group",
                                             "sex",           "--target",      "label",   "--set", "prediction=score",
                                             "--save-config", saved,           "--set"};
    const auto with = [&](const std::string& setting) {
        std::vector<std::string> all = arguments;
        all.push_back(setting);
        return fairstream(all).exit_code;
    };
    EXPECT_EQ(with("parity_difference_at_most=0.1"), 3);
    EXPECT_EQ(fairstream({"check", "--config", saved}).exit_code, 0);
    EXPECT_EQ(with("parity_difference_at_most=0.9"), 0);
}

TEST_F(Described, ScalingIsThatOfTheEngine) {
    const std::string plain = write("plain.csv", {7, 8}), saved = (directory / "p.toml").string();
    for (const std::string scaling : {"--standardise", "--unit-range"}) {
        const json of_file = without_times(json_of(fit(plain, {scaling})));
        const json of_engine = without_times(json_of(fit(plain, {scaling, "--save-config", saved})));
        EXPECT_NEAR(of_file["cost"].get<double>(), of_engine["cost"].get<double>(), 1e-6);
        EXPECT_EQ(of_file["cluster_group_counts"], of_engine["cluster_group_counts"]);
        const json of_config = without_times(json_of(fit(plain, {"--config", saved})));
        EXPECT_EQ(of_config["cost"], of_engine["cost"]) << scaling;
    }
}

// The saved model is a recording of its own; a stream of that configuration must not continue it.
TEST_F(Described, SavedCommentNamesOtherFileThanModel) {
    const std::string file = write("plain.csv", {7, 8}), saved = (directory / "m.toml").string();
    const auto comment_with = [&](const std::string& model) {
        EXPECT_EQ(fairstream(fit(file, {"--save-config", saved, "--save", (directory / model).string()})).exit_code, 0);
        return test::file_bytes(saved);
    };
    EXPECT_THAT(comment_with("m.fairstream"), HasSubstr(" --recording m-stream.fairstream\n"));
    EXPECT_THAT(comment_with("other.fairstream"), HasSubstr(" --recording m.fairstream\n"));
}

TEST_F(Described, SavedConfigIsServedAndFed) {
    const std::string file = write("all.csv", {0, 1, 2, 3, 4, 5, 6, 7, 8});
    const Site site;
    const std::vector<std::string> options{"--id",
                                           "id",
                                           "--categorical",
                                           "onehot",
                                           "--categorical",
                                           "city=hash:8",
                                           "--missing",
                                           "mean",
                                           "--dates",
                                           "days",
                                           "--standardise",
                                           "--save-config",
                                           site.config(),
                                           "--labels",
                                           site.file("fitted.csv")};
    const json fitted = json_of(fit(file, options));
    EXPECT_EQ(fitted["points"], 60);
    EXPECT_EQ(fairstream({"check", "--config", site.config()}).exit_code, 0);
    {
        test::Process engine(site.serve_arguments());
        const test::Finished sent = test::run(site.send_arguments({"--input", file, "--id", "id"}));
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
        EXPECT_EQ(json::parse(sent.out)["sent"], 60);
        EXPECT_EQ(
            test::run(site.watch_arguments("safairkm", {"--until-sequence", "1", "--labels", site.file("watched.csv")}))
                .exit_code,
            0);
        const test::Finished refused = test::run(site.send_arguments({"--input", file}));
        EXPECT_EQ(refused.exit_code, 2);
        EXPECT_THAT(refused.err, HasSubstr("--id"));
        Site::stop(engine);
    }
    EXPECT_EQ(fairstream({"replay", site.recording(), "--labels", site.file("replayed.csv")}).exit_code, 0);
    const auto text = [](const std::string& path) {
        std::ifstream stream(path);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    EXPECT_EQ(text(site.file("watched.csv")), text(site.file("replayed.csv")));
    EXPECT_THAT(text(site.file("fitted.csv")), HasSubstr("\n6f0-ab,"));
    EXPECT_THAT(text(site.file("watched.csv")), HasSubstr("\n6f0-ab,"));
}

}  // namespace
}  // namespace fairstream::command
