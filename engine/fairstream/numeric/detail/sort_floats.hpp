#pragma once
/// Sorts floats by their digits, in a time per number that does not grow with their count.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace fairstream {

/// Sorts ascending; 0 and -0 are equal. `scratch` has room for as many floats. There must be no NaN. O(n).
inline void sort_floats(std::span<float> values, std::span<float> scratch) {
    constexpr std::size_t few = 256;  // sorted faster by comparisons
    if (values.size() < few) {
        std::ranges::sort(values);
        return;
    }
    constexpr std::size_t digits = 4, base = 256;
    // Makes the bits sort as the numbers do: inverts the bits of negative numbers, and puts the other numbers above
    // them.
    const auto key = [](float x) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        return bits ^ ((bits >> 31) != 0 ? 0xFFFFFFFFU : 0x80000000U);
    };
    const auto digit = [&](float x, std::size_t which) { return (key(x) >> (8 * which)) % base; };
    std::array<std::array<std::uint32_t, base>, digits> next{};
    for (const float x : values)
        for (std::size_t which = 0; which < digits; ++which) ++next[which][digit(x, which)];
    std::span<float> from = values, to = scratch.first(values.size());
    for (std::size_t which = 0; which < digits; ++which) {
        std::uint32_t first = 0;
        for (std::uint32_t& count : next[which]) first += std::exchange(count, first);
        for (const float x : from) to[next[which][digit(x, which)]++] = x;
        std::swap(from, to);
    }
}

}  // namespace fairstream
