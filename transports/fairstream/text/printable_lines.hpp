#pragma once
/// Text of several lines for a terminal.

#include <string>
#include <string_view>

namespace fairstream {

/// Returns `text` as `printable` does, but keeps line ends and tabs.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace fairstream
