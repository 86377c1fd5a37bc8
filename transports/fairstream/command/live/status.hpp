#pragma once
/// `fairstream status`: the state of a running engine on one screen.

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
    bool watch = false;  ///< redraw the screen every second, on a terminal
};

/// Returns the help text on the screen, the keys of the JSON and the exit codes.
[[nodiscard]] std::string status_help();

/// Runs the command. Returns 0 when the engine is healthy, 1 when it is not or does not answer.
int run_status(const StatusOptions& options);

}  // namespace fairstream::command
