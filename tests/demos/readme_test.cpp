/// Checks the pages for readers against the program and the tree.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/config/config_keys.hpp>
#include <fairstream/options.hpp>

#include <support/process.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::test {
namespace {

using testing::HasSubstr;

const std::filesystem::path root = FAIRSTREAM_SOURCE_DIR;

/// All pages for readers, by their places under the root, but for what is generated and the release notes.
std::vector<std::string> pages() {
    std::vector<std::string> found{"README.md"};
    for (const char* const folder : {"demos", "engine", "transports", "tests"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
            if (entry.path().extension() == ".md") found.push_back(std::filesystem::relative(entry.path(), root));
    return found;
}

/// All blocks of a page in a language, in order.
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
    const std::string text = file_bytes(root / page);
    const std::regex block("\n```" + language + "\n([^`]*)```");
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at) found.push_back((*at)[1]);
    return found;
}

std::string page_of_model(const std::string& model) {
    return file_bytes(root / "engine/fairstream/models" / model / "README.md");
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
    return std::regex_replace(text, std::regex(pattern), by);
}

TEST(Readme, ModelPageListsAllOptions) {
    for (const std::string model : {"safairkm", "fair_spectral", "partial_fair_scorer", "esvd_fair"}) {
        const std::string text = page_of_model(model);
        for (const OptionText& option : list_options(default_options(model))) {
            if (option.name == "seed") continue;  // its bound has no short form
            const bool pairs = option.range.starts_with("pairs");
            const std::string range = option.name == attribute_option ? "names or indices"
                                      : pairs                         ? "pairs of ids"
                                              : replaced(replaced(option.range, "\\|", ", "), "e\\+?(-?)0?", "e$1");
            const std::string live = option.live ? "yes " : "";
            EXPECT_THAT(text,
                        HasSubstr("| `" + option.name + "` | " + option.value + " | " + range + " | " + live + "|"));
        }
    }
}

TEST(Readme, LinksLeadSomewhere) {
    EXPECT_GE(pages().size(), 8U);
    for (const std::string& page : pages()) {
        const std::string text = replaced(file_bytes(root / page), "```[^`]*```", "");  // links, not code
        const std::regex link("\\]\\(([^)#]+)");
        for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
            const std::string target = (*at)[1];
            if (target.starts_with("http")) continue;
            EXPECT_TRUE(std::filesystem::exists((root / page).parent_path() / target)) << page << ": " << target;
        }
    }
}

/// Returns all shell commands of a page, in order, with this test's own sockets.
std::string commands(const std::string& page, const std::string& endpoints) {
    std::string all =
        "set -euo pipefail\n"
        "own_sockets() {\n"
        "  grep -q '\\[ingest\\]' $1 || printf '[ingest]\nendpoint = \"%s7400\"\n[updates]\nendpoint = "
        "\"%s7401\"\n[control]\nendpoint = \"%s7402\"\n' " +
        endpoints + " " + endpoints + " " + endpoints + " >> $1\n}\n";
    for (const std::string& block : blocks(page, "sh")) all += block;
    all = replaced(replaced(all, "\\./dev [^\n]*", ""), "tcp://127\\.0\\.0\\.1:", endpoints);
    all = replaced(all, "fairstream serve --config ([^ ]+)", "own_sockets $1; fairstream serve --config $1");
    // Clients that name no endpoint would take the default ones.
    all = replaced(all, "fairstream send(?![^\n]*--ingest )", "fairstream send --ingest " + endpoints + "7400");
    all = replaced(all, "fairstream watch(?![^\n]*--updates )", "fairstream watch --updates " + endpoints + "7401");
    return replaced(all, "fairstream (watch|status|set|refine|remove|producers)(?![^\n]*--control )",
                    "fairstream $1 --control " + endpoints + "7402");
}

/// A command line of the program on a page: the command, its model if any, and the options.
struct Shown {
    std::vector<std::string> words;
    std::set<std::string> options;
};

std::vector<Shown> shown_commands(const std::string& page) {
    const std::string text = replaced(file_bytes(root / page), "\\\\\n *", "");
    const std::vector<std::string> models = model_names();
    std::vector<Shown> all;
    const std::regex command("fairstream ([a-z]+)( [^`|#\n]*)"), word("[^ ]+"), option("--[a-z-]+");
    for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at) {
        const std::string rest = (*at)[2];
        Shown one{{(*at)[1]}, {}};
        std::smatch first;
        if (std::regex_search(rest, first, word) && std::ranges::count(models, first[0].str()) > 0)
            one.words.push_back(first[0]);
        for (std::sregex_iterator in(rest.begin(), rest.end(), option); in != end; ++in) one.options.insert((*in)[0]);
        if (!one.options.empty()) all.push_back(std::move(one));
    }
    return all;
}

// Also covers commands that the test cannot run, because they need files or an engine of the reader.
TEST(Readme, CommandsHaveOptionsThatThereAre) {
    std::size_t seen = 0;
    for (const std::string& page : pages())
        for (const Shown& shown : shown_commands(page)) {
            std::vector<std::string> arguments{FAIRSTREAM_BIN_DIR "/fairstream", "completion", "words"};
            arguments.insert(arguments.end(), shown.words.begin(), shown.words.end());
            arguments.emplace_back("--");
            std::istringstream offered(run(std::move(arguments)).out);
            const std::vector<std::string> known{std::istream_iterator<std::string>(offered), {}};
            EXPECT_THAT(known, testing::IsSupersetOf(shown.options)) << page << ": fairstream " << shown.words.front();
            ++seen;
        }
    EXPECT_GE(seen, 40U);
}

TEST(Readme, TheCommandsWork) {
    std::string said;
    for (const std::string& page : pages()) {
        const TemporaryDirectory directory;
        const std::string endpoints = "ipc://" + (directory / "at").string();
        std::filesystem::create_directory(directory / "demos");
        directory.write("demos/loans.toml",
                        replaced(file_bytes(root / "demos/loans.toml"), "tcp://127\\.0\\.0\\.1:", endpoints));
        const std::filesystem::path script = directory.write("script", commands(page, endpoints));
        const Finished finished = run({"/usr/bin/env", "-C", directory.path().string(),
                                       "PATH=" FAIRSTREAM_BIN_DIR ":/usr/bin:/bin", "bash", script.string()});
        EXPECT_EQ(finished.exit_code, 0) << page << ": " << finished.err;
        said += finished.out;
    }
    EXPECT_THAT(said, HasSubstr("safairkm on loans: 5,000 points"));
    EXPECT_THAT(said, HasSubstr("sent 6,000 points"));
    EXPECT_THAT(said, HasSubstr("other: safairkm"));
}

// A block is a program, or includes with statements after them.
TEST(Readme, BlocksOfCodeCompile) {
    std::size_t compiled = 0;
    const TemporaryDirectory directory;
    std::vector<std::string> command{FAIRSTREAM_COMPILER, "-std=c++20", "-fsyntax-only"};
    std::istringstream folders(FAIRSTREAM_INCLUDES);
    for (std::string folder; std::getline(folders, folder, ':');) command.push_back("-I" + folder);
    for (const std::string& page : pages())
        for (const std::string& block : blocks(page, "cpp")) {
            std::string above, statements;
            std::istringstream lines(block);
            for (std::string line; std::getline(lines, line);)
                (line.starts_with("#include") || line.starts_with("using namespace") ? above : statements) +=
                    line + "\n";
            const bool is_program = block.find("int main") != std::string::npos;
            const std::string source = is_program ? block : above + "int main() {\n" + statements + "}\n";
            command.push_back(directory.write("block.cpp", source).string());
            const Finished finished = run(command);
            EXPECT_EQ(finished.exit_code, 0) << page << ":\n" << block << finished.err;
            command.pop_back();
            ++compiled;
        }
    EXPECT_GE(compiled, 3U);
}

TEST(Readme, TheExampleConfigurationHasEverySetting) {
    std::set<std::pair<std::string, std::string>> shown;
    std::istringstream lines(file_bytes(root / "demos/loans.toml"));
    const std::regex header("(?:# )?(\\[+[a-z_.]+\\]+).*"), setting("(?:# )?([a-z_]+) = .*");
    std::string section;
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_match(line, match, header)) section = match[1];
        if (std::regex_match(line, match, setting)) shown.emplace(section, match[1]);
    }
    for (const ConfigKey& key : config_keys()) {
        const std::string last(key.section.substr(key.section.find(' ') + 1));  // of "[prepare], [[prepare.column]]"
        const std::string first(key.section.substr(0, key.section.find(',')));
        EXPECT_TRUE(shown.contains({first, std::string(key.key)}) || shown.contains({last, std::string(key.key)}))
            << key.section << " " << key.key;
    }
}

}  // namespace
}  // namespace fairstream::test
