#pragma once
/// Suggestions in errors about the command line.

#include <string>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Rephrases an error of CLI11 in the style of the other errors. For an unknown option or argument it adds the probably
/// intended one.
[[nodiscard]] std::string explained(const CLI::App& app, const CLI::ParseError& error);

/// Returns the text of the error for an unknown command.
[[nodiscard]] std::string unknown_command(const CLI::App& app, const std::string& name);

}  // namespace fairstream::command
