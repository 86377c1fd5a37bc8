#pragma once
/// Texts that are numbers, with marks of decimals and of thousands.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fairstream/data/point_batch.hpp>

namespace fairstream::csv {

using fairstream::DecimalMark, fairstream::find_decimal_mark;

/// How a text is a number that is not read as one: `thousands` is "1,234.50" or "1.234,50", `comma` "3,14" and also
/// "1,234", of which nobody knows.
enum class NumberMark : std::uint8_t { none, thousands, comma };
[[nodiscard]] NumberMark mark_of_number(std::string_view text) noexcept;

/// Returns a number's text with a decimal point and no marks of thousands; nothing where a mark stands where a number
/// with that decimal mark has none. `mark` is point or comma. What has no marks is returned as it is, number or not.
[[nodiscard]] std::optional<std::string> without_marks(std::string_view text, DecimalMark mark);

/// A number as people write it.
struct WrittenNumber {
    std::string text;  ///< with a decimal point and nothing else, "-1234.5"; whether it is a number is not looked at
    std::string sign;  ///< of currency or %, which stood before or after it; empty for none

    bool operator==(const WrittenNumber&) const = default;
};
/// Reads "$1,234.50", "1 234,5 €", "45 %", "1'234" or "(1,234)" and "1,234-", which are negative, by the decimal
/// mark, which is point or comma. Blanks and apostrophes separate thousands, as the other mark does. A number of per
/// cent is not divided by 100. Returns nothing where a mark or a sign stands where no such number has one.
[[nodiscard]] std::optional<WrittenNumber> read_written(std::string_view text, DecimalMark mark);

/// Reads all of a text as a number with a point or no decimal mark, finite or not; a plus sign is allowed. The error is
/// `invalid_argument`, or `result_out_of_range`.
[[nodiscard]] std::errc read_number(std::string_view text, double& value) noexcept;

}  // namespace fairstream::csv
