#pragma once
/// Bytes as text.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fairstream {

/// Returns two lower-case digits for each byte.
[[nodiscard]] inline std::string hexadecimal(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes)
        text += {digits[std::to_integer<std::size_t>(byte) / 16], digits[std::to_integer<std::size_t>(byte) % 16]};
    return text;
}

/// Returns the number as 16 lower-case digits.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t number) {
    std::array<std::byte, 8> bytes;
    for (std::size_t i = bytes.size(); i-- > 0; number >>= 8) bytes[i] = static_cast<std::byte>(number);
    return hexadecimal(std::span<const std::byte>(bytes));
}

}  // namespace fairstream
