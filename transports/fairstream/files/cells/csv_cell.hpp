#pragma once
/// Cells of files that are written.

#include <string>
#include <string_view>

namespace fairstream::files {

/// Returns a cell as RFC 4180 writes it: in quotes where it has to be, and where blanks begin or end it, which readers
/// may drop.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace fairstream::files
