#pragma once
/// The engine's random generator for public interfaces.

#include <array>
#include <cstdint>
#include <limits>

namespace fairstream {

/// Random numbers of one seed, the same on every platform. A value: a copy goes on from the same state. It is also a
/// standard uniform random bit generator, but the distributions of <random> may differ between libraries.
class Draws {
public:
    using result_type = std::uint64_t;

    explicit Draws(std::uint64_t seed);

    [[nodiscard]] std::uint64_t next();
    /// Returns a uniform number in [0, bound), bound >= 1.
    [[nodiscard]] std::uint32_t below(std::uint32_t bound);
    /// Returns a uniform number in [0, 1), with 53 bits.
    [[nodiscard]] double unit();

    [[nodiscard]] result_type operator()() { return next(); }
    [[nodiscard]] static constexpr result_type min() { return 0; }
    [[nodiscard]] static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    bool operator==(const Draws&) const = default;

private:
    std::array<std::uint64_t, 4> words_;  // state of the generator
};

}  // namespace fairstream
