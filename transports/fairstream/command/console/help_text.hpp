#pragma once
/// Layout of help texts: everything fits a terminal of 100 columns.

#include <cstddef>
#include <string>
#include <string_view>

namespace fairstream::command {

inline constexpr std::size_t help_width = 100;
inline constexpr std::size_t help_column = 30;  ///< where the second column of lists begins

/// Breaks the paragraphs of `text`, each of them one line, at blanks, so that no line is wider than `help_width`. A
/// line that begins with a blank is an example or a row of a list, and stays as it is.
[[nodiscard]] std::string wrapped(std::string_view text);

/// Returns a row of a list in two columns; the meaning goes on in the second one, and begins on a line of its own where
/// `key` leaves it no room.
[[nodiscard]] std::string help_line(std::string_view key, std::string_view meaning);

}  // namespace fairstream::command
