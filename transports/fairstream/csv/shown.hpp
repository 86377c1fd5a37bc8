#pragma once
/// Cells and names of a file in messages.

#include <string>
#include <string_view>

namespace fairstream::csv {

/// Returns `text` for an error text: between single quotes, shortened and with control characters escaped. Other bytes
/// stay as they are, also those that are no UTF-8, such as Latin-1.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace fairstream::csv
