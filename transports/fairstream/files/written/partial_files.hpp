#pragma once
/// Files that are written beside the one whose place they take at the end, which a process that a signal ends at once
/// takes with it.

#include <filesystem>

namespace fairstream::files {

/// Notes that a file is not complete, for as long as it lives. Any thread may make one.
class PartialFile {
public:
    explicit PartialFile(const std::filesystem::path& path);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

private:
    std::filesystem::path path_;
};

/// Removes the files that are not complete; for a process that is about to end.
void remove_partial_files() noexcept;

}  // namespace fairstream::files
