#pragma once
/// `fairstream serve`: runs an engine as a process.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/config/config.hpp>

namespace fairstream::command {

/// Options of the command line; they override the configuration file.
struct ServeOptions {
    std::filesystem::path config;  ///< empty: the configuration in the recording
    std::filesystem::path recording;
    std::string ingest, updates, control;  ///< endpoints
    std::optional<int> threads;
    std::vector<std::string> settings;  ///< "model.option=value"
    bool quiet = false;                 ///< log warnings and errors only
};

/// Throws `InvalidInput` for any part of this configuration that keeps `serve` from starting, except its recording and
/// ports.
void check_process(const config::ProcessOptions& process);
int run_serve(const ServeOptions& options);

}  // namespace fairstream::command
