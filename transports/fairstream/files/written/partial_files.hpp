#pragma once
/// Temporary files that replace an output at the end. A process that a signal ends removes them.

#include <filesystem>

namespace fairstream::files {

/// Registers an incomplete file for as long as this object lives. Any thread may create one.
class PartialFile {
public:
    explicit PartialFile(const std::filesystem::path& path);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

private:
    std::filesystem::path path_;
};

/// Removes all incomplete files; for a process that is about to end.
void remove_partial_files() noexcept;

}  // namespace fairstream::files
