#pragma once
/// Cells that hold a number or mean a missing value.

#include <string_view>
#include <system_error>

#include <fairstream/files/reader_settings.hpp>

namespace fairstream::files {

/// Returns whether a cell, without blanks around it, means a missing value: empty, NA, N/A, n/a, NaN, nan, NULL, null,
/// <NA>, #N/A, ? or -.
[[nodiscard]] bool is_missing_value(std::string_view text) noexcept;

/// Reads a whole text as a number with this decimal mark or none. Infinite numbers and NaN are accepted, and so is a
/// plus sign. `DecimalMark::found` is read as a point. The error is `invalid_argument` or `result_out_of_range`.
[[nodiscard]] std::errc read_number(std::string_view text, DecimalMark mark, double& value) noexcept;

/// Returns whether a number with a point or a comma could be an integer with a mark of thousands, such as 12.500.
[[nodiscard]] bool may_have_thousands(std::string_view number) noexcept;

}  // namespace fairstream::files
