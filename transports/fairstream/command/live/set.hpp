#pragma once
/// `fairstream set`: an option of a model changed while its engine runs.

#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/command/live/security.hpp>

namespace fairstream::command {

struct SetOptions {
    std::string control;                ///< endpoint of the engine
    std::vector<std::string> settings;  ///< "MODEL.OPTION=VALUE"
    std::uint64_t timeout = 5;          ///< seconds to wait for each answer
    KeyOptions keys;
};

/// 0 when every change is on disk; or throws, with those before the failing one made.
int run_set(const SetOptions& options);

}  // namespace fairstream::command
