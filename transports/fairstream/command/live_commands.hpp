#pragma once
/// The options of the commands about engines that run, and about their recordings and configurations.

#include <fairstream/command/subcommand.hpp>

namespace fairstream::command {

void add_serve(CLI::App& app, Run& run);
void add_send(CLI::App& app, Run& run);
void add_watch(CLI::App& app, Run& run);
void add_status(CLI::App& app, Run& run);
void add_set(CLI::App& app, Run& run);
void add_refine(CLI::App& app, Run& run);
void add_producers(CLI::App& app, Run& run);
void add_remove(CLI::App& app, Run& run);
void add_erase(CLI::App& app, Run& run);
void add_replay(CLI::App& app, Run& run);
void add_export(CLI::App& app, Run& run);
void add_salvage(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_check(CLI::App& app, Run& run);
void add_keys_command(CLI::App& app, Run& run);

}  // namespace fairstream::command
