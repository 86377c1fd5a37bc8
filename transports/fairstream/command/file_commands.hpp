#pragma once
/// The options of the commands that fit a file: `fit` and `front`.

#include <fairstream/command/subcommand.hpp>

namespace fairstream::command {

void add_fit(CLI::App& app, Run& run);
void add_front(CLI::App& app, Run& run);

}  // namespace fairstream::command
