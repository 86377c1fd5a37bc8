#pragma once
/// The commands that print reference: `names`, `schema`, `man`, and `completion`.

#include <functional>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Adds the commands. `adapt_help` adapts the help of a command that takes a model to the model named, or to all
/// models.
void add_reference_commands(CLI::App& app, std::function<int()>& run,
                            void (*adapt_help)(CLI::App&, const std::string&));

}  // namespace fairstream::command
