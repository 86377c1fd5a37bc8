#pragma once
/// A file of a simulated disk: its content, and its locks and shared memory.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/simulated_disk/content.hpp"

namespace fairstream::test {

/// Shared memory of the connections to one database, in regions that never move.
using SharedMemory = std::vector<std::unique_ptr<std::byte[]>>;

/// One connection's hold on a file: SQLite's lock on it, and its locks on the slots of the shared memory.
struct SqliteLocks {
    int level = 0;  ///< SQLITE_LOCK_NONE to SQLITE_LOCK_EXCLUSIVE
    std::uint32_t shared_slots = 0;
    std::uint32_t exclusive_slots = 0;
    std::shared_ptr<SharedMemory> memory;  ///< while it is mapped
};

struct ByteLock {
    const void* owner = nullptr;
    std::uint64_t byte = 0;
    bool exclusive = false;
};

struct Node {
    std::uint64_t inode = 0;
    SimulatedContent content;
    std::vector<SqliteLocks*> sqlite_locks;  ///< by connections of the running process
    std::vector<ByteLock> locks;             ///< of its open files
    std::weak_ptr<SharedMemory> memory;

    void drop_process() {
        sqlite_locks.clear();
        locks.clear();
        memory.reset();
    }
};

}  // namespace fairstream::test
