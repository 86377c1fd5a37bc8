/// Checks help texts and completion against the options and behaviour of the program.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <fairstream/options.hpp>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

std::string help_on(Words command) {
    command.emplace_back("--help");
    const test::Finished finished = fairstream(std::move(command));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(finished.err, "");
    return finished.out;
}

/// Returns the command lines with a help text, without --help.
std::vector<Words> pages() {
    std::vector<Words> all{{}, {"front", "safairkm"}, {"front", "fair_spectral"}};
    for (const std::string& command : commands()) all.push_back({command});
    for (const std::string& model : model_names()) all.push_back({"fit", model});
    return all;
}

/// Returns the options in a help text, with the names of their arguments.
std::map<std::string, std::string> options_in(const std::string& help) {
    std::map<std::string, std::string> options;
    const std::regex option("^  (-h,)?(--[a-z-]+) ?([^ ]*)( .*)?$");
    std::smatch match;
    for (const std::string& line : lines_of(help))
        if (std::regex_match(line, match, option)) options[match[2]] = match[3];
    return options;
}

std::set<std::string> names_in(const std::string& help) {
    std::set<std::string> names;
    for (const auto& [name, argument] : options_in(help)) names.insert(name);
    return names;
}

/// Returns the completions of the last word.
Words offered(Words words) {
    words.insert(words.begin(), {"completion", "words"});
    const test::Finished finished = fairstream(std::move(words));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return lines_of(finished.out);
}

/// Returns the commands in a help text's examples, each on one line.
Words examples_in(const std::string& help) {
    const std::size_t begin = help.find("\nExample:\n");
    if (begin == std::string::npos) return {};
    Words examples;
    bool goes_on = false;
    for (std::string line : lines_of(help.substr(begin + 10))) {
        if (line.empty()) break;
        const bool ends = !line.ends_with("\\");
        if (!ends) line.pop_back();
        if (goes_on)
            examples.back() += line;
        else
            examples.push_back(line.substr(2));
        goes_on = !ends;
    }
    return examples;
}

TEST(Help, FitsATerminalOfAHundredColumns) {
    for (const Words& page : pages())
        for (const std::string& line : lines_of(help_on(page)))
            EXPECT_LE(line.size(), 100U) << ::testing::PrintToString(page) << ": " << line;
}

TEST(Help, StartsWithPurposeAndExplainsArguments) {
    for (const Words& page : pages()) {
        const std::string help = help_on(page);
        EXPECT_THAT(help, Not(StartsWith("\n")));
        EXPECT_THAT(help, HasSubstr("\nUsage: fairstream")) << ::testing::PrintToString(page);
        EXPECT_THAT(help, Not(HasSubstr("\n\n\n"))) << ::testing::PrintToString(page);
        if (page.empty()) continue;
        const std::size_t usage = help.find("\nUsage: fairstream " + page[0] + " ");
        ASSERT_NE(usage, std::string::npos) << help;
        std::istringstream arguments(help.substr(usage + 20 + page[0].size(), help.find('\n', usage + 1) - usage));
        for (std::string argument; arguments >> argument && argument != "[OPTIONS]";) {
            std::erase_if(argument, [](char c) { return c == '[' || c == ']'; });
            EXPECT_TRUE(std::regex_search(help, std::regex("\nArguments:\n  " + argument + " +[a-z]"))) << help;
        }
    }
}

TEST(Help, ListsAndCompletesEveryOption) {
    std::map<std::string, std::set<std::string>> shown;
    for (const Words& page : pages()) {
        Words words = page;
        words.emplace_back("--");
        const Words names = offered(words);
        const std::set<std::string> on_page = names_in(help_on(page));
        EXPECT_FALSE(on_page.empty());
        // Without a model, completion offers the options of all models.
        if (page != Words{"fit"}) {
            EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), on_page) << ::testing::PrintToString(page);
        }
        if (!page.empty()) shown[page[0]].insert(on_page.begin(), on_page.end());
    }
    const Words of_fit = offered({"fit", "--"});
    EXPECT_EQ(std::set<std::string>(of_fit.begin(), of_fit.end()), shown["fit"]);
}

TEST(Help, ModelHelpOmitsRefusedOptions) {
    const test::TemporaryDirectory directory;
    std::map<std::string, std::string> all;
    for (const std::string& model : model_names()) all.merge(options_in(help_on({"fit", model})));
    for (const std::string& model : model_names()) {
        const std::string help = help_on({"fit", model});
        EXPECT_THAT(help, Names({"Usage: fairstream fit " + model + " [OPTIONS]", "\nOptions of " + model + " and",
                                 "\nFigures of " + model + ":"}));
        for (const std::string& other : model_names())
            EXPECT_EQ(help.find("Options of " + other) != std::string::npos, other == model) << other;
        const std::set<std::string> names = names_in(help);
        for (const auto& [option, argument] : all) {
            if (names.contains(option)) continue;
            Words words{"fit", model, "--generate", "loan_decisions", "--points", "300", option};
            if (argument.starts_with("OUT"))
                words.push_back((directory / "out.html").string());
            else if (!argument.empty() && !argument.starts_with("["))
                words.emplace_back("1");
            EXPECT_THAT(refusal(words), HasSubstr(option.substr(2))) << model;
        }
    }
}

TEST(Help, HelpWithoutModelListsAll) {
    const std::string help = help_on({"fit"});
    EXPECT_THAT(help, HasSubstr("fairstream fit MODEL --help"));
    std::set<std::string> common = names_in(help_on({"fit", model_names()[0]}));
    for (const std::string& model : model_names()) {
        EXPECT_TRUE(std::regex_search(help, std::regex("\n  " + model + " +[A-Z]"))) << model;
        EXPECT_THAT(help, Not(HasSubstr("Options of " + model)));
        const std::set<std::string> names = names_in(help_on({"fit", model}));
        std::erase_if(common, [&](const std::string& name) { return !names.contains(name); });
    }
    EXPECT_EQ(names_in(help), common);
    EXPECT_EQ(help_on({"fit", "kmeans"}), help);
}

TEST(Help, HasExamplesThatRunAsTheyStand) {
    const test::TemporaryDirectory directory;
    std::set<std::string> run;
    for (const Words& page : pages()) {
        const Words examples = examples_in(help_on(page));
        EXPECT_EQ(examples.empty(), page.empty()) << ::testing::PrintToString(page);
        bool runs = false;
        for (const std::string& example : examples) {
            const bool is_of_page = page.size() < 2 || example.starts_with("fairstream " + page[0] + " " + page[1]) ||
                                    (page == Words{"front", "safairkm"} && example.starts_with("fairstream front --"));
            EXPECT_TRUE(is_of_page) << example;
            const bool is_command = example.starts_with("fairstream f") || example.starts_with("fairstream p");
            if (!is_command || example.find("--generate") == std::string::npos) continue;
            runs = true;
            if (!run.insert(example).second) continue;
            const test::Finished finished =
                test::run({"/usr/bin/env", "-C", directory.path().string(), "PATH=" FAIRSTREAM_BIN_DIR ":/usr/bin:/bin",
                           "bash", "-c", example});
            EXPECT_EQ(finished.exit_code, 0) << example << ": " << finished.err;
            EXPECT_NE(finished.out, "") << example;
        }
        EXPECT_EQ(runs, page.size() == 2 || page == Words{"fit"} || page == Words{"front"} || page == Words{"predict"})
            << ::testing::PrintToString(page);
    }
}

TEST(Help, HasExamplesWhoseOptionsThereAre) {
    for (const Words& page : pages())
        for (const std::string& example : examples_in(help_on(page))) {
            std::istringstream stream(example);
            Words words;
            std::set<std::string> options;
            std::string word;
            EXPECT_TRUE(stream >> word && (word == "fairstream" || word == "source")) << example;
            if (word == "source") continue;
            while (stream >> word) {
                if (word.starts_with("--"))
                    options.insert(word);
                else if (options.empty() && words.size() < 2)
                    words.push_back(word);
            }
            words.emplace_back("--");
            EXPECT_THAT(offered(words), IsSupersetOf(options)) << example;
        }
}

TEST(Completion, OffersCommandsModelsAndOptions) {
    EXPECT_EQ(offered({""}), commands());
    EXPECT_THAT(offered({"fi"}), ElementsAre("fit"));
    EXPECT_EQ(offered({"fit", ""}), model_names());
    EXPECT_THAT(offered({"fit", "lo"}), ElementsAre("lord"));
    EXPECT_THAT(offered({"fit", "--clusters", "3", "lo"}), ElementsAre("lord"));
    EXPECT_THAT(offered({"fit", "lord", "--generate", "e"}), ElementsAre("elliptical"));
    EXPECT_THAT(offered({"fit", "lord", "--generate", "m"}), ElementsAre("msbm"));
    EXPECT_THAT(offered({"fit", "safairkm", "--generate", "m"}), ElementsAre());
    EXPECT_THAT(offered({"send", "--generate", "loan_"}), ElementsAre("loan_decisions"));
    EXPECT_THAT(offered({"fit", "lord", "--set", "pri"}), ElementsAre("priors="));
    EXPECT_THAT(offered({"front", ""}), ElementsAre("safairkm", "fair_spectral")) << "the others have no fronts";
    EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash"));
    EXPECT_THAT(offered({"schema", "f"}), ElementsAre("fit", "front"));
    EXPECT_EQ(offered({"man", ""}), commands());
    EXPECT_THAT(offered({"names", "refine_r"}), ElementsAre("refine_rounds"));
    EXPECT_THAT(offered({"fit", "lord", "--labels", ""}), ElementsAre()) << "files are bash's";
    EXPECT_THAT(offered({"nosuch", ""}), ElementsAre());
    for (const std::string& model : model_names()) {
        Words names;
        for (const OptionText& option : list_options(default_options(model))) names.push_back(option.name + "=");
        EXPECT_EQ(offered({"fit", model, "--set", ""}), names);
    }
}

TEST(Completion, OmitsExcludedOptions) {
    const std::vector<std::string> of_outcomes = offered({"send", "--outcomes", "paid.csv", "--"});
    EXPECT_THAT(of_outcomes, IsSupersetOf({"--id", "--target", "--bad-rows", "--ingest"}));
    for (const char* const option : {"--input", "--generate", "--points", "--features", "--rows", "--event"})
        EXPECT_THAT(of_outcomes, Not(Contains(option)));
    EXPECT_THAT(offered({"status", "--watch", "--"}), Not(Contains("--json")));
    EXPECT_THAT(offered({"status", "--json", "--"}), Not(Contains("--watch")));
}

TEST(Completion, WorksInBash) {
    const auto completed = [](const std::string& words) {
        const std::string script = "set -euo pipefail; source <(fairstream completion bash); COMP_WORDS=(fairstream " +
                                   words +
                                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fairstream; printf '%s\\n' "
                                   "\"${COMPREPLY[@]}\"; complete -p fairstream";
        return test::run({"/usr/bin/env", "PATH=" FAIRSTREAM_BIN_DIR ":/usr/bin:/bin", "bash", "-c", script});
    };
    EXPECT_EQ(completed("fit lo").out, "lord\ncomplete -o default -F _fairstream fairstream\n");
    EXPECT_THAT(completed("front fair_spectral --edg").out, StartsWith("--edges\n"));
    EXPECT_THAT(completed("''").out, StartsWith("fit\n"));
    EXPECT_THAT(refusal({"completion", "fish"}), Names({"'fish'", "bash"}));
}

}  // namespace
}  // namespace fairstream::command
