/// Files as people have them: `fit` reads each in one command, or names that command; `serve` and `send` take them up.

#include <map>
#include <sstream>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Splits the words of a command line, in which single quotes keep words whole.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    bool in_word = false, quoted = false;
    for (const char c : line) {
        if (c == '\'') {
            quoted = !quoted;
            if (!in_word) words.emplace_back();
            in_word = true;
        } else if (c == ' ' && !quoted) {
            in_word = false;
        } else {
            if (!in_word) words.emplace_back();
            in_word = true;
            words.back() += c;
        }
    }
    return words;
}

/// Returns the options that an error tells to add.
std::vector<std::string> options_in(const std::string& error) {
    const std::string add = ": add ";
    const std::size_t first = error.find(add) + add.size();
    const std::size_t last = std::min(error.find(" (or =", first), error.find(", or leave columns out", first));
    return words_of(error.substr(first, last - first));
}

/// Sixty people, as others keep them in files.
class Described : public ::testing::Test {
protected:
    struct Row {
        std::string id, age, work, city, size, employed, joined, hours, sex, income;
    };
    static constexpr const char* names = "id,age,work,city,size,employed,joined,hours,sex,income";

    Described() {
        for (int i = 0; i < 60; ++i) {
            const auto two_digits = [](int value) { return (value < 10 ? "0" : "") + std::to_string(value); };
            rows.push_back(
                {"6f" + std::to_string(i * 7919) + "-ab", i % 9 == 0 ? "" : std::to_string(20 + i % 40),
                 i % 11 == 0 ? "?" : std::vector<std::string>{"clerk", "nurse", "smith, iron"}[i % 3],
                 "city " + std::to_string(i % 55), std::vector<std::string>{"small", "medium", "large"}[i / 3 % 3],
                 i % 4 == 0 ? "no" : "yes", "2026-" + two_digits(1 + i % 12) + "-" + two_digits(1 + i % 28),
                 std::to_string(30 + i % 17) + ".5", i % 5 < 3 ? "male" : "female", i % 3 == 0 ? ">50K" : "<=50K"});
        }
    }
    static std::vector<std::string> cells(const Row& r) {
        return {r.id, r.age, r.work, r.city, r.size, r.employed, r.joined, r.hours, r.sex, r.income};
    }
    /// Writes the columns with these numbers.
    std::string write(const std::string& name, const std::vector<std::size_t>& columns, char separator = ',') {
        std::vector<std::string> heading;
        std::istringstream stream(names);
        for (std::string each; std::getline(stream, each, ',');) heading.push_back(each);
        std::string text;
        const auto line = [&](const std::vector<std::string>& all) {
            for (const std::size_t column : columns) {
                const std::string& cell = all[column];
                const bool quote = cell.find(separator) != std::string::npos;
                text +=
                    (column == columns.front() ? "" : std::string(1, separator)) + (quote ? "\"" + cell + "\"" : cell);
            }
            text += "\n";
        };
        line(heading);
        for (const Row& row : rows) line(cells(row));
        return directory.write(name, text).string();
    }
    [[nodiscard]] static std::vector<std::string> fit(const std::string& file, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{"fit",        "safairkm", "--input", file,    "--group",          "sex",
                                           "--clusters", "2",        "--json",  "--set", "parity_at_least=0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    /// Expects the file to be read at once, or with the options that the error names; returns the report.
    static json read_in_two_commands_at_most(const std::string& file, std::vector<std::string> more = {}) {
        const test::Finished first = fairstream(fit(file, more));
        if (first.exit_code == 0) return json::parse(first.out);
        EXPECT_EQ(first.exit_code, 2) << first.err;
        EXPECT_EQ(std::count(first.err.begin(), first.err.end(), '\n'), 1) << first.err;
        for (const std::string& word : options_in(first.err)) more.push_back(word);
        const test::Finished second = fairstream(fit(file, more));
        EXPECT_EQ(second.exit_code, 0) << first.err << second.err;
        return json::parse(second.out, nullptr, false);
    }

    test::TemporaryDirectory directory;
    std::vector<Row> rows;
};

TEST_F(Described, TheErrorNamesTheOptionsThatReadTheFile) {
    const std::string all = write("all.csv", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_THAT(refusal(fit(all)),
                AllOf(HasSubstr("'id' (no value twice, such as '6f0-ab')"),
                      HasSubstr("'work' (3 values, such as 'nurse')"), HasSubstr("'joined' holds dates"),
                      HasSubstr("'age' (7 of 60)"), HasSubstr("--id id"), HasSubstr("--missing age=mean"),
                      HasSubstr("--missing work=most_frequent"), HasSubstr("--categorical city=hash")));
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

TEST_F(Described, EveryFileIsReadInTwoCommandsAtMost) {
    const std::string jsonl = [&] {
        std::string text;
        for (const Row& row : rows) {
            json line{{"hours", std::stod(row.hours)}, {"sex", row.sex}, {"joined", row.joined}, {"employed", true}};
            line["age"] = row.age.empty() ? json() : json(std::stoi(row.age));
            text += line.dump() + "\n";
        }
        return directory.write("people.jsonl", text).string();
    }();
    std::vector<std::string> files{write("numbers.csv", {7, 8}),
                                   write("gaps.csv", {1, 7, 8}),
                                   write("text.csv", {2, 4, 7, 8}),
                                   write("uuids.csv", {0, 7, 8}),
                                   write("words.tsv", {5, 7, 8}, '\t'),
                                   write("pipes.txt", {2, 7, 8}, '|'),
                                   write("semicolons.csv", {2, 6, 8}, ';'),
                                   jsonl};
    for (Row& row : rows) row.joined = row.joined.substr(8, 2) + "." + row.joined.substr(5, 2) + ".2026";
    files.push_back(write("german.csv", {6, 7, 8}, ';'));
    for (Row& row : rows) row.joined = row.joined.substr(3, 2) + "/" + row.joined.substr(0, 2) + "/2026";
    files.push_back(write("american.csv", {6, 7, 8}));
    rows[7].hours = "many";
    files.push_back(write("odd.csv", {7, 8}));
    for (const std::string& file : files) {
        SCOPED_TRACE(file);
        EXPECT_GE(read_in_two_commands_at_most(file)["points"], 59);
    }
}

TEST_F(Described, AmbiguousDatesAreAskedAbout) {
    for (Row& row : rows) row.joined = "03/04/2026";
    const std::string file = write("dates.csv", {6, 7, 8});
    EXPECT_THAT(refusal(fit(file, {"--dates", "days"})),
                AllOf(HasSubstr("do not show whether day or month comes first"), HasSubstr("--date-order day_first")));
    const json report = json_of(fit(file, {"--dates", "days", "--date-order", "month_first"}));
    EXPECT_EQ(report["prepare"]["columns"][0]["date_order"], "month_first");
}

TEST_F(Described, MissingValuesAreDroppedOrSaidAndReported) {
    const std::string file = write("gaps.csv", {1, 7, 8});
    const test::Finished dropped = fairstream(fit(file, {"--missing", "drop"}));
    EXPECT_EQ(dropped.exit_code, 0);
    EXPECT_EQ(dropped.err, "note: left out 7 rows without a value of 'age'\n");
    const json report = json::parse(dropped.out);
    EXPECT_EQ(report["points"], 53);
    EXPECT_EQ(report["rows_without"], json({{"age", 7}}));
    EXPECT_EQ(json_of(fit(file, {"--missing", "indicator"}))["points"], 60);
    EXPECT_THAT(refusal(fit(file, {"--missing", "zero"})), HasSubstr("must be drop, mean, most_frequent or indicator"));
    EXPECT_THAT(refusal(fit(file, {"--missing", "agee=mean"})), HasSubstr("'agee' is none of the columns"));
    EXPECT_THAT(refusal(fit(file, {"--missing", "age=mean", "--missing", "age=drop"})), HasSubstr("two values"));
}

TEST_F(Described, AnOrderOfTextsIsTakenAsItIsGiven) {
    const std::string file = write("sizes.csv", {4, 7, 8});
    const json report = json_of(fit(file, {"--categorical", "size=small<medium<large"}));
    EXPECT_EQ(report["prepare"]["columns"][0]["levels"], json({"small", "medium", "large"}));
    EXPECT_THAT(refusal(fit(file, {"--categorical", "size=small<large"})), HasSubstr("leaves out 'medium'"));
    EXPECT_THAT(refusal(fit(file, {"--categorical", "size=target"})), HasSubstr("must be onehot, ordinal, hash"));
    EXPECT_THAT(refusal(fit(file, {"--categorical", "size=hash:1"})), HasSubstr("N must be 2 to 65535"));
}

TEST_F(Described, GroupsThatAreNumbersOrMissingAreQuestioned) {
    EXPECT_THAT(
        refusal({"fit", "safairkm", "--input", write("ages.csv", {1, 7}), "--group", "age", "--missing", "drop"}),
        AllOf(HasSubstr("group column 'age' has 38 different numbers"), HasSubstr("--groups-at-most 38")));
    rows[3].sex.clear();
    const std::string file = write("sex.csv", {7, 8});
    EXPECT_THAT(refusal(fit(file)), AllOf(HasSubstr("--unknown-group unknown"), HasSubstr("--missing sex=drop")));
    const json report = json_of(fit(file, {"--unknown-group", "not said"}));
    EXPECT_EQ(report["points"], 60);
    EXPECT_EQ(json::parse(fairstream(fit(file, {"--missing", "sex=drop"})).out)["points"], 59);
}

TEST_F(Described, AModelLearnsATargetOfText) {
    const std::string file = write("income.csv", {1, 7, 8, 9});
    const std::vector<std::string> arguments{
        "fit",    "partial_fair_scorer", "--input", file,    "--group", "sex", "--target",
        "income", "--missing",           "mean",    "--json"};
    EXPECT_THAT(refusal(arguments), AllOf(HasSubstr("--positive '<=50K'"), HasSubstr("--positive '>50K'")));
    std::vector<std::string> told = arguments;
    told.insert(told.end(), {"--positive", ">50K"});
    EXPECT_EQ(fairstream(told).exit_code, 0);
}

TEST_F(Described, WhatALearnerSavesIsFedAsItsFileSays) {
    const std::string file = write("income.csv", {1, 7, 8, 9});
    const Site site;
    ASSERT_EQ(fairstream({"fit", "partial_fair_scorer", "--input", file, "--group", "sex", "--target", "income",
                          "--positive", ">50K", "--missing", "drop", "--save-config", site.config()})
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
    EXPECT_THAT(refused.err, HasSubstr("--missing age=mean: [prepare] in the engine's configuration says"));
    Site::stop(engine);
}

TEST_F(Described, AMonitorSavesItsConfigurationAndSaysByItsExitCodeWhatLeftItsBound) {
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

TEST_F(Described, StandardisingIsThatOfTheEngine) {
    const std::string plain = write("plain.csv", {7, 8});
    const json of_file = without_times(json_of(fit(plain, {"--standardise"})));
    const json of_engine =
        without_times(json_of(fit(plain, {"--standardise", "--save-config", (directory / "p.toml").string()})));
    EXPECT_NEAR(of_file["cost"].get<double>(), of_engine["cost"].get<double>(), 1e-6);
    EXPECT_EQ(of_file["cluster_group_counts"], of_engine["cluster_group_counts"]);
}

TEST_F(Described, WhatFitSavesIsServedAndTheFileIsSentToIt) {
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
        EXPECT_THAT(refused.err, HasSubstr("name their column with --id"));
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
