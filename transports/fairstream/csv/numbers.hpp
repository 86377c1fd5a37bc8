#pragma once
/// Texts that are numbers, with marks of decimals and of thousands.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace fairstream::csv {

/// Which mark separates decimals; the other one, of point and comma, then separates thousands. `found`: the file's
/// numbers tell, and have no marks of thousands.
enum class DecimalMark : std::uint8_t { found, point, comma };

/// Returns the mark called "point" or "comma".
[[nodiscard]] std::optional<DecimalMark> find_decimal_mark(std::string_view name) noexcept;
[[nodiscard]] std::string_view to_string(DecimalMark mark) noexcept;

/// How a text is a number that is not read as one: `thousands` is "1,234.50" or "1.234,50", `comma` "3,14" and also
/// "1,234", of which nobody knows.
enum class NumberMark : std::uint8_t { none, thousands, comma };
[[nodiscard]] NumberMark mark_of_number(std::string_view text) noexcept;

/// Returns a number's text with a decimal point and no marks of thousands; nothing where a mark stands where a number
/// with that decimal mark has none. `mark` is point or comma. What has no marks is returned as it is, number or not.
[[nodiscard]] std::optional<std::string> without_marks(std::string_view text, DecimalMark mark);

/// Says whether a text is a number but for a sign of currency or a per cent sign at an end, or blanks and apostrophes
/// in it.
[[nodiscard]] bool is_number_with_sign(std::string_view text);

/// Reads all of a text as a number with a point or no decimal mark, finite or not; a plus sign is allowed. The error is
/// `invalid_argument`, or `result_out_of_range`.
[[nodiscard]] std::errc read_number(std::string_view text, double& value) noexcept;

}  // namespace fairstream::csv
