#pragma once
/// The engine's random generator: pcg64, with the same numbers on every platform; its state is four words.

#include <array>
#include <cstdint>

#include <pcg_random.hpp>

namespace fairstream {

class Random : private pcg64 {
public:
    using Words = std::array<std::uint64_t, 4>;

    /// Streams of one seed are independent.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : pcg64(seed, stream) {}
    /// Returns whether these words can be a generator's state: an even increment would give short periods, or a
    /// constant.
    [[nodiscard]] static bool is_valid_state(const Words& words) { return (words[3] & 1) != 0; }
    /// Resumes a generator; `words` must be a possible state.
    explicit Random(const Words& words) {
        state_ = wide(words[0], words[1]);
        inc_ = wide(words[2], words[3]);
    }
    [[nodiscard]] Words words() const {
        return {high(state_), static_cast<std::uint64_t>(state_), high(inc_), static_cast<std::uint64_t>(inc_)};
    }

    [[nodiscard]] std::uint64_t next() { return (*this)(); }
    /// Returns a uniform number in [0, bound), bound >= 1; unbiased (Lemire, "Fast random integer generation in an
    /// interval", 2019).
    [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
        std::uint64_t product = (next() >> 32) * bound;
        if (static_cast<std::uint32_t>(product) < bound) {
            const std::uint32_t threshold = -bound % bound;
            while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * bound;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }
    /// Returns a uniform number in [0, bound), for a bound that may exceed 2^32.
    [[nodiscard]] std::uint64_t below_wide(std::uint64_t bound) {
        const std::uint64_t threshold = -bound % bound;
        for (;;)
            if (const std::uint64_t draw = next(); draw >= threshold) return draw % bound;
    }
    /// Returns a uniform number in [0, 1), with 53 bits.
    [[nodiscard]] double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    using Wide = pcg64::state_type;
    static Wide wide(std::uint64_t high, std::uint64_t low) { return (static_cast<Wide>(high) << 64) | low; }
    static std::uint64_t high(Wide value) { return static_cast<std::uint64_t>(value >> 64); }
};

}  // namespace fairstream
