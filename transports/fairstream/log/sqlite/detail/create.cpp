#include <fairstream/log/sqlite/detail/create.hpp>

#include <memory>
#include <span>
#include <system_error>

#include <fairstream/log/sqlite/detail/layout.hpp>

namespace fairstream::log::sqlite {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_exists(const fs::path& path) {
    fail(path, "exists already");
}

// A file under a temporary name, removed unless it was moved to its target.
class TemporaryFile {
public:
    TemporaryFile(const fs::path& path, Files& files) : files_(files), target_(path), path_(path) {
        std::uint64_t digits = 0;
        files_.fill_with_entropy(std::as_writable_bytes(std::span(&digits, 1)));
        path_ += ".new-" + std::to_string(digits);
    }
    ~TemporaryFile() { files_.remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::span<const std::byte> bytes) const {
        const std::unique_ptr<OpenFile> file = files_.open(path_, Files::Open::creating);
        file->write(0, bytes);
        file->sync();
    }

    void move_into_place() const {
        if (files_.rename_to_new(path_, target_)) return;
        if (!is_empty_file(target_)) fail_exists(target_);
        // Exchanges the files instead of replacing one: a file created between the check and the move can be put back.
        files_.exchange(path_, target_);
        if (is_empty_file(path_)) return;
        files_.exchange(path_, target_);
        fail_exists(target_);
    }

private:
    [[nodiscard]] bool is_empty_file(const fs::path& path) const {
        const FileStatus status = files_.status_of_link(path);
        return status.kind == FileKind::regular && status.size == 0;
    }

    Files& files_;
    fs::path target_;
    fs::path path_;
};

void refuse_leftovers(const fs::path& path, Files& files) {
    for (const fs::path& other : {log_of(path), fs::path(path.string() + "-journal")}) {
        if (files.status(other).kind != FileKind::none) {
            fail(path,
                 "cannot be created: '" + other.string() +
                     "' has the name of its log, and was left by another recording that was renamed or moved. It may "
                     "hold all events of that recording: rename it to that recording's new name, with the same ending");
        }
    }
}

}  // namespace

void create_file(const fs::path& path, const std::string& config, Files& files) {
    try {
        const FileStatus there = files.status(path);
        if (there.kind == FileKind::directory || there.size != 0) fail_exists(path);
        refuse_leftovers(path, files);
        RecordingId id{};
        files.fill_with_entropy(id);
        const TemporaryFile file(path, files);
        file.write(new_file(config, id));
        file.move_into_place();
        files.sync_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
    } catch (const std::system_error& error) {
        fail(path, "cannot be created: " + error.code().message());
    }
}

}  // namespace fairstream::log::sqlite
