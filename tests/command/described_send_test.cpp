/// Typical files, sent as the saved configuration says: the engine gets the points of the `fit`, and accepts later
/// files.

#include <optional>
#include <set>

#include "described_files.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A saved fit, and the engine of its configuration.
class DescribedAndSent : public Described {
protected:
    /// Returns the options that the error of a fit names; empty without an error.
    static std::vector<std::string> told(const std::string& file) {
        const test::Finished first = fairstream(fit(file));
        return first.exit_code == 0 ? std::vector<std::string>() : options_told(first.err);
    }
    /// Fits without a final refinement, which an engine makes on request, and saves configuration and labels.
    static json fit_and_save(const Site& site, const std::string& file, std::vector<std::string> more) {
        more.insert(more.end(),
                    {"--refine-rounds", "0", "--save-config", site.config(), "--labels", site.file("fitted.csv")});
        const test::Finished fitted = fairstream(fit(file, more));
        EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
        return json::parse(fitted.out, nullptr, false);
    }
    /// Returns the words after `fairstream send` in the comment of a saved configuration.
    static std::vector<std::string> send_words(const Site& site) {
        const std::string text = test::file_bytes(site.config()), send = "\n#   fairstream send ";
        const std::size_t first = text.find(send) + send.size();
        return words_of(text.substr(first, text.find('\n', first) - first));
    }
    /// Returns a saved configuration with its comment joined to one line.
    static std::string saved(const Site& site) {
        std::string text = test::file_bytes(site.config());
        for (std::size_t at = 0; (at = text.find("\n# ", at)) != std::string::npos;) text.replace(at, 3, " ");
        return text;
    }
    static std::multiset<std::string> rows_of(const std::string& file) {
        std::istringstream stream(test::file_bytes(file));
        std::multiset<std::string> rows;
        std::string line;
        std::getline(stream, line);  // the name of the model differs
        while (std::getline(stream, line)) rows.insert(line);
        return rows;
    }
    static void expect_same_labels(const Site& site) {
        EXPECT_EQ(fairstream({"replay", site.recording(), "--labels", site.file("replayed.csv")}).exit_code, 0);
        EXPECT_EQ(rows_of(site.file("fitted.csv")), rows_of(site.file("replayed.csv")));
    }
};

TEST_F(DescribedAndSent, EveryFileIsSentAsItsConfigurationSays) {
    for (const std::string& file : write_all()) {
        SCOPED_TRACE(file);
        const Site site;
        const json fitted = fit_and_save(site, file, told(file));
        test::Process engine(site.serve_arguments());
        const test::Finished sent = test::run(site.send_arguments(send_words(site)));
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
        EXPECT_EQ(json::parse(sent.out)["sent"], fitted["points"]);
        Site::stop(engine);
        expect_same_labels(site);
    }
}

TEST_F(DescribedAndSent, ColumnNamesWithCommasAreQuoted) {
    const std::string file = directory
                                 .write("commas.csv",
                                        "\"pay, net\",\"a=b\",\"sex, as said\",joined\n1,2,f,2026-01-01\n"
                                        ",3,m,2026-01-02\n4,,f,2026-01-03\n2,5,m,2026-01-04\n")
                                 .string();
    const Site site;
    const std::vector<std::string> arguments{"fit",     "safairkm",         "--input",    file,
                                             "--group", "\"sex, as said\"", "--clusters", "1",
                                             "--set",   "parity_at_least=0"};
    std::vector<std::string> more = arguments;
    const std::vector<std::string> named = options_told(refusal(arguments));
    more.insert(more.end(), named.begin(), named.end());
    more.insert(more.end(), {"--save-config", site.config()});
    ASSERT_EQ(fairstream(more).exit_code, 0);
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(test::run(site.send_arguments(send_words(site))).exit_code, 0);
    Site::stop(engine);
    const test::Finished exported = fairstream({"export", site.recording(), "--points", site.file("points.csv")});
    EXPECT_THAT(exported.err, HasSubstr("--features '\"pay, net\",\"a=b\",joined' --group '\"sex, as said\"'\n"));
    const Site again(test::file_bytes(site.config()));
    test::Process second(again.serve_arguments());
    std::vector<std::string> words = words_of(exported.err.substr(exported.err.find("--input")));
    words.back().erase(words.back().find('\n'));
    const test::Finished sent = test::run(again.send_arguments(words));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    Site::stop(second);
    EXPECT_EQ(fairstream({"export", again.recording(), "--points", again.file("points.csv")}).exit_code, 0);
    EXPECT_EQ(test::file_bytes(site.file("points.csv")), test::file_bytes(again.file("points.csv")));
}

TEST_F(DescribedAndSent, ExactlyDroppedRowsAreDroppedAgain) {
    const std::string file = write("gaps.csv", {1, 2, 7, 8});
    const Site site;
    const json fitted = fit_and_save(
        site, file, {"--missing", "age=drop", "--missing", "work=most_frequent", "--categorical", "onehot"});
    EXPECT_EQ(fitted["points"], 53);
    test::Process engine(site.serve_arguments());
    const json sent = json::parse(test::run(site.send_arguments(send_words(site))).out);
    EXPECT_EQ(sent["sent"], 53);
    EXPECT_EQ(sent["rows_without"], json({{"age", 7}}));
    EXPECT_EQ(sent["missing_values"], json({{"work", 5}}));
    Site::stop(engine);
    expect_same_labels(site);
}

TEST_F(DescribedAndSent, LaterFilesMayHaveNewContent) {
    const std::string file = write("first.csv", {0, 4, 5, 6, 7, 8});
    const Site site;
    (void)fit_and_save(site, file, {"--id", "id", "--categorical", "onehot", "--dates", "days"});
    EXPECT_THAT(saved(site), Names({"'unknown' of 'sex'", "\nunknown = \"unknown\"\n"}));
    for (Row& row : rows) row.id += "-later";
    rows[1].sex = "diverse";
    rows[2].sex.clear();
    rows[3].hours.clear();
    rows[4].joined = "n/a";
    rows[5].size = "huge";
    rows[6].size.clear();
    rows[7].employed = "maybe";
    rows[8].employed.clear();
    test::Process engine(site.serve_arguments());
    const std::string later = write("later.csv", {0, 4, 5, 6, 7, 8});
    const test::Finished sent =
        fairstream({"send", "--ingest", site.endpoint("ingest"), "--timeout", "60", "--input", later, "--id", "id"});
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_THAT(sent.out, Names({"sent 60 points", "\n4 values",
                                 "'size' (1), 'employed' (1), 'joined' (1), 'hours' (1)\n", "\n2 cells of column 'sex'",
                                 "'unknown': 'diverse' (1), '' (1)\n", "\n1 cell of column 'size'", ": 'huge' (1)\n"}));
    const json as_json = json::parse(test::run(site.send_arguments({"--input", later, "--id", "id"})).out);
    EXPECT_EQ(as_json["missing_values"]["hours"], 1);
    Site::stop(engine);
}

TEST_F(DescribedAndSent, UnusableRowIsRefusedWithCount) {
    const std::string file = write("first.csv", {7, 8});
    const Site site;
    (void)fit_and_save(site, file, {});
    rows[30].hours = "many";
    rows[40].hours = "few";
    const std::string later = write("later.csv", {7, 8});
    test::Process engine(site.serve_arguments());
    const std::vector<std::string> send{"send",    "--ingest", site.endpoint("ingest"), "--timeout", "60",
                                        "--input", later};
    EXPECT_THAT(refusal(send), Names({"later.csv:32:", "'hours'", "'many'", "2 of 60 rows", ": add --bad-rows 2"}));
    std::vector<std::string> tolerant = send;
    tolerant.insert(tolerant.end(), {"--bad-rows", "2"});
    const test::Finished sent = fairstream(tolerant);
    EXPECT_EQ(sent.exit_code, 0);
    EXPECT_THAT(sent.out, Names({"sent 58 points", "\nleft out 2 rows"}));
    Site::stop(engine);
}

TEST_F(DescribedAndSent, WhatTheOptionsDecidedStaysAsItIs) {
    const Site site;
    rows[3].sex.clear();
    (void)fit_and_save(site, write("gaps.csv", {1, 7, 8}),
                       {"--missing", "age=indicator", "--missing", "hours=drop", "--unknown-group", "not said"});
    EXPECT_THAT(saved(site), AllOf(Names({"unknown = \"not said\"\n", "missing = \"indicator\"\n",
                                          "name = \"hours\"\nmissing = \"refuse\"\n"}),
                                   Not(HasSubstr("unknown = \"unknown\""))));
}

TEST_F(DescribedAndSent, OptionsThatListGroupsKeepTheirGroups) {
    const Site site;
    (void)fit_and_save(site, write("first.csv", {7, 8}), {"--set", "share_at_least=0.1,0.2"});
    EXPECT_EQ(fairstream({"check", "--config", site.config()}).exit_code, 0);
    EXPECT_THAT(saved(site), AllOf(Not(HasSubstr("unknown = \"unknown\"")), HasSubstr("lists")));
}

/// People as JSON lines, those from `first_y` on with the key y, and an engine of their fit.
class PeopleAsJsonLines : public DescribedAndSent {
protected:
    void serve(int lines, int first_y) {
        std::string text;
        for (int i = 0; i < lines; ++i)
            text += "{\"x\":" + std::to_string(i % 7) + ",\"sex\":\"" + (i % 3 == 0 ? "f" : "m") + "\"" +
                    (i >= first_y ? ",\"y\":" + std::to_string(i % 5) : "") + "}\n";
        file = directory.write("people.jsonl", text).string();
        (void)fit_and_save(site, file, {"--missing", "y=mean"});
        engine.emplace(site.serve_arguments());
    }
    /// Returns the report of sending from a pipe that a command writes to.
    [[nodiscard]] json sent_by(const std::string& writer) const {
        std::string command = writer + " |";
        for (const std::string& word : site.send_arguments({"--input", "-"})) command += " '" + word + "'";
        const test::Finished sent = test::run({"/bin/sh", "-c", command});
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
        return json::parse(sent.out, nullptr, false);
    }

    std::string file;
    const Site site;
    std::optional<test::Process> engine;
};

TEST_F(PeopleAsJsonLines, PipeUsesKeysOfFirstLines) {
    serve(40, 21);
    EXPECT_EQ(sent_by("cat '" + file + "'")["missing_values"], json({{"y", 21}}));
    Site::stop(*engine);
    expect_same_labels(site);
}

TEST_F(PeopleAsJsonLines, StreamKeyMayBeAbsent) {
    serve(40, 21);
    const json report = sent_by(R"(echo '{"x":3}')");
    EXPECT_EQ(report["missing_values"], json({{"y", 1}}));
    EXPECT_THAT(report["warnings"].dump(), Names({"'y'", "'sex'"}));
    Site::stop(*engine);
}

TEST_F(PeopleAsJsonLines, StreamKeyMayComeLateInPipe) {
    constexpr int first_y = 1200;
    serve(1300, first_y);
    const json report = sent_by("cat '" + file + "'");
    EXPECT_EQ(report["missing_values"], json({{"y", first_y}}));
    EXPECT_THAT(only_warning(report["warnings"]), HasSubstr("'y'"));
    Site::stop(*engine);
    expect_same_labels(site);
}

}  // namespace
}  // namespace fairstream::command
