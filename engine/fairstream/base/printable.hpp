#pragma once
/// Text from outside, made safe for logs and terminals.

#include <string>
#include <string_view>

namespace fairstream {

/// Returns `text` with its control characters, which could forge lines of a log or steer a terminal, written as \xNN:
/// bytes below 0x20, 0x7f, and U+0080 to U+009F in UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace fairstream
