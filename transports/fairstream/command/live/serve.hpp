#pragma once
/// `fairstream serve`: an engine as a process.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/config/config.hpp>

namespace fairstream::command {

/// What the command line sets goes before the configuration file.
struct ServeOptions {
    std::filesystem::path config;
    std::filesystem::path recording;
    std::string ingest, updates, control;  ///< endpoints
    std::optional<int> threads;
    std::vector<std::string> settings;  ///< "model.option=value"
    bool quiet = false;                 ///< log warnings and errors only
};

/// Throws `InvalidInput` for whatever keeps `serve` from starting under this configuration, recording and ports aside.
void check_process(const config::ProcessOptions& process);
int run_serve(const ServeOptions& options);

}  // namespace fairstream::command
