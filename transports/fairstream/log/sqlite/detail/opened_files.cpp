#include <fairstream/log/sqlite/detail/opened_files.hpp>

#include <array>
#include <system_error>

#include <fairstream/log/sqlite/detail/big_endian.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>

namespace fairstream::log::sqlite {

OpenedFiles::OpenedFiles(const Database& database, const OpenFile& log) : database_(database), open_log_(log) {
    const std::filesystem::path& path = database.file();
    const std::filesystem::path index = path.string() + "-shm";
    file_ = {path, database.files().status(path)};
    log_ = {log_of(path), log.status()};
    index_ = {index, database.files().status(index)};
    check(true);
}

void OpenedFiles::check(bool committed) {
    try {
        // SQLite compares the name with its own open file, which may not be the file whose status was taken above.
        if (database_.moved() && database_.files().status(file_.path).same_file(file_.file)) {
            fail(database_.file(), "its file was replaced while it was opened");
        }
        require_same(file_, "its file");
        require_same(log_, "its log");
        if (index_.file.kind != FileKind::none) require_same(index_, "the index of its log");
        require_log_unchanged(committed);
        require_file_unchanged();
    } catch (const std::system_error& error) {
        fail(database_.file(), "cannot be accessed: " + error.code().message());
    }
}

void OpenedFiles::require_log_unchanged(bool committed) {
    if (database_.log_pages() == 0) return;
    const auto salts = salts_of_commit(open_log_, database_.log_pages());
    if (committed) salts_ = salts;  // the log may have begun anew
    if (salts && salts == salts_) return;
    fail(database_.file(), "its log, '" + log_.path.string() +
                               "', was cut short or overwritten while it was open for writing: nothing more can be "
                               "recorded in it");
}

// File size and change counter only grow when this process or another program folds the log.
void OpenedFiles::require_file_unchanged() {
    std::array<std::byte, 4> counter{};
    const std::uint64_t bytes = database_.raw_size();
    if (bytes >= file_bytes_) database_.read_raw(change_counter_at, counter);
    const std::uint32_t changes = word(counter, 0);
    if (bytes < file_bytes_ || changes < change_counter_) {
        fail(database_.file(),
             "it was cut short or overwritten while it was open for writing: nothing more can be recorded in it");
    }
    file_bytes_ = bytes;
    change_counter_ = changes;
}

void OpenedFiles::require_same(const NamedFile& named, const std::string& what) const {
    const FileStatus found = database_.files().status(named.path);
    if (found.same_file(named.file)) return;
    const bool gone = found.kind == FileKind::none;
    fail(database_.file(), what + ", '" + named.path.string() + "', was " +
                               (gone ? "deleted or moved away" : "replaced by another file") +
                               " while it was open for writing: nothing more can be recorded in it");
}

}  // namespace fairstream::log::sqlite
