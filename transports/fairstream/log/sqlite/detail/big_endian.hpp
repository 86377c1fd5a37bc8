#pragma once
/// Numbers as stored in SQLite's files.

#include <cstddef>
#include <cstdint>
#include <span>

namespace fairstream::log::sqlite {

/// Returns the big-endian number in the four bytes from `at` on.
[[nodiscard]] inline std::uint32_t word(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (const std::byte digit : bytes.subspan(at, 4)) value = value << 8 | std::to_integer<std::uint32_t>(digit);
    return value;
}

}  // namespace fairstream::log::sqlite
