/// Whatever the schedule of messages, commits and kills: every answer is the expected one, and nothing differs from an
/// uninterrupted run.

#include <gtest/gtest.h>

#include "service/world.hpp"

namespace fairstream::service {
namespace {

struct Case {
    const char* name;
    WindowPolicy policy;
    Settings settings;
    friend void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }
};

class Schedules : public testing::TestWithParam<Case> {};

TEST_P(Schedules, MatchUninterruptedRun) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        World world(seed, GetParam().policy, GetParam().settings);
        for (int step = 0; step < 200; ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            world.act();
            if (HasFailure()) return;
        }
        world.finish();
        if (HasFailure()) return;
    }
}

Settings with(RingLimits ring, std::uint64_t checkpoint_events, std::uint64_t checkpoint_bytes = 1 << 30) {
    Settings settings;
    settings.ring = ring;
    settings.checkpoint_events = checkpoint_events;
    settings.checkpoint_bytes = checkpoint_bytes;
    return settings;
}

INSTANTIATE_TEST_SUITE_P(Settings, Schedules,
                         testing::Values(Case{"Defaults", WindowPolicy::sliding, {}},
                                         Case{"ManyCheckpoints", WindowPolicy::reservoir, with({}, 7)},
                                         Case{"CheckpointsByBytes", WindowPolicy::sliding, with({}, 1 << 20, 20'000)},
                                         Case{"TinyRings", WindowPolicy::sliding, with({3, 1 << 20}, 20)},
                                         Case{"RingsOfFewBytes", WindowPolicy::reservoir, with({1000, 2000}, 20)},
                                         Case{"NoRings", WindowPolicy::sliding, with({0, 0}, 11)}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fairstream::service
