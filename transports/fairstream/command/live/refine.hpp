#pragma once
/// `fairstream refine`: improves a model while its engine runs.

#include <cstdint>
#include <string>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>

namespace fairstream::command {

struct RefineOptions {
    std::string control = config::WireOptions{}.control;  ///< endpoint of the engine
    std::string model;
    std::int64_t rounds = 0;  ///< 0: until nothing improves
    double timeout = 600;     ///< seconds to wait for each answer
    KeyOptions keys;
    bool json = false;
};

/// Runs the command. Returns 0 when the refinement is on disk and the engine has made it. Throws `InvalidInput` when
/// the engine refuses it, `zmq::ControlError` when the engine does not answer.
int run_refine(const RefineOptions& options);

}  // namespace fairstream::command
