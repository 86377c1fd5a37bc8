#pragma once
/// Texts of cells that are numbers, or mean that there is no value.

#include <string_view>
#include <system_error>

#include <fairstream/files/reader_settings.hpp>

namespace fairstream::files {

/// Says whether a cell, without the blanks around it, means a missing value: empty, NA, N/A, n/a, NaN, nan, NULL, null,
/// <NA>, #N/A, ? or -.
[[nodiscard]] bool is_missing_value(std::string_view text) noexcept;

/// Reads all of a text as a number with this decimal mark or none, finite or not; a plus sign is allowed. `found` is a
/// point. The error is `invalid_argument`, or `result_out_of_range`.
[[nodiscard]] std::errc read_number(std::string_view text, DecimalMark mark, double& value) noexcept;

/// Says whether a number with a point or a comma could be a whole one with a mark of thousands, such as 12.500.
[[nodiscard]] bool may_have_thousands(std::string_view number) noexcept;

}  // namespace fairstream::files
