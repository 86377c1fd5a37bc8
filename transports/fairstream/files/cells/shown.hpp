#pragma once
/// Cells and names of a file in messages.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::files {

/// Returns `text` for an error text: in single quotes, shortened, and with control characters escaped. Other bytes
/// stay, even if they are not UTF-8, such as Latin-1.
[[nodiscard]] std::string shown(std::string_view text);

/// Returns the first `most` of these texts, in single quotes or bare, separated by commas, and "..." if there are more.
[[nodiscard]] std::string first_shown(const std::vector<std::string>& texts, std::size_t most);
[[nodiscard]] std::string first_few(const std::vector<std::string>& texts, std::size_t most,
                                    std::string_view comma = ", ");

/// Returns whether a text is UTF-8.
[[nodiscard]] bool is_utf8(const std::string& text);
/// Advice on a file that is not UTF-8.
inline constexpr const char* utf8_remedy = "convert the file, for Latin-1 with iconv -f LATIN1 -t UTF-8";

}  // namespace fairstream::files
