#pragma once
/// Completion of command lines in a shell, from the commands and options that the parser has.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Returns what the last of `words` may become: names of commands, options, models, generators, or "OPTION=" of a
/// model. `words` follow the program's name and are one at least; the last is the one to complete, perhaps empty.
/// Nothing: a file, or free text. `adapt_help` is called on a command that takes a model, with the model's name.
[[nodiscard]] std::vector<std::string> completions(CLI::App& app, std::span<const std::string> words,
                                                   void (*adapt_help)(CLI::App&, const std::string&));

/// Returns the script that makes bash ask this program.
[[nodiscard]] std::string_view bash_completion();

}  // namespace fairstream::command
