/// What the README says is so.

#include <filesystem>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/options.hpp>

#include <support/process.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::test {
namespace {

using testing::HasSubstr;

std::string readme() {
    return file_bytes(FAIRSTREAM_SOURCE_DIR "/README.md");
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
    return std::regex_replace(text, std::regex(pattern), by);
}

TEST(Readme, ListsEveryOptionWithItsDefaultAndRange) {
    const std::string text = readme();
    for (const std::string model : {"safairkm", "fair_spectral", "partial_fair_scorer"})
        for (const OptionText& option : list_options(default_options(model))) {
            if (option.name == "seed") continue;  // its bound has no short form
            const bool pairs = option.range.starts_with("pairs");
            const std::string range =
                pairs ? "pairs of ids" : replaced(replaced(option.range, "\\|", ", "), "e\\+?(-?)0?", "e$1");
            const std::string live = option.live ? "yes " : "";
            EXPECT_THAT(text,
                        HasSubstr("| `" + option.name + "` | " + option.value + " | " + range + " | " + live + "|"));
        }
}

/// All commands for a shell, in order, but with sockets of this test's own.
std::string commands(const std::string& endpoints) {
    const std::string text = readme();
    std::string all = "set -euo pipefail\n";
    const std::regex block("\n```sh\n([^`]*)```");
    for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at) all += (*at)[1];
    return replaced(replaced(all, "\\./dev build[^\n]*", ""), "tcp://127\\.0\\.0\\.1:", endpoints);
}

TEST(Readme, TheCommandsWork) {
    const TemporaryDirectory directory;
    const std::string endpoints = "ipc://" + (directory / "at").string();
    std::filesystem::create_directory(directory / "demos");
    directory.write("demos/loans.toml", replaced(file_bytes(FAIRSTREAM_SOURCE_DIR "/demos/loans.toml"),
                                                 "tcp://127\\.0\\.0\\.1:", endpoints));
    const std::filesystem::path script = directory.write("script", commands(endpoints));
    const Finished finished = run({"/usr/bin/env", "-C", directory.path().string(),
                                   "PATH=" FAIRSTREAM_BIN_DIR ":/usr/bin:/bin", "bash", script.string()});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("sent 50,000 points"));
    EXPECT_THAT(finished.out, HasSubstr("other: fair"));
    EXPECT_THAT(finished.out, HasSubstr("safairkm on loans: 5,000 points"));
}

}  // namespace
}  // namespace fairstream::test
