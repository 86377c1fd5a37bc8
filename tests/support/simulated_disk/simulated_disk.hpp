#pragma once
/// A disk in memory that loses power, fails and fills up on demand, reproducibly. It serves SQLite as a VFS with the
/// shared memory that a write-ahead log needs, and the recording as its `Files`.
///
/// One process uses it, with any number of connections and threads. The process ends by `kill` or `cut_power`, or by a
/// fault planned for a call. From then on every call fails and destructors change nothing; `restart` begins the next
/// process with the remaining files.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>

#include "support/simulated_disk/node.hpp"

struct sqlite3_vfs;

namespace fairstream::test {

/// Kinds of calls; they are counted and fail alike for SQLite and the recording.
enum class DiskCall : std::uint8_t {
    open,
    read,
    write,
    truncate,
    sync,
    sync_directory,
    size,
    lock,
    map,
    remove,
    rename,
    status,  ///< of a file
    kinds,
};

enum class Fault : std::uint8_t {
    error,      ///< the call fails without effect
    full,       ///< the call fails without effect, as the disk is full
    partial,    ///< a read or write ends half-way, at the end of a sector; a write, like other calls, then fails
    kill,       ///< the process ends instead of the call
    power_cut,  ///< the process ends, and unsynced changes may be lost
};

class SimulatedDisk final : public log::sqlite::Files {
public:
    using Path = std::filesystem::path;

    /// The seed and the calls determine the effect of a power cut, and all randomness that SQLite gets from then on.
    explicit SimulatedDisk(std::uint64_t seed);
    ~SimulatedDisk() override;
    SimulatedDisk(const SimulatedDisk&) = delete;
    SimulatedDisk& operator=(const SimulatedDisk&) = delete;

    // -- what happens to it

    /// Plans a fault for the `number`-th call from now on, 1 being the next. One fault can be planned at a time.
    void plan(std::uint64_t number, Fault fault);
    void cancel_plan();
    void kill() { end(Fault::kill); }
    void cut_power() { end(Fault::power_cut); }
    /// Returns whether the process has ended: every call fails until `restart`.
    [[nodiscard]] bool ended() const;
    /// Begins the next process, without locks or shared memory of the last one. The connections of the last process
    /// must be destroyed by then, or never be used again.
    void restart();
    /// Limits the total size of all files from now on; nothing: no limit.
    void limit_space(std::optional<std::uint64_t> bytes);
    /// Truncates a file to `bytes`, as damage. Call it between two processes.
    void cut(const Path& path, std::size_t bytes);
    /// Makes syncs report success without effect from now on, as a disk that lies.
    void ignore_syncs(bool ignore);
    /// Called whenever SQLite waits for a lock, with the seconds waited since the disk was made; no time passes.
    void on_wait(std::function<void(double seconds)> hook);

    // -- what happened

    [[nodiscard]] std::uint64_t calls() const;
    [[nodiscard]] std::uint64_t calls(DiskCall kind) const;
    [[nodiscard]] std::uint64_t bytes_written() const;
    [[nodiscard]] bool contains(const Path& path) const;
    [[nodiscard]] std::vector<std::byte> bytes_of(const Path& path) const;

    // -- Files

    [[nodiscard]] const char* vfs() const noexcept override;
    void fill_with_entropy(std::span<std::byte> out) override;
    [[nodiscard]] log::sqlite::FileStatus status(const Path& path) override;
    [[nodiscard]] log::sqlite::FileStatus status_of_link(const Path& path) override { return status(path); }
    [[nodiscard]] Path canonical(const Path& path) override { return path; }
    [[nodiscard]] bool may_write(const Path&) override { return true; }
    [[nodiscard]] std::unique_ptr<log::sqlite::OpenFile> open(const Path& path, Open how) override;
    [[nodiscard]] bool rename_to_new(const Path& from, const Path& to) override;
    void exchange(const Path& one, const Path& other) override;
    void remove(const Path& path) noexcept override;
    void sync_directory(const Path& directory) override;

private:
    friend class SimulatedFile;
    friend class SimulatedVfs;
    using Names = std::map<std::string, std::shared_ptr<Node>>;
    using NameChange = std::vector<std::pair<std::string, std::shared_ptr<Node>>>;  // null: the name is deleted

    // All of the following are called with the mutex held, except `end`.
    [[nodiscard]] std::optional<Fault> enter(DiskCall kind);
    void enter_or_throw(DiskCall kind);
    void end(Fault how);
    [[nodiscard]] std::shared_ptr<Node> find(const std::string& name) const;
    [[nodiscard]] std::shared_ptr<Node> create(const std::string& name);
    void change_names(NameChange change);
    void sync_names();
    void lose_unsynced_names();
    [[nodiscard]] log::sqlite::FileStatus status_of(const Node& node) const;
    [[nodiscard]] bool has_space_for(const Node& node, std::uint64_t end) const;
    /// Writes bytes; returns whether all were written. Without room, or with `half`, writes only the sectors of the
    /// first half.
    [[nodiscard]] bool write(Node& node, std::uint64_t offset, std::span<const std::byte> bytes, bool half);

    mutable std::recursive_mutex mutex_;
    std::mt19937_64 random_;
    Names names_;
    Names synced_names_;
    std::vector<NameChange> name_changes_;  // since the directory's last sync, in order
    std::uint64_t last_inode_ = 0;

    std::uint64_t process_ = 1;  // number of the running process; handles of earlier ones are dead
    std::optional<Fault> ended_by_;
    std::optional<Fault> planned_;
    std::uint64_t planned_call_ = 0;
    std::optional<std::uint64_t> space_limit_;
    bool ignores_syncs_ = false;

    std::array<std::uint64_t, static_cast<std::size_t>(DiskCall::kinds)> counts_{};
    std::uint64_t calls_ = 0;
    std::uint64_t bytes_written_ = 0;
    std::int64_t waited_microseconds_ = 0;
    std::function<void(double)> on_wait_;

    std::string vfs_name_;
    std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace fairstream::test
