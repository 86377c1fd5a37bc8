/// A recording that is deleted or replaced while it is written: from then on nothing counts as recorded.

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

using testing::HasSubstr;

class PlaceTest : public testing::Test {
protected:
    PlaceTest() { append_committed(recording_, 3); }
    /// A commit and a check without a commit both fail, and so do all later calls.
    void expect_failure(const std::string& text) {
        append(recording_, SomeEvent(4));
        EXPECT_THAT(error_of([&] { recording_.flush(); }), HasSubstr(text));
        EXPECT_THAT(error_of([&] { recording_.require_claim(); }), HasSubstr(text));
        EXPECT_THAT(error_of([&] { append(recording_, SomeEvent(5)); }), HasSubstr("nothing can be written"));
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
    expect_failure("its file, '" + path_.string() + "', was deleted or moved away");
}

TEST_F(PlaceTest, AFileMovedAwayIsNoticedWithoutACommit) {
    fs::rename(path_, directory_ / "away");
    EXPECT_THAT(error_of([&] { recording_.require_claim(); }), HasSubstr("was deleted or moved away"));
    EXPECT_THAT(error_of([&] { append(recording_, SomeEvent(4)); }), HasSubstr("nothing can be written"));
}

TEST_F(PlaceTest, AReplacedFileIsNoticed) {
    { auto other = Recording::create(directory_ / "other", "c"); }
    fs::rename(directory_ / "other", path_);
    expect_failure("its file, '" + path_.string() + "', was replaced by another one");
}

TEST_F(PlaceTest, ADeletedLogIsNoticed) {
    fs::remove(log_beside(path_));
    expect_failure("its log, '" + log_beside(path_).string() + "', was deleted or moved away");
}

TEST_F(PlaceTest, AReplacedLogIsNoticed) {
    fs::copy_file(log_beside(path_), directory_ / "copy");
    fs::rename(directory_ / "copy", log_beside(path_));
    expect_failure("its log, '" + log_beside(path_).string() + "', was replaced by another one");
}

TEST_F(PlaceTest, ADeletedIndexOfTheLogIsNoticed) {
    fs::remove(path_.string() + "-shm");
    expect_failure("the index of its log, '" + path_.string() + "-shm', was deleted or moved away");
}

/// Writes other bytes into a file without replacing it: programs that have it open see other contents.
void overwrite(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(PlaceTest, ALogCutShortIsNoticed) {
    fs::resize_file(log_beside(path_), fs::file_size(log_beside(path_)) / 2);
    EXPECT_THAT(error_of([&] { recording_.require_claim(); }),
                HasSubstr("its log, '" + log_beside(path_).string() + "', was cut short or overwritten"));
    EXPECT_THAT(error_of([&] { append(recording_, SomeEvent(4)); }), HasSubstr("nothing can be written"));
}

TEST_F(PlaceTest, AnEmptiedLogIsNoticedAtTheNextCommit) {
    overwrite(log_beside(path_), "");
    append(recording_, SomeEvent(4));
    EXPECT_THAT(error_of([&] { recording_.flush(); }), HasSubstr("was cut short or overwritten"));
}

TEST_F(PlaceTest, ALogThatAnotherWasCopiedOverIsNoticed) {
    const TemporaryDirectory elsewhere;
    auto other = Recording::create(elsewhere / "other", "c");
    append_committed(other, 30);
    overwrite(log_beside(path_), fairstream::test::file_bytes(log_beside(elsewhere / "other")));
    EXPECT_THAT(error_of([&] { recording_.require_claim(); }), HasSubstr("was cut short or overwritten"));
}

TEST_F(PlaceTest, AFileThatIsCutShortIsNoticed) {
    fs::resize_file(path_, 5000);
    expect_failure("it was cut short or overwritten");
}

// Moving the rest of the log into the file would destroy the file's earlier contents.
TEST_F(PlaceTest, ALogCutShortIsNotMovedIntoTheFileAtTheEnd) {
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
    expect_failure("was deleted or moved away");
    fs::rename(other / "away", directory_.path());
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
