/// A recording on a disk that loses power or fails at any call: it contains what was committed, and at most a running
/// commit beyond that.

#include "recording/crash_stream.hpp"
#include "support/repetitions.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using testing::HasSubstr;

/// FAIRSTREAM_SEEDS=N tries more of them.
std::uint64_t seeds(std::uint64_t usual) {
    return fairstream::test::repetitions("FAIRSTREAM_SEEDS", usual);
}

Settings random_settings(Random& random) {
    Settings settings;
    settings.log_bytes = (4 + random() % 40) << 16;                 // in pages, of which a commit writes two or more
    settings.run_in_background = [](const auto& task) { task(); };  // so that the same seed gives the same calls
    settings.keep_events = random() % 3 == 0 ? 1 + random() % 5 : 0;
    return settings;
}

/// Writes until the process ends at a random call, three times in a row. Returns the error; empty: none.
std::string crash(SimulatedDisk& disk, std::uint64_t seed, std::optional<Extent>* end = nullptr) {
    Random random(seed);
    CrashStream stream(disk, random_settings(random));
    for (int process = 0; process < 3; ++process) {
        disk.plan(1 + random() % (random() % 4 == 0 ? 60 : 600), random() % 4 == 0 ? Fault::kill : Fault::power_cut);
        try {
            stream.open();
            while (!disk.ended()) stream.step(random);
        } catch (const RecordingError& error) {
            if (!disk.ended()) return error.what();
        }
        stream.close();
        disk.restart();
        if (std::string problem = stream.verify(); !problem.empty()) {
            return problem + " (process " + std::to_string(process + 1) + ")";
        }
    }
    if (end != nullptr) *end = stream.committed();
    return {};
}

TEST(Crash, KeepsCommittedDataAtAnyCall) {
    Sequence events = 0;
    for (std::uint64_t seed = 1; seed <= seeds(120); ++seed) {
        SimulatedDisk disk(seed);
        std::optional<Extent> end;
        ASSERT_EQ(crash(disk, seed, &end), "") << "seed " << seed;
        events += end->events;
    }
    EXPECT_GT(events, seeds(120) * 10);
}

// The basis of the test above: it notices losses on a disk that has them.
TEST(Crash, LyingDiskLosesData) {
    std::uint64_t lost = 0;
    constexpr std::uint64_t tried = 40;
    for (std::uint64_t seed = 1; seed <= tried; ++seed) {
        SimulatedDisk disk(seed);
        disk.ignore_syncs(true);
        lost += crash(disk, seed).empty() ? 0 : 1;
    }
    EXPECT_GT(lost, tried / 2);
}

TEST(Crash, OfTheSameSeedIsTheSame) {
    for (const std::uint64_t seed : {3, 4}) {
        std::vector<std::uint64_t> calls;
        std::vector<std::uint64_t> bytes;
        for (int run = 0; run < 2; ++run) {
            SimulatedDisk disk(seed);
            ASSERT_EQ(crash(disk, seed), "");
            calls.push_back(disk.calls());
            bytes.push_back(disk.bytes_written());
        }
        EXPECT_EQ(calls[0], calls[1]);
        EXPECT_EQ(bytes[0], bytes[1]);
    }
}

/// The same calls each time: a recording is created, written, folded, closed, and opened again. Returns whether all
/// calls succeeded. An error leaves the stream as it was at the failed call.
bool write_all(CrashStream& stream, std::string& error) {
    try {
        stream.open();
        for (int round = 0; round < 6; ++round) {
            stream.append(3);
            if (round % 2 == 0) stream.refuse();
            if (round % 3 == 1) stream.begin_checkpoint();
            stream.commit();
        }
        stream.close();
        stream.open();
        stream.append(2);
        stream.commit();
        stream.close();
        return true;
    } catch (const RecordingError& thrown) {
        error = thrown.what();
        return false;
    }
}

class DiskError : public testing::TestWithParam<Fault> {};

TEST_P(DiskError, IsReportedOrHarmless) {
    Settings settings;
    settings.log_bytes = std::size_t{12} << 16;
    settings.run_in_background = [](const auto& task) { task(); };
    settings.keep_events = 4;
    std::uint64_t reported = 0;
    std::uint64_t harmless = 0;
    for (std::uint64_t call = 1;; ++call) {
        SCOPED_TRACE("call " + std::to_string(call));
        SimulatedDisk disk(call);
        disk.plan(call, GetParam());
        CrashStream stream(disk, settings);
        std::string error;
        const bool all = write_all(stream, error);
        const bool met = disk.calls() >= call;
        if (!met) {
            EXPECT_TRUE(all) << error;
            break;
        }
        ++(all ? harmless : reported);
        EXPECT_THAT(error, testing::AnyOf("", HasSubstr("/disk/stream.fairstream")));
        disk.cancel_plan();
        stream.close();
        const bool power_cut = (call + static_cast<std::uint64_t>(GetParam())) % 2 == 0;  // or the process goes on
        if (power_cut) disk.cut_power();
        if (power_cut) disk.restart();
        ASSERT_EQ(stream.verify(), "") << "power cut: " << power_cut << ", after: " << error;
        stream.open();
        stream.append(1);
        stream.commit();
    }
    EXPECT_GT(reported, 100U);
    EXPECT_LT(harmless, reported);
}

INSTANTIATE_TEST_SUITE_P(Faults, DiskError, testing::Values(Fault::error, Fault::full, Fault::partial),
                         [](const auto& tested) {
                             return tested.param == Fault::error  ? "Error"
                                    : tested.param == Fault::full ? "Full"
                                                                  : "Partial";
                         });

}  // namespace
}  // namespace fairstream::log::sqlite::test
