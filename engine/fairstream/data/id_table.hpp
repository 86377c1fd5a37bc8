#pragma once
/// Where each retained id lies: an open-addressing table from id to slot, with linear probing and no tombstones.
///
/// An entry keeps 32 bits of the id's hash beside the slot, so that probing touches the window's ids only when those agree
/// and deletion can shift entries back without them. 8 bytes per entry, at most half full.

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/types.hpp>

namespace fairstream {

class IdTable {
public:
    static constexpr Slot none = std::numeric_limits<Slot>::max();

    IdTable(Slot capacity, std::uint64_t key)
        : entries_(std::bit_ceil(std::size_t{capacity} * 2)), mask_(static_cast<std::uint32_t>(entries_.size() - 1)), key_(key) {}

    /// Keyed, so that a producer that does not know the seed cannot choose ids that collide (finaliser of SplitMix64).
    [[nodiscard]] std::uint32_t hash(PointId id) const noexcept {
        std::uint64_t x = id ^ key_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return static_cast<std::uint32_t>(x >> 32);
    }
    void prefetch(std::uint32_t hash) const noexcept { __builtin_prefetch(&entries_[hash & mask_], 1); }

    /// The slot of `id`, or `none`. `ids` is by slot.
    [[nodiscard]] Slot find(std::uint32_t hash, PointId id, std::span<const PointId> ids) const noexcept {
        for (std::uint32_t at = hash & mask_;; at = (at + 1) & mask_) {
            const Entry entry = entries_[at];
            if (entry.slot_plus_one == 0) return none;
            if (entry.hash == hash && ids[entry.slot_plus_one - 1] == id) return entry.slot_plus_one - 1;
        }
    }
    /// The id must not be in the table.
    void insert(std::uint32_t hash, Slot slot) noexcept {
        std::uint32_t at = hash & mask_;
        while (entries_[at].slot_plus_one != 0) at = (at + 1) & mask_;
        entries_[at] = {hash, slot + 1};
    }
    /// The entry must be in the table.
    void erase(std::uint32_t hash, Slot slot) noexcept {
        std::uint32_t hole = hash & mask_;
        while (entries_[hole].slot_plus_one != slot + 1) hole = (hole + 1) & mask_;
        // An entry further on may fill the hole if its own home is not between the hole and itself.
        for (std::uint32_t at = (hole + 1) & mask_; entries_[at].slot_plus_one != 0; at = (at + 1) & mask_) {
            const std::uint32_t from_home = (at - entries_[at].hash) & mask_;
            const std::uint32_t from_hole = (at - hole) & mask_;
            if (from_home >= from_hole) {
                entries_[hole] = entries_[at];
                hole = at;
            }
        }
        entries_[hole] = {};
    }

private:
    struct Entry {
        std::uint32_t hash = 0;
        Slot slot_plus_one = 0;  // 0: free
    };
    std::vector<Entry> entries_;
    std::uint32_t mask_;
    std::uint64_t key_;
};

}  // namespace fairstream
