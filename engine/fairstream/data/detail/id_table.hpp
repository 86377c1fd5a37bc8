#pragma once
/// A hash table from retained id to slot, in buckets of one cache line.
///
/// A lookup, an insertion and a deletion each touch one line and take no data-dependent loop: a bucket keeps 32 bits of
/// hash and the slot of up to seven ids, so the window's ids are read only where those bits agree. An id whose bucket
/// is full spills into the next one, and the buckets on its way count it.

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <fairstream/base/types.hpp>

namespace fairstream {

class IdTable {
public:
    static constexpr Slot none = std::numeric_limits<Slot>::max();

    /// Makes room for four ids per bucket when all slots are taken: one in twenty spills.
    IdTable(Slot capacity, std::array<std::uint64_t, 2> key)
        : buckets_(std::bit_ceil(std::size_t{capacity} / 4 + 2)),
          mask_(static_cast<std::uint32_t>(buckets_.size() - 1)),
          key_{key[0], key[1] | 1} {}

    /// Hashes with a key, so that a producer that does not know it cannot choose ids that collide. Takes both halves of
    /// a product.
    [[nodiscard]] std::uint32_t hash(PointId id) const noexcept {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(id ^ key_[0]) * key_[1];
        return static_cast<std::uint32_t>((product >> 64) ^ product);
    }
    void prefetch(std::uint32_t hash) const noexcept { __builtin_prefetch(&buckets_[hash & mask_], 1); }

    /// Returns the slot of `id`, or `none`. `ids` is by slot.
    [[nodiscard]] Slot find(std::uint32_t hash, PointId id, std::span<const PointId> ids) const noexcept {
        // Once around at most: ids may have spilled past every bucket.
        for (std::uint32_t passed = 0; passed <= mask_; ++passed) {
            const Bucket& bucket = buckets_[(hash + passed) & mask_];
            for (unsigned lanes = bucket.lanes_with(hash); lanes != 0; lanes &= lanes - 1)
                if (const Slot slot = bucket.slots[std::countr_zero(lanes)]; ids[slot] == id) return slot;
            if (bucket.spilled == 0) return none;
        }
        return none;
    }
    /// Inserts an id by its hash; it must not be in the table.
    void insert(std::uint32_t hash, Slot slot) noexcept {
        std::uint32_t at = hash & mask_;
        for (; buckets_[at].used == full; at = (at + 1) & mask_) ++buckets_[at].spilled;
        Bucket& bucket = buckets_[at];
        const auto lane = static_cast<unsigned>(std::countr_one(bucket.used));
        bucket.hashes[lane] = hash;
        bucket.slots[lane] = slot;
        bucket.used |= 1U << lane;
    }
    /// Removes the entry of a slot, which must be in the table, and no other for the same slot.
    void erase(std::uint32_t hash, Slot slot) noexcept {
        for (std::uint32_t at = hash & mask_;; at = (at + 1) & mask_) {
            Bucket& bucket = buckets_[at];
            if (const unsigned lanes = bucket.lanes_at(slot); lanes != 0) {
                bucket.used &= ~lanes;
                return;
            }
            --bucket.spilled;
        }
    }

private:
    static constexpr std::size_t width = 7;
    static constexpr std::uint32_t full = (1U << width) - 1;

    struct alignas(64) Bucket {
        std::array<std::uint32_t, width> hashes{};
        std::array<Slot, width> slots{};
        std::uint32_t used = 0;     // a bit per lane
        std::uint32_t spilled = 0;  // ids that passed this bucket on their way to a later one: up to the capacity

        [[nodiscard]] unsigned lanes_with(std::uint32_t hash) const noexcept {
            return equal_lanes(hashes.data(), hash) & used;
        }
        [[nodiscard]] unsigned lanes_at(Slot slot) const noexcept { return equal_lanes(slots.data(), slot) & used; }

    private:
        // Eight lanes are compared at once; the eighth lies behind the array, inside the bucket, and `used` has no bit
        // for it.
        static unsigned equal_lanes(const std::uint32_t* lanes, std::uint32_t value) noexcept {
#if defined(__SSE2__)
            const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
            const auto compare = [&](const std::uint32_t* four) {
                const __m128i equal = _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(four)), wanted);
                return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
            };
            return compare(lanes) | compare(lanes + 4) << 4;
#else
            unsigned equal = 0;
            for (std::size_t i = 0; i < width; ++i) equal |= static_cast<unsigned>(lanes[i] == value) << i;
            return equal;
#endif
        }
    };
    static_assert(sizeof(Bucket) == 64);

    std::vector<Bucket> buckets_;
    std::uint32_t mask_;
    std::array<std::uint64_t, 2> key_;
};

}  // namespace fairstream
