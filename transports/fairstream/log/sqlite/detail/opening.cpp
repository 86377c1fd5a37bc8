#include <fairstream/log/sqlite/detail/opening.hpp>

namespace fairstream::log::sqlite {

std::filesystem::path regular_file(const std::filesystem::path& path, Files& files) {
    const FileKind kind = files.status(path).kind;
    if (kind == FileKind::none) fail(path, "there is no such file");
    if (kind == FileKind::directory) fail(path, "is a directory");
    if (kind != FileKind::regular) fail(path, "is not a regular file");
    return files.canonical(path);
}

void refuse_journal(const std::filesystem::path& file, Files& files) {
    const std::filesystem::path journal = file.string() + "-journal";
    if (files.status(journal).kind == FileKind::none) return;
    fail(file, "has a journal of another program beside it, '" + journal.string() + "'");
}

Access access_for_reading(const std::filesystem::path& file, Files& files) {
    if (files.may_write(file.parent_path())) return Access::read;
    const FileStatus log = files.status(log_of(file));
    if (log.kind == FileKind::none || log.size == 0) return Access::immutable;
    if (files.status(file.string() + "-shm").kind == FileKind::none)
        fail(file, "its log '" + log_of(file).string() +
                       "' can be read only with an index beside it, but this folder is not writable: copy both files "
                       "to another folder");
    return Access::read;
}

}  // namespace fairstream::log::sqlite
