#pragma once
/// A hash table from retained id to slot, in buckets of one cache line.
///
/// A lookup, an insertion and a deletion each touch one line and have no data-dependent loop. A bucket keeps 32 bits of
/// hash and the slot of up to seven ids, so the window's ids are read only if those bits agree. An id whose bucket is
/// full goes into the next bucket with room; each full bucket that it passed counts it.

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/detail/hash_bucket.hpp>

namespace fairstream {

class IdTable {
public:
    static constexpr Slot none = std::numeric_limits<Slot>::max();

    /// Sized for four ids per bucket when all slots are taken; then one id in twenty does not fit into its own bucket.
    IdTable(Slot capacity, std::array<std::uint64_t, 2> key)
        : buckets_(std::bit_ceil(std::size_t{capacity} / 4 + 2)),
          mask_(static_cast<std::uint32_t>(buckets_.size() - 1)),
          key_{key[0], key[1] | 1} {}

    /// Keyed hash, so that a producer without the key cannot choose ids that collide. Uses both halves of a product.
    [[nodiscard]] std::uint32_t hash(PointId id) const noexcept {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(id ^ key_[0]) * key_[1];
        return static_cast<std::uint32_t>((product >> 64) ^ product);
    }
    void prefetch(std::uint32_t hash) const noexcept { __builtin_prefetch(&buckets_[hash & mask_], 1); }

    /// Returns the slot of `id`, or `none`. `ids` is by slot.
    [[nodiscard]] Slot find(std::uint32_t hash, PointId id, std::span<const PointId> ids) const noexcept {
        // Stops after one round, because ids may have passed every bucket.
        for (std::uint32_t passed = 0; passed <= mask_; ++passed) {
            const HashBucket& bucket = buckets_[(hash + passed) & mask_];
            const Slot found = bucket.find(hash, none, [&](Slot slot) { return ids[slot] == id; });
            if (found != none) return found;
            if (bucket.spilled == 0) return none;
        }
        return none;
    }
    /// Inserts an id by its hash; it must not be in the table.
    void insert(std::uint32_t hash, Slot slot) noexcept {
        std::uint32_t at = hash & mask_;
        for (; buckets_[at].is_full(); at = (at + 1) & mask_) ++buckets_[at].spilled;
        buckets_[at].insert(hash, slot);
    }
    /// Removes the entry of a slot; the slot must be in the table.
    void erase(std::uint32_t hash, Slot slot) noexcept {
        for (std::uint32_t at = hash & mask_; !buckets_[at].erase(slot); at = (at + 1) & mask_) --buckets_[at].spilled;
    }

private:
    // `spilled` of a bucket counts the ids that passed it to a later one, up to the capacity.
    std::vector<HashBucket> buckets_;
    std::uint32_t mask_;
    std::array<std::uint64_t, 2> key_;
};

}  // namespace fairstream
