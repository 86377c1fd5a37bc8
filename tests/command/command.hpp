#pragma once
/// Helpers of the program's tests.

#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <support/names.hpp>
#include <support/process.hpp>

namespace fairstream::command {

using nlohmann::json;
using test::Names;

inline std::string program() {
    return std::string(FAIRSTREAM_BIN_DIR) + "/fairstream";
}

inline test::Finished fairstream(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program());
    return test::run(std::move(arguments));
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Returns all commands of the program, as its help lists them.
inline std::vector<std::string> commands() {
    std::vector<std::string> names;
    bool listed = false;
    for (const std::string& line : lines_of(fairstream({"--help"}).out)) {
        if (line.empty()) listed = false;
        if (listed && line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
        if (line == "Commands:") listed = true;
    }
    return names;
}

/// Returns stderr without the note on the price of the default target, which is high if groups are clusters, as in some
/// tests.
inline std::string besides_the_price(const std::string& err) {
    std::string rest;
    for (std::size_t first = 0; first < err.size();) {
        const std::size_t end = std::min(err.find('\n', first), err.size() - 1) + 1;
        const std::string line = err.substr(first, end - first);
        if (!line.starts_with("note: ") || line.find(" parity_at_least=0.8 ") == std::string::npos) rest += line;
        first = end;
    }
    return rest;
}

/// Returns the JSON that a command prints. Fails the test if the command fails or complains.
inline json json_of(std::vector<std::string> arguments) {
    const test::Finished finished = fairstream(std::move(arguments));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(besides_the_price(finished.err), "");
    return json::parse(finished.out, nullptr, false);
}

/// Returns the JSON of a fit that names a missed target in one line; fails the test otherwise.
inline json json_of_a_miss(std::vector<std::string> arguments) {
    const test::Finished finished = fairstream(std::move(arguments));
    EXPECT_EQ(finished.exit_code, 3) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_THAT(finished.err,
                ::testing::AnyOf(::testing::StartsWith("warning: "), ::testing::StartsWith("fairstream fit: ")));
    return json::parse(finished.out, nullptr, false);
}

/// Matches stderr of one line, a note that names the parts.
inline auto one_note(std::initializer_list<std::string> parts) {
    return ::testing::AllOf(::testing::MatchesRegex("note: [^\n]*\n"), Names(parts));
}

/// The only one of a report's warnings; a failure when there are none or more.
inline std::string only_warning(const json& warnings) {
    EXPECT_EQ(warnings.size(), 1U) << warnings;
    return warnings.empty() ? std::string() : warnings[0].get<std::string>();
}

/// Returns the report without the values that differ from run to run.
inline json without_times(json report) {
    for (const char* name :
         {"seconds", "cpu_seconds", "ingest_seconds", "refine_seconds", "points_per_second", "threads"})
        report.erase(name);
    if (report.contains("unconstrained")) report["unconstrained"].erase("seconds");
    if (report.contains("curve"))
        for (json& point : report["curve"]) point.erase("seconds");
    return report;
}

/// Returns the one line with which a command refuses its input; fails the test otherwise.
inline std::string refusal(std::vector<std::string> arguments) {
    const test::Finished finished = fairstream(std::move(arguments));
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_THAT(finished.err, ::testing::EndsWith("\n"));
    return finished.err.substr(0, finished.err.size() - 1);
}

}  // namespace fairstream::command
