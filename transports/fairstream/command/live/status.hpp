#pragma once
/// `fairstream status`: how a running engine is, on one screen.

#include <cstdint>
#include <string>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>

namespace fairstream::command {

struct StatusOptions {
    std::string control = config::WireOptions{}.control;  ///< endpoint of the engine
    double timeout = 5;                                   ///< seconds to wait for each answer
    KeyOptions keys;
    bool json = false;
    bool watch = false;  ///< show it every second on a terminal
};

/// Returns the help text on what is shown, the keys of the JSON and the exit codes.
[[nodiscard]] std::string status_help();

/// Runs the command; returns 0 when the engine is healthy, 1 when it does not answer or is not.
int run_status(const StatusOptions& options);

}  // namespace fairstream::command
