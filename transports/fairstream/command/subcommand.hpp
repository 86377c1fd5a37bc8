#pragma once
/// Creation of subcommands.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// The largest number for --threads.
inline constexpr int most_threads = 1024;

/// Runs the command line's request; returns the exit code.
using Run = std::function<int()>;

/// Creates a subcommand whose options live as long as its `run`.
template <class Options> std::pair<CLI::App*, Options&> add_command(CLI::App& app, const std::string& name,
                                                                    const std::string& help,
                                                                    int (*execute)(const Options&), Run& run) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(name, help);
    command->callback([options, execute, &run] { run = [options, execute] { return execute(*options); }; });
    return {command, *options};
}

}  // namespace fairstream::command
