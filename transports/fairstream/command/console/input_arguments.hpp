#pragma once
/// The command line's options for input: points or a graph.

#include <string>
#include <vector>

#include <fairstream/command/console/cli.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::command {

void add_input(CLI::App& app, files::InputOptions& input);
/// Adds the option for columns to copy beside the labels; call after `add_input`.
void add_with(CLI::App& app, files::InputOptions& input);
/// Adds the option of a stream's configuration to a command that has no engine; call after `add_input`.
void add_stream_input(CLI::App& app, files::InputOptions& input);
/// Adds the options of graphs to a command that takes them; call after `add_input`. `node_columns` are the options that
/// also name columns of the nodes' file.
void add_graph_input(CLI::App& app, files::InputOptions& input, const std::vector<std::string>& node_columns);

/// Returns the help text on the option of a stream's configuration.
[[nodiscard]] std::string stream_help();
/// Return the help texts on the kinds of `--generate`: generators of points and of graphs.
[[nodiscard]] std::string generators_help();
[[nodiscard]] std::string graphs_help();

}  // namespace fairstream::command
