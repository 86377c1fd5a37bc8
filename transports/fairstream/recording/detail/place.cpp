#include <fairstream/recording/detail/place.hpp>

#include <system_error>

namespace fairstream::recording {

Place::Place(const Database& database, const OpenFile& log) : database_(database) {
    const std::filesystem::path& path = database.file();
    const std::filesystem::path index = path.string() + "-shm";
    file_ = {path, database.files().status(path)};
    log_ = {log_of(path), log.status()};
    index_ = {index, database.files().status(index)};
    check();
}

void Place::check() const {
    try {
        // SQLite compares the name with the file that it has open, which may not be the one whose status was taken
        // above.
        if (database_.moved() && database_.files().status(file_.path).same_file(file_.file)) {
            fail(database_.file(), "its file was replaced while it was opened");
        }
        require_same(file_, "its file");
        require_same(log_, "its log");
        if (index_.file.kind != FileKind::none) require_same(index_, "the index of its log");
    } catch (const std::system_error& error) {
        fail(database_.file(), "cannot be looked at: " + error.code().message());
    }
}

void Place::require_same(const Named& named, const std::string& what) const {
    const FileStatus found = database_.files().status(named.path);
    if (found.same_file(named.file)) return;
    const bool gone = found.kind == FileKind::none;
    fail(database_.file(), what + ", '" + named.path.string() + "', was " +
                               (gone ? "deleted or moved away" : "replaced by another one") +
                               " while it was open for writing: nothing more can be recorded in it");
}

}  // namespace fairstream::recording
