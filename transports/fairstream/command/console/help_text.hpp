#pragma once
/// Layout of help texts: everything fits a terminal of 100 columns.

#include <cstddef>
#include <string>
#include <string_view>

namespace fairstream::command {

inline constexpr std::size_t help_width = 100;
inline constexpr std::size_t help_column = 30;  ///< where the second column of lists begins

/// Breaks the paragraphs of `text` at blanks, so that no line is wider than `help_width`. Each paragraph is one line of
/// `text`. A line that begins with a blank is an example or a row of a list, and keeps its layout.
[[nodiscard]] std::string wrapped(std::string_view text);

/// Returns a row of a list in two columns. The meaning goes on in the second column; it begins on a line of its own
/// when `key` is too wide for the first column.
[[nodiscard]] std::string help_line(std::string_view key, std::string_view meaning);

}  // namespace fairstream::command
