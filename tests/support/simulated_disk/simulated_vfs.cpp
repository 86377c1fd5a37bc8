#include "support/simulated_disk/simulated_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "support/simulated_disk/simulated_disk.hpp"

namespace fairstream::test {

namespace {

/// The same characteristics as SQLite's own VFS for Unix.
constexpr int sector_size = 4096;
constexpr int characteristics = SQLITE_IOCAP_POWERSAFE_OVERWRITE;
constexpr int longest_name = 512;
constexpr std::int64_t milliseconds_at_start = 210866760000000;  // 1970 in SQLite's count, from noon of 4714 BC

/// An open file of SQLite. `base` comes first, as SQLite knows only that.
struct Handle {
    sqlite3_file base{};
    SimulatedDisk* disk = nullptr;
    std::shared_ptr<Node> node;
    std::string name;              // empty: a temporary file
    std::uint64_t process = 0;     // that opened the file
    bool names_directory = false;  // its first sync also makes its name durable
    SqliteLocks locks;
};

Handle& handle_of(sqlite3_file* file) {
    return *reinterpret_cast<Handle*>(file);
}

SimulatedDisk& disk_of(sqlite3_vfs* vfs) {
    return *static_cast<SimulatedDisk*>(vfs->pAppData);
}

}  // namespace

/// The functions that SQLite calls; each holds the disk's mutex.
class SimulatedVfs {
public:
    static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
        SimulatedDisk& disk = disk_of(vfs);
        const std::lock_guard lock(disk.mutex_);
        file->pMethods = nullptr;
        if (disk.enter(DiskCall::open)) return SQLITE_CANTOPEN;
        std::shared_ptr<Node> node = name == nullptr ? nullptr : disk.find(name);
        if (!node && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
        if (!node) node = disk.create(name == nullptr ? "" : name);
        auto* const handle = new (file) Handle;
        handle->base.pMethods = &methods;
        handle->disk = &disk;
        handle->node = std::move(node);
        if (name != nullptr) handle->name = name;
        handle->process = disk.process_;
        constexpr int logs = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
        handle->names_directory = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & logs) != 0;
        handle->node->sqlite_locks.push_back(&handle->locks);
        if (out_flags != nullptr) *out_flags = flags;
        return SQLITE_OK;
    }

    static int close(sqlite3_file* file) {
        Handle& handle = handle_of(file);
        SimulatedDisk& disk = *handle.disk;
        const std::lock_guard lock(disk.mutex_);
        std::erase(handle.node->sqlite_locks, &handle.locks);
        handle.~Handle();
        return SQLITE_OK;
    }

    static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
        return call(file, DiskCall::read, SQLITE_IOERR_READ, [&](Handle& handle, std::optional<Fault> fault) {
            const auto bytes = std::span(static_cast<std::byte*>(out), static_cast<std::size_t>(size));
            const auto wanted = fault == Fault::partial ? bytes.first(bytes.size() / 2) : bytes;
            const std::size_t got = handle.node->content.read(static_cast<std::uint64_t>(offset), wanted);
            std::ranges::fill(bytes.subspan(got), std::byte{0});
            return got == bytes.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
        });
    }

    static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
        return call(file, DiskCall::write, SQLITE_IOERR_WRITE, [&](Handle& handle, std::optional<Fault> fault) {
            const auto bytes = std::span(static_cast<const std::byte*>(data), static_cast<std::size_t>(size));
            const bool whole =
                handle.disk->write(*handle.node, static_cast<std::uint64_t>(offset), bytes, fault == Fault::partial);
            return whole ? SQLITE_OK : SQLITE_FULL;
        });
    }

    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        return call(file, DiskCall::truncate, SQLITE_IOERR_TRUNCATE, [&](Handle& handle, std::optional<Fault> fault) {
            if (fault) return SQLITE_IOERR_TRUNCATE;
            handle.node->content.truncate(static_cast<std::uint64_t>(size));
            return SQLITE_OK;
        });
    }

    static int sync(sqlite3_file* file, int) {
        return call(file, DiskCall::sync, SQLITE_IOERR_FSYNC, [&](Handle& handle, std::optional<Fault> fault) {
            if (fault) return SQLITE_IOERR_FSYNC;
            if (!handle.disk->ignores_syncs_) handle.node->content.sync();
            if (std::exchange(handle.names_directory, false)) handle.disk->sync_names();
            return SQLITE_OK;
        });
    }

    static int file_size(sqlite3_file* file, sqlite3_int64* size) {
        return call(file, DiskCall::size, SQLITE_IOERR_FSTAT, [&](Handle& handle, std::optional<Fault> fault) {
            if (fault) return SQLITE_IOERR_FSTAT;
            *size = static_cast<sqlite3_int64>(handle.node->content.bytes().size());
            return SQLITE_OK;
        });
    }

    // SQLite's locks of a database file: https://www.sqlite.org/lockingv3.html.
    static int lock(sqlite3_file* file, int level) {
        return call(file, DiskCall::lock, SQLITE_IOERR_LOCK, [&](Handle& handle, std::optional<Fault> fault) {
            if (fault) return SQLITE_IOERR_LOCK;
            if (handle.locks.level >= level) return SQLITE_OK;
            const auto others_hold = [&](int least) {
                return std::ranges::any_of(handle.node->sqlite_locks, [&](const SqliteLocks* other) {
                    return other != &handle.locks && other->level >= least;
                });
            };
            if (level == SQLITE_LOCK_SHARED && others_hold(SQLITE_LOCK_PENDING)) return SQLITE_BUSY;
            if (level > SQLITE_LOCK_SHARED && others_hold(SQLITE_LOCK_RESERVED)) return SQLITE_BUSY;
            if (level == SQLITE_LOCK_EXCLUSIVE && others_hold(SQLITE_LOCK_SHARED)) {
                handle.locks.level = SQLITE_LOCK_PENDING;
                return SQLITE_BUSY;
            }
            handle.locks.level = level;
            return SQLITE_OK;
        });
    }

    static int unlock(sqlite3_file* file, int level) {
        Handle& handle = handle_of(file);
        const std::lock_guard lock(handle.disk->mutex_);
        handle.locks.level = std::min(handle.locks.level, level);
        return SQLITE_OK;
    }

    static int check_reserved_lock(sqlite3_file* file, int* held) {
        return call(
            file, DiskCall::lock, SQLITE_IOERR_CHECKRESERVEDLOCK, [&](Handle& handle, std::optional<Fault> fault) {
                if (fault) return SQLITE_IOERR_CHECKRESERVEDLOCK;
                *held =
                    std::ranges::any_of(handle.node->sqlite_locks,
                                        [](const SqliteLocks* locks) { return locks->level >= SQLITE_LOCK_RESERVED; })
                        ? 1
                        : 0;
                return SQLITE_OK;
            });
    }

    static int control(sqlite3_file* file, int operation, void* argument) {
        Handle& handle = handle_of(file);
        const std::lock_guard lock(handle.disk->mutex_);
        if (operation != SQLITE_FCNTL_HAS_MOVED) return SQLITE_NOTFOUND;
        *static_cast<int*>(argument) = handle.disk->find(handle.name) == handle.node ? 0 : 1;
        return SQLITE_OK;
    }

    static int map_memory(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
        *out = nullptr;
        return call(file, DiskCall::map, SQLITE_IOERR_SHMMAP, [&](Handle& handle, std::optional<Fault> fault) {
            if (fault) return SQLITE_IOERR_SHMMAP;
            auto& memory = handle.locks.memory;
            if (!memory) memory = handle.node->memory.lock();
            if (!memory) handle.node->memory = memory = std::make_shared<SharedMemory>();
            const auto index = static_cast<std::size_t>(region);
            while (extend != 0 && memory->size() <= index) {
                memory->push_back(std::make_unique<std::byte[]>(static_cast<std::size_t>(size)));
            }
            if (index < memory->size()) *out = (*memory)[index].get();
            return SQLITE_OK;
        });
    }

    static int lock_memory(sqlite3_file* file, int first, int count, int flags) {
        const std::uint32_t slots = ((1U << static_cast<unsigned>(count)) - 1) << static_cast<unsigned>(first);
        Handle& handle = handle_of(file);
        if ((flags & SQLITE_SHM_UNLOCK) != 0) {
            const std::lock_guard lock(handle.disk->mutex_);
            handle.locks.shared_slots &= ~slots;
            handle.locks.exclusive_slots &= ~slots;
            return SQLITE_OK;
        }
        return call(file, DiskCall::lock, SQLITE_IOERR_SHMLOCK, [&](Handle&, std::optional<Fault> fault) {
            if (fault) return SQLITE_IOERR_SHMLOCK;
            const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
            for (const SqliteLocks* other : handle.node->sqlite_locks) {
                if (other == &handle.locks) continue;
                if (((other->exclusive_slots | (exclusive ? other->shared_slots : 0U)) & slots) != 0)
                    return SQLITE_BUSY;
            }
            (exclusive ? handle.locks.exclusive_slots : handle.locks.shared_slots) |= slots;
            return SQLITE_OK;
        });
    }

    static void barrier(sqlite3_file* file) {
        const std::lock_guard lock(handle_of(file).disk->mutex_);
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }

    static int unmap_memory(sqlite3_file* file, int) {
        Handle& handle = handle_of(file);
        const std::lock_guard lock(handle.disk->mutex_);
        handle.locks.shared_slots = handle.locks.exclusive_slots = 0;
        handle.locks.memory.reset();
        return SQLITE_OK;
    }

    static int remove(sqlite3_vfs* vfs, const char* name, int sync_directory) {
        SimulatedDisk& disk = disk_of(vfs);
        const std::lock_guard lock(disk.mutex_);
        if (disk.enter(DiskCall::remove)) return SQLITE_IOERR_DELETE;
        if (!disk.find(name)) return SQLITE_IOERR_DELETE_NOENT;
        disk.change_names({{name, nullptr}});
        if (sync_directory != 0) disk.sync_names();
        return SQLITE_OK;
    }

    static int access(sqlite3_vfs* vfs, const char* name, int what, int* found) {
        SimulatedDisk& disk = disk_of(vfs);
        const std::lock_guard lock(disk.mutex_);
        *found = 0;
        if (disk.enter(DiskCall::status)) return SQLITE_IOERR_ACCESS;
        const auto node = disk.find(name);
        const bool empty = node && node->content.bytes().empty();  // SQLite's own VFS also treats it as absent
        *found = node && (what != SQLITE_ACCESS_EXISTS || !empty) ? 1 : 0;
        return SQLITE_OK;
    }

    static int full_name(sqlite3_vfs*, const char* name, int size, char* out) {
        sqlite3_snprintf(size, out, "%s", name);
        return SQLITE_OK;
    }

    static int randomness(sqlite3_vfs* vfs, int size, char* out) {
        disk_of(vfs).fill_with_entropy(std::as_writable_bytes(std::span(out, static_cast<std::size_t>(size))));
        return size;
    }

    static int sleep(sqlite3_vfs* vfs, int microseconds) {
        SimulatedDisk& disk = disk_of(vfs);
        std::function<void(double)> hook;
        double seconds = 0;
        {
            const std::lock_guard lock(disk.mutex_);
            disk.waited_microseconds_ += microseconds;
            seconds = static_cast<double>(disk.waited_microseconds_) / 1e6;
            hook = disk.on_wait_;
        }
        if (hook) hook(seconds);
        return microseconds;
    }

    static int time(sqlite3_vfs* vfs, sqlite3_int64* milliseconds) {
        SimulatedDisk& disk = disk_of(vfs);
        const std::lock_guard lock(disk.mutex_);
        *milliseconds = milliseconds_at_start + disk.waited_microseconds_ / 1000;
        return SQLITE_OK;
    }

    static int last_error(sqlite3_vfs*, int, char*) { return 0; }

private:
    // Handles all faults except `Fault::partial` and a full disk, which reads and writes handle themselves.
    template <class Action> static int call(sqlite3_file* file, DiskCall kind, int error, Action&& action) {
        Handle& handle = handle_of(file);
        const std::lock_guard lock(handle.disk->mutex_);
        if (handle.process != handle.disk->process_) return error;
        const auto fault = handle.disk->enter(kind);
        if (fault == Fault::full) return SQLITE_FULL;
        if (fault && fault != Fault::partial) return error;
        return action(handle, fault);
    }

    static const sqlite3_io_methods methods;
};

const sqlite3_io_methods SimulatedVfs::methods = {
    .iVersion = 2,
    .xClose = close,
    .xRead = read,
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control,
    .xSectorSize = [](sqlite3_file*) { return sector_size; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return characteristics; },
    .xShmMap = map_memory,
    .xShmLock = lock_memory,
    .xShmBarrier = barrier,
    .xShmUnmap = unmap_memory,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

std::unique_ptr<sqlite3_vfs> make_vfs(SimulatedDisk& disk, const std::string& name) {
    auto vfs = std::make_unique<sqlite3_vfs>();
    vfs->iVersion = 2;
    vfs->szOsFile = sizeof(Handle);
    vfs->mxPathname = longest_name;
    vfs->zName = name.c_str();
    vfs->pAppData = &disk;
    vfs->xOpen = SimulatedVfs::open;
    vfs->xDelete = SimulatedVfs::remove;
    vfs->xAccess = SimulatedVfs::access;
    vfs->xFullPathname = SimulatedVfs::full_name;
    vfs->xRandomness = SimulatedVfs::randomness;
    vfs->xSleep = SimulatedVfs::sleep;
    vfs->xGetLastError = SimulatedVfs::last_error;
    vfs->xCurrentTimeInt64 = SimulatedVfs::time;
    return vfs;
}

}  // namespace fairstream::test
