#pragma once
/// Bytes as text.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fairstream {

/// Returns two digits for each byte, in small letters.
[[nodiscard]] inline std::string hexadecimal(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes)
        text += {digits[std::to_integer<std::size_t>(byte) / 16], digits[std::to_integer<std::size_t>(byte) % 16]};
    return text;
}

}  // namespace fairstream
