#include "support/simulated_disk/simulated_disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "support/simulated_disk/simulated_vfs.hpp"

namespace fairstream::test {

using log::sqlite::FileKind;
using log::sqlite::FileStatus;
using log::sqlite::OpenFile;

namespace {

[[noreturn]] void throw_error(int error) {
    throw std::system_error(error, std::generic_category());
}

}  // namespace

/// A file that the recording opens besides SQLite.
class SimulatedFile final : public OpenFile {
public:
    SimulatedFile(SimulatedDisk& disk, std::shared_ptr<Node> node)
        : disk_(disk), node_(std::move(node)), process_(disk.process_) {}
    ~SimulatedFile() override {
        const std::lock_guard lock(disk_.mutex_);
        std::erase_if(node_->locks, [&](const ByteLock& held) { return held.owner == this; });
    }

    [[nodiscard]] FileStatus status() const override {
        const std::lock_guard lock(disk_.mutex_);
        enter(DiskCall::size);
        return disk_.status_of(*node_);
    }
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) const override {
        const std::lock_guard lock(disk_.mutex_);
        enter(DiskCall::read);
        return node_->content.read(offset, out);
    }
    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        const std::lock_guard lock(disk_.mutex_);
        require_alive();
        const auto fault = disk_.enter(DiskCall::write);
        if (fault && *fault != Fault::partial) throw_error(fault == Fault::full ? ENOSPC : EIO);
        if (!disk_.write(*node_, offset, bytes, fault == Fault::partial)) throw_error(ENOSPC);
    }
    void truncate(std::uint64_t size) override {
        const std::lock_guard lock(disk_.mutex_);
        enter(DiskCall::truncate);
        node_->content.truncate(size);
    }
    void sync() override {
        const std::lock_guard lock(disk_.mutex_);
        enter(DiskCall::sync);
        if (!disk_.ignores_syncs_) node_->content.sync();
    }
    bool try_lock(std::uint64_t byte, Lock lock) override {
        const std::lock_guard guard(disk_.mutex_);
        enter(DiskCall::lock);
        if (conflicts(byte, lock)) return false;
        std::erase_if(node_->locks, [&](const ByteLock& held) { return held.owner == this && held.byte == byte; });
        if (lock != Lock::none) node_->locks.push_back({this, byte, lock == Lock::exclusive});
        return true;
    }
    void wait_for_lock(std::uint64_t byte, Lock lock) override {
        if (!try_lock(byte, lock)) throw std::logic_error("on a simulated disk nobody else would ever unlock it");
    }
    [[nodiscard]] bool is_locked_elsewhere(std::uint64_t byte, Lock lock) const override {
        const std::lock_guard guard(disk_.mutex_);
        enter(DiskCall::lock);
        return conflicts(byte, lock);
    }

private:
    void require_alive() const {
        if (process_ != disk_.process_) throw_error(EIO);
    }
    void enter(DiskCall kind) const {
        require_alive();
        disk_.enter_or_throw(kind);
    }
    [[nodiscard]] bool conflicts(std::uint64_t byte, Lock lock) const {
        return lock != Lock::none && std::ranges::any_of(node_->locks, [&](const ByteLock& held) {
                   return held.owner != this && held.byte == byte && (held.exclusive || lock == Lock::exclusive);
               });
    }

    SimulatedDisk& disk_;
    std::shared_ptr<Node> node_;
    std::uint64_t process_;
};

SimulatedDisk::SimulatedDisk(std::uint64_t seed) : random_(seed) {
    static std::uint64_t made = 0;
    vfs_name_ = "simulated-disk-" + std::to_string(++made);
    vfs_ = make_vfs(*this, vfs_name_);
    sqlite3_vfs_register(vfs_.get(), 0);
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(seed % 1000000007 + 1), nullptr);
    sqlite3_randomness(0, nullptr);  // restart from that seed
}

SimulatedDisk::~SimulatedDisk() {
    sqlite3_vfs_unregister(vfs_.get());
}

void SimulatedDisk::plan(std::uint64_t number, Fault fault) {
    const std::lock_guard lock(mutex_);
    planned_ = fault;
    planned_call_ = calls_ + number;
}

void SimulatedDisk::cancel_plan() {
    const std::lock_guard lock(mutex_);
    planned_.reset();
}

bool SimulatedDisk::ended() const {
    const std::lock_guard lock(mutex_);
    return ended_by_.has_value();
}

void SimulatedDisk::end(Fault how) {
    const std::lock_guard lock(mutex_);
    if (!ended_by_) ended_by_ = how;
}

void SimulatedDisk::restart() {
    const std::lock_guard lock(mutex_);
    const bool power_cut = ended_by_ == Fault::power_cut;
    std::map<std::uint64_t, std::shared_ptr<Node>> nodes;  // includes files whose deleted name may come back
    const auto note = [&](const auto& entry) {
        if (entry.second) nodes.emplace(entry.second->inode, entry.second);
    };
    std::ranges::for_each(names_, note);
    std::ranges::for_each(synced_names_, note);
    for (const NameChange& change : name_changes_) std::ranges::for_each(change, note);
    if (power_cut) lose_unsynced_names();
    for (const auto& [inode, node] : nodes) {
        node->drop_process();
        if (power_cut) node->content.lose_unsynced(random_);
    }
    ended_by_.reset();
    planned_.reset();
    ++process_;
}

void SimulatedDisk::limit_space(std::optional<std::uint64_t> bytes) {
    const std::lock_guard lock(mutex_);
    space_limit_ = bytes;
}

void SimulatedDisk::ignore_syncs(bool ignore) {
    const std::lock_guard lock(mutex_);
    ignores_syncs_ = ignore;
}

void SimulatedDisk::on_wait(std::function<void(double)> hook) {
    on_wait_ = std::move(hook);
}

std::uint64_t SimulatedDisk::calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
}

std::uint64_t SimulatedDisk::calls(DiskCall kind) const {
    const std::lock_guard lock(mutex_);
    return counts_[static_cast<std::size_t>(kind)];
}

std::uint64_t SimulatedDisk::bytes_written() const {
    const std::lock_guard lock(mutex_);
    return bytes_written_;
}

bool SimulatedDisk::contains(const Path& path) const {
    const std::lock_guard lock(mutex_);
    return find(path.string()) != nullptr;
}

std::vector<std::byte> SimulatedDisk::bytes_of(const Path& path) const {
    const std::lock_guard lock(mutex_);
    const auto node = find(path.string());
    return node ? node->content.bytes() : std::vector<std::byte>{};
}

void SimulatedDisk::cut(const Path& path, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto node = find(path.string());
    if (!node) return;
    node->content.truncate(bytes);
    node->content.sync();
}

const char* SimulatedDisk::vfs() const noexcept {
    return vfs_name_.c_str();
}

void SimulatedDisk::fill_with_entropy(std::span<std::byte> out) {
    const std::lock_guard lock(mutex_);
    for (std::byte& byte : out) byte = static_cast<std::byte>(random_());
}

FileStatus SimulatedDisk::status(const Path& path) {
    const std::lock_guard lock(mutex_);
    enter_or_throw(DiskCall::status);
    if (const auto node = find(path.string())) return status_of(*node);
    const std::string folder = (path / "").string();
    const bool leads_to_a_file =
        std::ranges::any_of(names_, [&](const auto& e) { return e.first.starts_with(folder); });
    return leads_to_a_file ? FileStatus{FileKind::directory, 0, 1, 0, 1} : FileStatus{};
}

std::unique_ptr<OpenFile> SimulatedDisk::open(const Path& path, Open how) {
    const std::lock_guard lock(mutex_);
    enter_or_throw(DiskCall::open);
    auto node = find(path.string());
    if (how == Open::creating) {
        if (node) throw_error(EEXIST);
        node = create(path.string());
    }
    if (!node) return nullptr;
    return std::make_unique<SimulatedFile>(*this, std::move(node));
}

bool SimulatedDisk::rename_to_new(const Path& from, const Path& to) {
    const std::lock_guard lock(mutex_);
    enter_or_throw(DiskCall::rename);
    const auto node = find(from.string());
    if (!node) throw_error(ENOENT);
    if (find(to.string())) return false;
    change_names({{to.string(), node}, {from.string(), nullptr}});
    return true;
}

void SimulatedDisk::exchange(const Path& one, const Path& other) {
    const std::lock_guard lock(mutex_);
    enter_or_throw(DiskCall::rename);
    const auto first = find(one.string());
    const auto second = find(other.string());
    if (!first || !second) throw_error(ENOENT);
    change_names({{one.string(), second}, {other.string(), first}});
}

void SimulatedDisk::remove(const Path& path) noexcept {
    const std::lock_guard lock(mutex_);
    if (enter(DiskCall::remove) || !find(path.string())) return;
    change_names({{path.string(), nullptr}});
}

void SimulatedDisk::sync_directory(const Path&) {
    const std::lock_guard lock(mutex_);
    enter_or_throw(DiskCall::sync_directory);
    sync_names();
}

std::optional<Fault> SimulatedDisk::enter(DiskCall kind) {
    if (ended_by_) return ended_by_;
    ++calls_;
    ++counts_[static_cast<std::size_t>(kind)];
    if (!planned_ || calls_ != planned_call_) return std::nullopt;
    const Fault fault = *std::exchange(planned_, std::nullopt);
    if (fault == Fault::kill || fault == Fault::power_cut) ended_by_ = fault;
    return fault;
}

void SimulatedDisk::enter_or_throw(DiskCall kind) {
    const auto fault = enter(kind);
    if (fault) throw_error(fault == Fault::full ? ENOSPC : EIO);
}

std::shared_ptr<Node> SimulatedDisk::find(const std::string& name) const {
    const auto entry = names_.find(name);
    return entry == names_.end() ? nullptr : entry->second;
}

std::shared_ptr<Node> SimulatedDisk::create(const std::string& name) {
    auto node = std::make_shared<Node>();
    node->inode = ++last_inode_;
    if (!name.empty()) change_names({{name, node}});
    return node;
}

void SimulatedDisk::change_names(NameChange change) {
    for (const auto& [name, node] : change) {
        if (node) {
            names_[name] = node;
        } else {
            names_.erase(name);
        }
    }
    name_changes_.push_back(std::move(change));
}

void SimulatedDisk::sync_names() {
    if (ignores_syncs_) return;
    synced_names_ = names_;
    name_changes_.clear();
}

void SimulatedDisk::lose_unsynced_names() {
    names_ = std::move(synced_names_);
    const std::vector<NameChange> changes = std::exchange(name_changes_, {});
    for (const NameChange& change : changes) {
        if (random_() % 2 == 0) change_names(change);
    }
    name_changes_.clear();
    synced_names_ = names_;
}

FileStatus SimulatedDisk::status_of(const Node& node) const {
    const auto links = std::ranges::count_if(names_, [&](const auto& entry) { return entry.second.get() == &node; });
    return {FileKind::regular, node.content.bytes().size(), 1, node.inode, static_cast<std::uint64_t>(links)};
}

bool SimulatedDisk::has_space_for(const Node& node, std::uint64_t end) const {
    if (!space_limit_ || end <= node.content.bytes().size()) return true;
    std::uint64_t used = end - node.content.bytes().size();
    for (const auto& [name, other] : names_) used += other->content.bytes().size();
    return used <= *space_limit_;
}

bool SimulatedDisk::write(Node& node, std::uint64_t offset, std::span<const std::byte> bytes, bool half) {
    const bool whole = !half && has_space_for(node, offset + bytes.size());
    if (!whole) {
        const std::uint64_t middle = offset + bytes.size() / 2;
        const std::uint64_t end = std::max(offset, middle - middle % sector_bytes);
        if (!has_space_for(node, end)) return false;
        bytes = bytes.first(end - offset);
    }
    node.content.write(offset, bytes);
    bytes_written_ += bytes.size();
    return whole;
}

}  // namespace fairstream::test
