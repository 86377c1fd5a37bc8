#pragma once
/// Random numbers made only by integer arithmetic, and so the same on every platform.

#include <cstdint>
#include <random>

namespace fairstream::generate {

/// Largest number of points of a generator.
inline constexpr std::uint64_t most_points = std::uint64_t{1} << 40;

/// Draws uniformly from [0, bound), 1 <= bound <= 2^31; the bias of the product, below bound / 2^32, is negligible.
inline std::int64_t uniform(std::mt19937_64& random, std::int64_t bound) {
    return static_cast<std::int64_t>(((random() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}

/// Largest distance of a `normal` draw from the mean, in deviations.
inline constexpr std::int64_t normal_reach = 6;

/// Draws approximately normally with mean 0: the sum of twelve uniform 16-bit numbers has standard deviation 2^16, and
/// stays within 6 deviations. 0 <= deviation < 2^40.
inline std::int64_t normal(std::mt19937_64& random, std::int64_t deviation) {
    std::int64_t sum = 0;
    for (int draw = 0; draw < 3; ++draw) {
        for (std::uint64_t bits = random(), quarter = 0; quarter < 4; ++quarter, bits >>= 16)
            sum += static_cast<std::int64_t>(bits & 0xFFFF);
    }
    constexpr std::int64_t mean = 12 * 0xFFFF / 2;
    return (sum - mean) * deviation / 65536;
}

}  // namespace fairstream::generate
