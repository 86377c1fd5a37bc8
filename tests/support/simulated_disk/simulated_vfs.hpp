#pragma once
/// A simulated disk as SQLite sees it.

#include <memory>
#include <string>

struct sqlite3_vfs;

namespace fairstream::test {

class SimulatedDisk;

/// Both must outlive it, and it every connection.
[[nodiscard]] std::unique_ptr<sqlite3_vfs> make_vfs(SimulatedDisk& disk, const std::string& name);

}  // namespace fairstream::test
