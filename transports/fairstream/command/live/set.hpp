#pragma once
/// `fairstream set`: changes options of a model while its engine runs.

#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>

namespace fairstream::command {

struct SetOptions {
    std::string control = config::WireOptions{}.control;  ///< endpoint of the engine
    std::vector<std::string> settings;                    ///< "MODEL.OPTION=VALUE"
    double timeout = 5;                                   ///< seconds to wait for each answer
    bool json = false;
    KeyOptions keys;
};

/// Runs the command. Returns 0 when every change is on disk. Throws otherwise; the changes before the failing one stay.
int run_set(const SetOptions& options);

}  // namespace fairstream::command
