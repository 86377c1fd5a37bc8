#pragma once
/// `fairstream remove`: removes points from a running engine.

#include <filesystem>
#include <string>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>

namespace fairstream::command {

struct RemoveOptions {
    std::string control = config::WireOptions{}.control;  ///< endpoint of the engine
    std::filesystem::path ids;                            ///< file with one id a line; "-": standard input
    double timeout = 60;                                  ///< seconds to wait for each answer
    bool json = false;
    KeyOptions keys;
};

/// Runs the command; returns 0, or throws.
int run_remove(const RemoveOptions& options);

}  // namespace fairstream::command
