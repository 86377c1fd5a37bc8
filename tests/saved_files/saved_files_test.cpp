/// Files of earlier versions stay readable. `v1/recording.fairstream.gz` was made by `fairstream serve` with the
/// configuration that it contains and `fairstream send --generate loans --points 500 --batch 100`, then stopped.

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/replay/run.hpp>

#include "support/temporary_directory.hpp"

namespace fairstream::test {
namespace {

std::filesystem::path unpacked(const std::string& name, const TemporaryDirectory& directory) {
    const std::string packed = std::string(FAIRSTREAM_SOURCE_DIR) + "/tests/saved_files/" + name + ".gz";
    const std::filesystem::path path = directory / "recording.fairstream";
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(packed.c_str(), "rb"), gzclose);
    std::ofstream out(path, std::ios::binary);
    std::vector<char> buffer(1 << 16);
    for (int size = 1; size > 0;) {
        size = gzread(in.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
        if (size > 0) out.write(buffer.data(), size);
    }
    return path;
}

TEST(SavedFiles, VersionOneRecordingIsUsable) {
    const TemporaryDirectory directory;
    const auto recording = log::sqlite::Recording::open_read_only(unpacked("v1/recording.fairstream", directory));
    EXPECT_EQ(recording.first_sequence(), 1U);
    EXPECT_EQ(recording.last_sequence(), 5U);
    const EngineOptions options = replay::recorded_options(recording);
    ASSERT_EQ(options.models.size(), 2U);
    EXPECT_EQ(options.models[0].name, "fair");
    EXPECT_EQ(options.window.capacity, 200U);

    const replay::Run run = replay::run(recording, options);
    EXPECT_EQ(run.events, 5U);
    EXPECT_EQ(run.points, 500U);

    const auto checkpoint = recording.newest_checkpoint();
    ASSERT_TRUE(checkpoint);
    Engine engine = Engine::load(options, checkpoint->state);
    EXPECT_EQ(engine.sequence(), 5U);
    EXPECT_EQ(engine.window().size(), 200U);
    EXPECT_EQ(engine.save(), checkpoint->state) << "read and written again, the state is the same to the byte";
    if (cpu_level().starts_with(recording.cpu_level())) {  // libraries of linear algebra, named later, do not matter
        // Steps towards a target have changed since; those without a target have not.
        EXPECT_EQ(engine.report("plain").cost, run.models[1].samples.back().figures.cost) << "and the replay's";
        EXPECT_GE(run.models[0].samples.back().figures.attributes()[0].balance, 0.4);
    }
}

}  // namespace
}  // namespace fairstream::test
