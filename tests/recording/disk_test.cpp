/// A disk that is full or fails: an error, nothing more written, and what was committed before is there.

#include <fcntl.h>
#include <sys/resource.h>

#include "recording/support.hpp"

namespace fairstream::recording::test {
namespace {

using testing::HasSubstr;

class DiskTest : public testing::Test {
protected:
    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
};

/// From now on no file of this process grows beyond `bytes`.
void limit_files(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("no limit");
}

void require(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
}

TEST_F(DiskTest, WithoutRoomEveryLaterWriteFailsAndNothingCommittedIsLost) {
    Child child([&](const Child::Report& report) {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, 10, 20000);
        limit_files(fs::file_size(log_beside(path_)) + 500000);
        std::string error;
        while (error.empty()) {
            try {
                append_committed(recording, 3, 20000);
                report(recording.last_sequence());
            } catch (const RecordingError& thrown) {
                error = thrown.what();
            }
        }
        require(error.find(path_.string()) != std::string::npos, error);
        require(error.find("disk") != std::string::npos, error);
        for (const auto& write : std::vector<std::function<void()>>{
                 [&] { append(recording, SomeEvent(recording.last_sequence() + 1)); },
                 [&] { recording.commit(); },
                 [&] {
                     recording.refuse(some_refusal("z", {1, 1}));
                 },
                 [&] { recording.begin_checkpoint({}); },
             }) {
            const std::string again = error_of(write);
            require(again.find(error) == 0 && again.find("since then nothing can be written") != std::string::npos,
                    again);
        }
    });
    Sequence committed = 10;
    while (const auto report = child.next()) committed = *report;
    ASSERT_EQ(child.wait(), 0);
    EXPECT_GT(committed, 10U);
    auto recording = Recording::open(path_);
    EXPECT_EQ(checked_events(recording, 20000).size(), committed);
    append_committed(recording, 3, 20000);
}

TEST_F(DiskTest, WithoutRoomForTheFoldedLogNothingCommittedIsLost) {
    Child child([&](const Child::Report& report) {
        auto recording = Recording::create(path_, "c");
        limit_files(fs::file_size(path_) + 100000);  // room for a small log, but not for a larger file
        try {
            for (;;) {
                append_committed(recording, 1, 20000);
                report(recording.last_sequence());
            }
        } catch (const RecordingError&) {
        }
    });
    Sequence committed = 0;
    while (const auto report = child.next()) committed = *report;
    ASSERT_EQ(child.wait(), 0);
    const auto recording = Recording::open(path_);
    EXPECT_EQ(checked_events(recording, 20000).size(), committed);
}

/// From now on this process can open no file.
void use_up_descriptors() {
    const rlimit limit{64, 64};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("no limit");
    while (::open("/dev/null", O_RDONLY) >= 0) {
    }
}

TEST_F(DiskTest, WithoutFileDescriptorsTheLogIsStillMovedIntoTheFile) {
    constexpr Sequence events = 160;
    constexpr std::size_t size = 1 << 20;
    EXPECT_EQ(run_in_child([&] {
                  auto recording = Recording::create(path_, "c");
                  const auto empty = fs::file_size(path_);
                  use_up_descriptors();
                  for (Sequence event = 0; event < events; ++event) append_committed(recording, 1, size);
                  require(fs::file_size(path_) > empty + (64U << 20), "the log was not moved into the file");
              }),
              0);
    EXPECT_EQ(checked_events(Recording::open(path_), size).size(), events);
}

TEST_F(DiskTest, WithoutRoomNothingIsCreated) {
    EXPECT_EQ(run_in_child([&] {
                  limit_files(100000);
                  const std::string error = error_of([&] { (void)Recording::create(path_, "c"); });
                  require(error.find("cannot be created: File too large") != std::string::npos, error);
              }),
              0);
    EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(DiskTest, WithoutRoomForTheLogARecordingIsNotOpenedAndStaysSound) {
    {
        auto recording = Recording::create(path_, "c");
        append_committed(recording, 5);
    }
    EXPECT_EQ(run_in_child([&] {
                  limit_files(1000);
                  const std::string error = error_of([&] { (void)Recording::open(path_); });
                  require(error.find("disk") != std::string::npos, error);
              }),
              0);
    EXPECT_EQ(Recording::open(path_).last_sequence(), 5U);
}

}  // namespace
}  // namespace fairstream::recording::test
