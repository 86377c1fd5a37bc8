#pragma once
/// A SQLite VFS on a simulated disk.

#include <memory>
#include <string>

struct sqlite3_vfs;

namespace fairstream::test {

class SimulatedDisk;

/// Makes a VFS. Both arguments must outlive it, and it must outlive every connection.
[[nodiscard]] std::unique_ptr<sqlite3_vfs> make_vfs(SimulatedDisk& disk, const std::string& name);

}  // namespace fairstream::test
