#pragma once
/// What a command line was probably meant to be, for errors about it.

#include <string>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Rephrases an error of CLI11 in the style of the other errors; for an unknown option or argument with the one that
/// was probably meant.
[[nodiscard]] std::string explained(const CLI::App& app, const CLI::ParseError& error);

/// Returns the text of the error for a command that there is not.
[[nodiscard]] std::string unknown_command(const CLI::App& app, const std::string& name);

}  // namespace fairstream::command
