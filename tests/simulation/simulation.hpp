#pragma once
/// An engine's service, its producers, subscribers and an operator in one thread, on a simulated clock, network and
/// disk: all that happens follows from a seed.

#include <cstdint>
#include <string>
#include <vector>

#include "simulation/agenda.hpp"
#include "simulation/process.hpp"

namespace fairstream::simulation {

/// What came of a seed.
struct Outcome {
    std::vector<std::string> problems;  ///< promises that were broken; empty: none
    Duration simulated{};
    std::uint64_t events = 0;  ///< in the recording
    std::uint64_t acked = 0, published = 0;
    std::uint64_t disk_calls = 0;
    Ends ends;
    bool lost_events = false;        ///< of `simulate_loss`: whether answered events were missing
    std::uint64_t found_losses = 0;  ///< and how many clients found out
    std::uint64_t fingerprint = 0;   ///< of all that happened: equal for equal seeds
};

/// `faulty`: how long messages are lost and processes end, before everything is left to come to rest.
[[nodiscard]] Outcome simulate(std::uint64_t seed, Duration faulty = 60s);

/// No faults of the disk, but one kill, at which the recording's log is cut off somewhere: a loss that the recording
/// alone cannot show, unless it is refused as damaged. Whoever was told of an event that is missing then has to find
/// out, and nobody else.
[[nodiscard]] Outcome simulate_loss(std::uint64_t seed, Duration before = 20s);

}  // namespace fairstream::simulation
