#pragma once
/// Text from outside, made safe for logs and terminals.

#include <string>
#include <string_view>

namespace fairstream {

/// Returns `text` with its control characters as \xNN: bytes below 0x20, 0x7f, and U+0080 to U+009F in UTF-8. Otherwise
/// they could forge log lines or control a terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// Longest text of an error, in bytes; input that it quotes may have any length.
inline constexpr std::size_t longest_error = 2000;
/// Leaves out the middle of a text of more than `most` bytes (at least 200). Both ends stay, because an error begins
/// with the place and ends with the rule.
[[nodiscard]] std::string shortened(std::string text, std::size_t most = longest_error);

}  // namespace fairstream
