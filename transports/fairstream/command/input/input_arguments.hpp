#pragma once
/// The part of a command line that says where points, or a graph, come from.

#include <string>

#include <fairstream/command/console/cli.hpp>
#include <fairstream/command/input/input.hpp>

namespace fairstream::command {

void add_input(CLI::App& app, InputOptions& input);
/// For a command that takes graphs too, after `add_input`.
void add_graph_input(CLI::App& app, InputOptions& input);

/// For the help of the commands that take `--generate`: what there is.
[[nodiscard]] std::string generators_help();
[[nodiscard]] std::string graphs_help();

}  // namespace fairstream::command
