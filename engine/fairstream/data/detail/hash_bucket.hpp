#pragma once
/// A bucket of a hash table that fills one cache line.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace fairstream {

/// Up to seven entries, each 32 bits of hash and a number, such as a slot.
struct alignas(64) HashBucket {
    static constexpr std::size_t width = 7;

    std::array<std::uint32_t, width> hashes{};
    std::array<std::uint32_t, width> numbers{};
    std::uint32_t used = 0;     // a bit per lane
    std::uint32_t spilled = 0;  // entries that did not fit into this bucket

    [[nodiscard]] bool is_full() const noexcept { return used == (1U << width) - 1; }
    [[nodiscard]] unsigned lanes_with(std::uint32_t hash) const noexcept {
        return equal_lanes(hashes.data(), hash) & used;
    }
    /// Returns the first number with this hash for which `is_it(number)` is true; otherwise `none`.
    template <class IsIt>
    [[nodiscard]] std::uint32_t find(std::uint32_t hash, std::uint32_t none, const IsIt& is_it) const {
        for (unsigned lanes = lanes_with(hash); lanes != 0; lanes &= lanes - 1)
            if (const std::uint32_t number = numbers[static_cast<std::size_t>(std::countr_zero(lanes))]; is_it(number))
                return number;
        return none;
    }
    /// Inserts an entry into a bucket that is not full.
    void insert(std::uint32_t hash, std::uint32_t number) noexcept {
        const auto lane = static_cast<unsigned>(std::countr_one(used));
        hashes[lane] = hash;
        numbers[lane] = number;
        used |= 1U << lane;
    }
    /// Removes the entry with this number; returns false if there is none.
    bool erase(std::uint32_t number) noexcept {
        const unsigned lanes = equal_lanes(numbers.data(), number) & used;
        used &= ~lanes;
        return lanes != 0;
    }

private:
    // Compares eight lanes at once. The eighth is behind the array but inside the bucket, and `used` has no bit for it.
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
static_assert(sizeof(HashBucket) == 64);

}  // namespace fairstream
