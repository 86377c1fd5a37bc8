#pragma once
/// Cells of written files.

#include <string>
#include <string_view>

namespace fairstream::files {

/// Returns a cell in the form of RFC 4180: quoted if necessary, and if it begins or ends with blanks, which readers may
/// drop.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace fairstream::files
