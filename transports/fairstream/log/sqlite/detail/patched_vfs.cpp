#include <fairstream/log/sqlite/detail/patched_vfs.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace fairstream::log::sqlite {

namespace {

// Methods of the open files of one kind. SQLite passes a method only the file; the file points to `methods`, and so to
// this whole object.
struct PatchedMethods {
    sqlite3_io_methods methods;
    const sqlite3_io_methods* below;  // methods of the file system; null until a first file is open
    std::vector<Patch> patches;

    void take(sqlite3_file* file) {
        if (below == nullptr) {
            below = file->pMethods;
            methods = *below;
            methods.xRead = read;
            methods.iVersion = std::min(methods.iVersion, 2);  // no reading of mapped memory
        }
        file->pMethods = &methods;
    }

    static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
        const auto& self = *reinterpret_cast<const PatchedMethods*>(file->pMethods);
        const int code = self.below->xRead(file, out, size, offset);
        if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
        const std::span bytes(static_cast<std::byte*>(out), static_cast<std::size_t>(size));
        const auto first = static_cast<std::uint64_t>(offset), last = first + bytes.size();
        const auto ends_before = [](const Patch& patch, std::uint64_t at) {
            return patch.at + patch.bytes.size() <= at;
        };
        auto patch = std::lower_bound(self.patches.begin(), self.patches.end(), first, ends_before);
        for (; patch != self.patches.end() && patch->at < last; ++patch) {
            const std::uint64_t from = std::max(first, patch->at), to = std::min(last, patch->at + patch->bytes.size());
            std::ranges::copy(std::span(patch->bytes).subspan(from - patch->at, to - from),
                              bytes.subspan(from - first).begin());
        }
        return code;
    }
};
static_assert(std::is_standard_layout_v<PatchedMethods>, "`read` finds it by its first member");

}  // namespace

struct PatchedVfs::Impl {
    sqlite3_vfs vfs;  // first member: SQLite passes only this to `open`
    sqlite3_vfs* below;
    std::string name;
    PatchedMethods database, log;

    static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
        auto& self = *reinterpret_cast<Impl*>(vfs);
        const int code = self.below->xOpen(self.below, path, file, flags, out_flags);
        if (code != SQLITE_OK) return code;
        if ((flags & SQLITE_OPEN_MAIN_DB) != 0) self.database.take(file);
        if ((flags & SQLITE_OPEN_WAL) != 0) self.log.take(file);
        return code;
    }
};

PatchedVfs::PatchedVfs(const Files& files, std::vector<Patch> of_database, std::vector<Patch> of_log)
    : impl_(std::make_unique<Impl>()) {
    static_assert(std::is_standard_layout_v<sqlite3_vfs>);
    static std::atomic<std::uint64_t> made = 0;
    impl_->below = sqlite3_vfs_find(files.vfs());
    if (impl_->below == nullptr) throw std::bad_alloc();
    impl_->name = "fairstream-patched-" + std::to_string(++made);
    impl_->vfs = *impl_->below;
    impl_->vfs.zName = impl_->name.c_str();
    impl_->vfs.pNext = nullptr;
    impl_->vfs.xOpen = Impl::open;
    impl_->database.patches = std::move(of_database);
    impl_->log.patches = std::move(of_log);
    if (sqlite3_vfs_register(&impl_->vfs, 0) != SQLITE_OK) throw std::bad_alloc();
}

PatchedVfs::~PatchedVfs() {
    sqlite3_vfs_unregister(&impl_->vfs);
}

const char* PatchedVfs::name() const noexcept {
    return impl_->name.c_str();
}

}  // namespace fairstream::log::sqlite
