#pragma once
/// Completion of command lines in a shell, from the commands and options that the parser has.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Returns completions of the last of `words`: names of commands, options, models, generators, or "OPTION=" of a model.
/// An empty result means a file or free text. `words` holds what follows the program's name, at least one word; the
/// last one may be empty. Calls `adapt_help` on a command that takes a model, with the model's name.
[[nodiscard]] std::vector<std::string> completions(CLI::App& app, std::span<const std::string> words,
                                                   void (*adapt_help)(CLI::App&, const std::string&));

/// Returns the script that makes bash ask this program.
[[nodiscard]] std::string_view bash_completion();

}  // namespace fairstream::command
