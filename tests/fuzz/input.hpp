#pragma once
/// An input read from its front, for targets that take it as a list of decisions. Past its end everything is 0.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace fairstream::fuzz {

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    [[nodiscard]] bool empty() const { return rest_.empty(); }
    template <class T> [[nodiscard]] T number() {
        T value{};
        const std::size_t there = std::min(sizeof value, rest_.size());
        if (there > 0) std::memcpy(&value, rest_.data(), there);
        rest_ = rest_.subspan(there);
        return value;
    }
    /// Returns a number in [0, bound); 0 if the range is empty.
    [[nodiscard]] std::size_t below(std::size_t bound) {
        const auto value = number<std::uint16_t>();
        return bound == 0 ? 0 : value % bound;
    }
    [[nodiscard]] std::vector<std::byte> bytes(std::size_t count) {
        const auto taken = std::as_bytes(rest_.first(std::min(count, rest_.size())));
        rest_ = rest_.subspan(taken.size());
        return {taken.begin(), taken.end()};
    }

private:
    std::span<const std::uint8_t> rest_;
};

/// Overwrites element `at` of `bytes`, read as values of type T; does nothing if there is no such element.
template <class T> void put_element(std::vector<std::byte>& bytes, std::size_t at, T value) {
    if (const std::size_t count = bytes.size() / sizeof value; count > 0)
        std::memcpy(bytes.data() + at % count * sizeof value, &value, sizeof value);
}

/// Changes `bytes` in one of the ways in which values go wrong: other bytes, another length, the limits of numbers.
inline void edit(std::vector<std::byte>& bytes, Input& input) {
    constexpr std::size_t longest = 4096;
    const auto way = input.number<std::uint8_t>();
    const std::size_t at = input.below(65536);
    switch (way % 8) {
        case 0: {
            const std::vector<std::byte> other = input.bytes(input.number<std::uint8_t>() % 32);
            for (std::size_t i = 0; i < other.size() && !bytes.empty(); ++i) bytes[(at + i) % bytes.size()] = other[i];
            return;
        }
        case 1:
            bytes.resize(std::min(at, longest));
            return;
        case 2:
            bytes = input.bytes(at % 512);
            return;
        case 3:
            put_element(bytes, at, static_cast<std::int32_t>(input.number<std::int8_t>()));
            return;
        case 4:
            put_element(bytes, at, static_cast<std::int64_t>(input.number<std::int8_t>()));
            return;
        case 5: {
            const auto limits = {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63,
                                 std::uint64_t{1} << 32, (std::uint64_t{1} << 31) - 1};
            put_element(bytes, at, limits.begin()[input.number<std::uint8_t>() % limits.size()]);
            return;
        }
        case 6: {
            const auto reals = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::max(),
                                -1e300,
                                5e-324,
                                -0.0,
                                0.0,
                                1e15,
                                -1.0};
            const double real = reals.begin()[input.number<std::uint8_t>() % reals.size()];
            put_element(bytes, at, real);
            return;
        }
        default: {
            const auto reals = {std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::max(),
                                1.99e15F,
                                -1e30F,
                                1e-45F,
                                -0.0F,
                                0.0F,
                                -1.0F};
            const float real = reals.begin()[input.number<std::uint8_t>() % reals.size()];
            put_element(bytes, at, real);
        }
    }
}

}  // namespace fairstream::fuzz
