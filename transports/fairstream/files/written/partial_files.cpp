#include <fairstream/files/written/partial_files.hpp>

#include <mutex>
#include <set>
#include <system_error>

namespace fairstream::files {
namespace {

struct PartialFiles {
    std::mutex mutex;
    std::multiset<std::filesystem::path> paths;
};

PartialFiles& all_partial_files() {
    static PartialFiles files;
    return files;
}

}  // namespace

PartialFile::PartialFile(const std::filesystem::path& path) : path_(path) {
    PartialFiles& files = all_partial_files();
    const std::lock_guard lock(files.mutex);
    files.paths.insert(path_);
}

PartialFile::~PartialFile() {
    PartialFiles& files = all_partial_files();
    const std::lock_guard lock(files.mutex);
    files.paths.erase(files.paths.find(path_));
}

void remove_partial_files() noexcept {
    PartialFiles& files = all_partial_files();
    const std::lock_guard lock(files.mutex);
    std::error_code ignored;
    for (const std::filesystem::path& path : files.paths) std::filesystem::remove(path, ignored);
}

}  // namespace fairstream::files
