/// Seeds of the simulation; equal seeds give equal runs. FAIRSTREAM_SEEDS=N runs more of them.

#include <gtest/gtest.h>

#include "simulation/simulation.hpp"
#include "support/repetitions.hpp"

namespace fairstream::simulation {
namespace {

TEST(Simulation, KeepsItsPromisesWhateverHappens) {
    const std::uint64_t all = test::repetitions("FAIRSTREAM_SEEDS", 60);
    ASSERT_GT(all, 0U);
    Ends ends;
    std::uint64_t acked = 0, outcomes = 0;
    for (std::uint64_t seed = 1; seed <= all; ++seed) {
        const Outcome outcome = simulate(seed, 20s);
        for (const std::string& problem : outcome.problems) ADD_FAILURE() << "seed " << seed << ": " << problem;
        ends.kills += outcome.ends.kills;
        ends.power_cuts += outcome.ends.power_cuts;
        ends.failures += outcome.ends.failures;
        ends.stops += outcome.ends.stops;
        acked += outcome.acked;
        outcomes += outcome.outcomes;
    }
    // A simulation without events would prove nothing.
    EXPECT_GT(acked, 10 * all);
    EXPECT_GT(outcomes, all);  // of half the seeds
    for (const std::uint64_t happened : {ends.kills, ends.power_cuts, ends.failures, ends.stops})
        EXPECT_GT(happened, all / 20);
}

TEST(Simulation, LostLogEndIsDetected) {
    const std::uint64_t all = test::repetitions("FAIRSTREAM_SEEDS", 60);
    std::uint64_t losses = 0, found = 0, clients = 0;
    for (std::uint64_t seed = 1; seed <= all; ++seed) {
        const Outcome outcome = simulate_loss(seed, 10s);
        for (const std::string& problem : outcome.problems) ADD_FAILURE() << "seed " << seed << ": " << problem;
        losses += outcome.lost_events;
        found += outcome.found_losses > 0;
        clients += outcome.found_losses;
    }
    EXPECT_GT(losses, all / 4);
    EXPECT_GT(found, losses / 2);  // no client may know of the lost events yet, or they were sent and taken again
    EXPECT_GT(clients, found);
}

TEST(Simulation, OfOneSeedIsTheSameRun) {
    for (const std::uint64_t seed : {3U, 4U, 5U}) {
        const Outcome one = simulate(seed, 10s), other = simulate(seed, 10s);
        EXPECT_EQ(one.fingerprint, other.fingerprint);
        EXPECT_EQ(one.disk_calls, other.disk_calls);
        EXPECT_EQ(one.acked, other.acked);
    }
    EXPECT_NE(simulate(3, 10s).fingerprint, simulate(4, 10s).fingerprint);
}

}  // namespace
}  // namespace fairstream::simulation
