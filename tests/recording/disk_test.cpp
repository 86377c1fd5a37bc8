/// A full disk: an error, no further writes, and everything committed before is there.

#include <fcntl.h>
#include <sys/resource.h>

#include "recording/crash_stream.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using testing::HasSubstr;

class DiskTest : public testing::Test {
protected:
    [[nodiscard]] std::uint64_t size() const { return disk_.bytes_of(path_).size(); }
    [[nodiscard]] std::uint64_t used() const { return size() + disk_.bytes_of(log_beside(path_)).size(); }
    Recording create() { return Recording::create(path_, "c", {}, disk_); }
    Recording open() { return Recording::open(path_, {}, disk_); }

    fs::path path_ = "/disk/stream.fairstream";
    SimulatedDisk disk_{1};
};

TEST_F(DiskTest, FullDiskFailsWithoutLoss) {
    Sequence committed = 10;
    {
        auto recording = create();
        append_committed(recording, committed, 20000);
        disk_.limit_space(used() + 500000);
        const std::string error = error_of([&] {
            for (;;) {
                append_committed(recording, 3, 20000);
                committed = recording.last_sequence();
            }
        });
        EXPECT_THAT(error, Names({path_.string(), "is full"}));
        for (const auto& write : std::vector<std::function<void()>>{
                 [&] { append(recording, SomeEvent(recording.last_sequence() + 1)); },
                 [&] { recording.flush(); },
                 [&] {
                     recording.refuse(some_refusal("z", {1, 1}));
                 },
                 [&] { recording.begin_checkpoint({}); },
             }) {
            EXPECT_THAT(error_of(write), testing::StartsWith(error));
        }
    }
    EXPECT_GT(committed, 10U);
    disk_.limit_space(std::nullopt);
    auto recording = open();
    EXPECT_EQ(checked_events(recording, 20000).size(), committed);
    append_committed(recording, 3, 20000);
}

TEST_F(DiskTest, FullDiskWhileFoldingLosesNothing) {
    constexpr Sequence events = 20;
    {
        auto recording = create();
        append_committed(recording, events, 20000);
        disk_.limit_space(used() + 1000);  // the log can stay, but the file cannot grow
    }
    EXPECT_THAT(error_of([&] { open(); }), ::testing::HasSubstr("is full"));
    EXPECT_EQ(checked_events(Recording::open_read_only(path_, disk_), 20000).size(), events);
    disk_.limit_space(std::nullopt);
    EXPECT_EQ(checked_events(open(), 20000).size(), events);
}

/// From now on this process can open no file.
void use_up_descriptors() {
    const rlimit limit{64, 64};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("no limit");
    while (::open("/dev/null", O_RDONLY) >= 0) {
    }
#ifdef __SANITIZE_ADDRESS__
    // The undefined sanitizer uses a pipe to check whether an object exists.
    ::close(62);
    ::close(63);
#endif
}

TEST(Descriptors, LogIsFoldedWithoutFreeOnes) {
    const fairstream::test::TemporaryDirectory directory;
    const fs::path path = directory / "stream.fairstream";
    constexpr Sequence events = 160;
    constexpr std::size_t size = 1 << 20;
    EXPECT_EQ(run_in_child([&] {
                  auto recording = Recording::create(path, "c");
                  const auto empty = fs::file_size(path);
                  use_up_descriptors();
                  for (Sequence event = 0; event < events; ++event) append_committed(recording, 1, size);
                  if (fs::file_size(path) <= empty + (64U << 20))
                      throw std::runtime_error("the log was not moved into the file");
              }),
              0);
    EXPECT_EQ(checked_events(Recording::open(path), size).size(), events);
}

TEST_F(DiskTest, WithoutRoomNothingIsCreated) {
    disk_.limit_space(100000);
    EXPECT_THAT(error_of([&] { create(); }), ::testing::HasSubstr("No space"));
    EXPECT_FALSE(disk_.contains(path_));
    EXPECT_EQ(disk_.status("/disk").kind, FileKind::none) << "nor a file of another name";
}

TEST_F(DiskTest, FullDiskAtOpeningLosesNothing) {
    {
        auto recording = create();
        append_committed(recording, 5);
    }
    disk_.limit_space(used() + 1000);
    EXPECT_THAT(error_of([&] { open(); }), ::testing::HasSubstr("is full"));
    disk_.limit_space(std::nullopt);
    EXPECT_EQ(open().last_sequence(), 5U);
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
