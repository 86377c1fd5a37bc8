/// A recording that is deleted or replaced while it is written: from then on nothing counts as recorded.

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PlaceTest : public testing::Test {
protected:
    PlaceTest() { append_committed(recording_, 3); }
    /// A commit and a check without a commit both fail, and so do all later calls.
    void expect_failure(std::initializer_list<std::string> parts) {
        append(recording_, SomeEvent(4));
        const std::string error = error_of([&] { recording_.flush(); });
        EXPECT_THAT(error, Names(parts));
        EXPECT_THAT(error_of([&] { recording_.require_claim(); }), Names(parts));
        EXPECT_THAT(error_of([&] { append(recording_, SomeEvent(5)); }), StartsWith(error));
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    Recording recording_ = Recording::create(path_, "c");
};

TEST_F(PlaceTest, IsKeptWithoutComplaint) {
    recording_.require_claim();
    append_committed(recording_, 3);
    recording_.require_claim();
}

TEST_F(PlaceTest, ADeletedFileIsNoticed) {
    fs::remove(path_);
    expect_failure({"'" + path_.string() + "'", "deleted"});
}

TEST_F(PlaceTest, MovedFileIsNoticed) {
    fs::rename(path_, directory_ / "away");
    const std::string error = error_of([&] { recording_.require_claim(); });
    EXPECT_THAT(error, HasSubstr("moved away"));
    EXPECT_THAT(error_of([&] { append(recording_, SomeEvent(4)); }), StartsWith(error));
}

TEST_F(PlaceTest, AReplacedFileIsNoticed) {
    { auto other = Recording::create(directory_ / "other", "c"); }
    fs::rename(directory_ / "other", path_);
    expect_failure({"'" + path_.string() + "'", "replaced"});
}

TEST_F(PlaceTest, ADeletedLogIsNoticed) {
    fs::remove(log_beside(path_));
    expect_failure({"'" + log_beside(path_).string() + "'", "deleted"});
}

TEST_F(PlaceTest, AReplacedLogIsNoticed) {
    fs::copy_file(log_beside(path_), directory_ / "copy");
    fs::rename(directory_ / "copy", log_beside(path_));
    expect_failure({"'" + log_beside(path_).string() + "'", "replaced"});
}

TEST_F(PlaceTest, ADeletedIndexOfTheLogIsNoticed) {
    fs::remove(path_.string() + "-shm");
    expect_failure({"'" + path_.string() + "-shm'", "deleted"});
}

/// Writes other bytes into a file without replacing it: programs that have it open see other contents.
void overwrite(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(PlaceTest, ALogCutShortIsNoticed) {
    fs::resize_file(log_beside(path_), fs::file_size(log_beside(path_)) / 2);
    const std::string error = error_of([&] { recording_.require_claim(); });
    EXPECT_THAT(error, Names({"'" + log_beside(path_).string() + "'", "cut short"}));
    EXPECT_THAT(error_of([&] { append(recording_, SomeEvent(4)); }), StartsWith(error));
}

TEST_F(PlaceTest, EmptiedLogIsNoticed) {
    overwrite(log_beside(path_), "");
    append(recording_, SomeEvent(4));
    EXPECT_THAT(error_of([&] { recording_.flush(); }), ::testing::HasSubstr("cut short"));
}

TEST_F(PlaceTest, OverwrittenLogIsNoticed) {
    const TemporaryDirectory elsewhere;
    auto other = Recording::create(elsewhere / "other", "c");
    append_committed(other, 30);
    overwrite(log_beside(path_), fairstream::test::file_bytes(log_beside(elsewhere / "other")));
    EXPECT_THAT(error_of([&] { recording_.require_claim(); }), ::testing::HasSubstr("overwritten"));
}

TEST_F(PlaceTest, AFileThatIsCutShortIsNoticed) {
    fs::resize_file(path_, 5000);
    expect_failure({"cut short"});
}

// Moving the rest of the log into the file would destroy the file's earlier contents.
TEST_F(PlaceTest, CutLogIsNotFolded) {
    const fs::path path = directory_ / "other";
    std::string file;
    {
        auto recording = Recording::create(path, "c");
        append_committed(recording, 40);
        file = fairstream::test::file_bytes(path);
        overwrite(log_beside(path), "");
    }
    EXPECT_EQ(fairstream::test::file_bytes(path), file);
}

TEST_F(PlaceTest, AMovedDirectoryIsNoticed) {
    const TemporaryDirectory other;
    fs::rename(directory_.path(), other / "away");
    expect_failure({"moved away"});
    fs::rename(other / "away", directory_.path());
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
