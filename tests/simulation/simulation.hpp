#pragma once
/// An engine's service, its producers, subscribers and an operator in one thread, on a simulated clock, network and
/// disk: the seed determines everything.

#include <cstdint>
#include <string>
#include <vector>

#include "simulation/agenda.hpp"
#include "simulation/process.hpp"

namespace fairstream::simulation {

/// The results for a seed.
struct Outcome {
    std::vector<std::string> problems;  ///< broken promises; empty: none
    Duration simulated{};
    std::uint64_t events = 0;  ///< in the recording
    std::uint64_t acked = 0, published = 0;
    std::uint64_t outcomes = 0;  ///< recorded events with outcomes that came after their points
    std::uint64_t disk_calls = 0;
    Ends ends;
    bool lost_events = false;        ///< in `simulate_loss`: whether answered events were missing
    std::uint64_t found_losses = 0;  ///< number of clients that detected the loss
    std::uint64_t fingerprint = 0;   ///< of the whole run: equal for equal seeds
};

/// Runs a simulation. `faulty`: time during which messages are lost and processes end, before everything settles.
[[nodiscard]] Outcome simulate(std::uint64_t seed, Duration faulty = 60s);

/// Runs a simulation with one kill that truncates the recording's log somewhere, and without faults of the disk. The
/// recording alone cannot show this loss, unless it is refused as damaged. Exactly the clients that knew a missing
/// event must detect it.
[[nodiscard]] Outcome simulate_loss(std::uint64_t seed, Duration before = 20s);

}  // namespace fairstream::simulation
