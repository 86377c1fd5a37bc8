/// Checks the list of names, and the manual pages, against the options and outputs of the program.

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <support/temporary_directory.hpp>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Names, RepositoryListMatchesProgram) {
    const std::string page = test::file_bytes(std::string(FAIRSTREAM_SOURCE_DIR) + "/schemas/names.md");
    const std::string table = fairstream({"names", "--markdown"}).out;
    ASSERT_THAT(table, StartsWith("| name | where | meaning |\n"));
    EXPECT_THAT(page, HasSubstr(table)) << "make it anew: build/release/bin/fairstream names --markdown";
}

TEST(Names, OneOrMoreAreExplained) {
    const test::Finished two = fairstream({"names", "balance_at_least", "refine-rounds"});
    EXPECT_THAT(two.out, AllOf(Names({"balance_at_least\n  JSON of fit, front", "option of safairkm",
                                      "refine_rounds\n  --refine-rounds of fit"}),
                               Not(HasSubstr("churn"))));
    EXPECT_EQ(fairstream({"names", "refine rounds"}).out, fairstream({"names", "refine_rounds"}).out);
    EXPECT_THAT(refusal({"names", "price"}), Names({"'price'", " price_of_fairness"}));
    EXPECT_THAT(refusal({"names", "per second"}), HasSubstr(" points_per_second"));
    EXPECT_THAT(refusal({"names", "nothing"}), HasSubstr("'nothing'"));
    EXPECT_THAT(refusal({"names", "ECE"}), Names({"'ECE'", "calibration_error"}));
    EXPECT_THAT(refusal({"names", "TPR"}), HasSubstr("true_positive_rate;"));
}

TEST(Names, WordsThatStandAsValuesAreKnown) {
    for (const char* word : {"converged", "iteration_limit", "stalled", "unattainable", "warming"})
        EXPECT_THAT(fairstream({"names", word}).out, HasSubstr("outcome")) << word;
    for (const char* word : {"within", "unclear", "left", "unmeasured"})
        EXPECT_THAT(fairstream({"names", word}).out, HasSubstr("parity_bound, odds_bound")) << word;
    EXPECT_THAT(fairstream({"names", "knee"}).out, HasSubstr("--pick of front"));
}

TEST(Names, FitFiguresMatchList) {
    const std::string summary =
        fairstream({"fit", "safairkm", "--generate", "loans", "--points", "300", "--clusters", "3"}).out;
    const std::string list = fairstream({"names", "--markdown"}).out;
    for (const std::string name : {"balance", "parity", "average_balance", "worst_gap"}) {
        std::smatch row;
        ASSERT_TRUE(std::regex_search(list, row, std::regex("\\| `" + name + "` \\| JSON [^|]*\\| ([^|]*) \\|\n")))
            << name;
        EXPECT_THAT(summary, HasSubstr(row[1].str())) << name;
    }
}

/// Returns the allowed keys of a section, from the error for an unknown key.
std::set<std::string> known_keys(const std::string& section) {
    std::string text;
    const auto add = [&](const std::string& header, const std::string& body) {
        text += header.empty() ? "" : header + "\n";
        if (header == section) text += "surprise = 1\n";
        text += body;
    };
    add("", "");
    add("[stream]", "columns = [\"x\"]\n");
    add("[[stream.attribute]]", "name = \"sex\"\ngroups = [\"f\", \"m\"]\n");
    for (const char* header : {"[window]", "[prepare]"}) add(header, "");
    add("[[prepare.column]]", "name = \"x\"\n");
    add("[[model]]", "kind = \"safairkm\"\n");
    for (const char* header :
         {"[files]", "[recording]", "[ingest]", "[updates]", "[control]", "[clients]", "[security]"})
        add(header, "");
    const test::TemporaryDirectory directory;
    const std::string error = refusal({"check", "--config", directory.write("c.toml", text).string()});
    const std::size_t list = error.find("; known: ");
    EXPECT_NE(list, std::string::npos) << section << ": " << error;
    std::set<std::string> keys;
    std::istringstream names(error.substr(list + 9));
    for (std::string name; std::getline(names, name, ',');) keys.insert(name.substr(name.find_first_not_of(' ')));
    return keys;
}

TEST(Names, EveryKeyOfAConfigurationIsListed) {
    std::map<std::string, std::set<std::string>> listed;
    const std::regex row(R"(\| (?:`(\w+)`)? \| configuration, (.*) \| .* \|)");
    std::string name;
    for (const std::string& line : lines_of(fairstream({"names", "--markdown"}).out)) {
        std::smatch match;
        if (std::regex_search(line, match, std::regex(R"(^\| `(\w+)` )"))) name = match[1];
        if (!std::regex_match(line, match, row)) continue;
        std::istringstream sections(match[2].str());
        for (std::string section; std::getline(sections, section, ',');)
            listed[section.substr(section.find_first_not_of(' '))].insert(name);
    }
    const std::set<std::string> tables{"stream", "files",   "window",  "prepare", "model",   "recording",
                                       "ingest", "updates", "control", "clients", "security"},
        inner_tables{"attribute", "column", "options"};
    ASSERT_EQ(listed.size(), 14U);
    for (const auto& [section, keys] : listed) {
        std::set<std::string> known = known_keys(section == "before the sections" ? "" : section);
        for (const std::string& table : section == "before the sections" ? tables : inner_tables) known.erase(table);
        EXPECT_EQ(keys, known) << section;
    }
}

TEST(Manual, EveryCommandHasCompletePage) {
    const test::TemporaryDirectory directory;
    EXPECT_EQ(fairstream({"man", "--into", directory.path().string()}).exit_code, 0);
    std::vector<std::string> all = commands();
    ASSERT_GE(all.size(), 12U);
    for (const std::string& command : all) {
        const std::string page = test::file_bytes(directory / ("fairstream-" + command + ".1"));
        EXPECT_EQ(page, fairstream({"man", command}).out);
        EXPECT_THAT(page, StartsWith(".TH FAIRSTREAM-"));
        EXPECT_THAT(page, HasSubstr(".SH NAME\nfairstream\\-" + command + " \\- "));
        for (const std::string& line : lines_of(fairstream({command, "--help"}).out)) {
            std::smatch match;
            if (!std::regex_search(line, match, std::regex(R"(^  (?:-h,)?--([a-z-]+))"))) continue;
            const std::string option = std::regex_replace(match[1].str(), std::regex("-"), "\\-");
            EXPECT_THAT(page, HasSubstr("\\-\\-" + option)) << command;
        }
        // A line that begins with a dot is a request to the macro package; other lines are text.
        for (const std::string& line : lines_of(page)) {
            if (!line.starts_with('.')) continue;
            EXPECT_TRUE(std::regex_match(line, std::regex(R"(\.(TH|SH|TP|B|PP|nf|fi)( .*)?)"))) << line;
        }
    }
    EXPECT_THAT(test::file_bytes(directory / "fairstream.1"), HasSubstr("\\fBfit\\fR"));
    EXPECT_THAT(refusal({"man", "nothing"}), HasSubstr("'nothing'"));
}

}  // namespace
}  // namespace fairstream::command
