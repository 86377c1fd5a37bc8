#pragma once
/// Tables as text for people.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream {

/// Returns the number of screen columns that `text`, UTF-8 without wide characters, takes.
[[nodiscard]] std::size_t width(std::string_view text);
/// Returns rows of cells as text in aligned columns, two blanks between them. `alignment` has 'l' or 'r' for each
/// column; columns beyond its end are aligned to the right.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view alignment = "l");

}  // namespace fairstream
