#pragma once
/// `fairstream producers`: lists the producers that an engine knows, or removes one.

#include <string>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>

namespace fairstream::command {

struct ProducersOptions {
    std::string control = config::WireOptions{}.control;  ///< endpoint of the engine
    std::string forget;                                   ///< producer to remove; empty: list all
    double timeout = 5;                                   ///< seconds to wait for the answer
    bool json = false;
    KeyOptions keys;
};

/// Runs the command; returns 0, or throws.
int run_producers(const ProducersOptions& options);

}  // namespace fairstream::command
