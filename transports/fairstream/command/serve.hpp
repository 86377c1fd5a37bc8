#pragma once
/// `fairstream serve`: an engine as a process.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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

int run_serve(const ServeOptions& options);

}  // namespace fairstream::command
