#pragma once
/// How the cells of files of text are written. Readers of files know it, the engine does not.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::files {

/// The order in which the parts of a date are written.
enum class DateOrder : std::uint8_t { year_first, day_first, month_first };
inline constexpr std::array all_date_orders{DateOrder::year_first, DateOrder::day_first, DateOrder::month_first};

/// The mark that separates decimals where numbers are written; marks of thousands are not read. `found`: a file's
/// numbers tell.
enum class DecimalMark : std::uint8_t { found, point, comma };

/// Return the name of an order, "day_first", or of a mark, "comma".
[[nodiscard]] std::string_view to_string(DateOrder order) noexcept;
[[nodiscard]] std::string_view to_string(DecimalMark mark) noexcept;
/// Return the order, or the mark, but for found, of this name; nothing for other text.
[[nodiscard]] std::optional<DateOrder> find_date_order(std::string_view name) noexcept;
[[nodiscard]] std::optional<DecimalMark> find_decimal_mark(std::string_view name) noexcept;

/// How the files of a stream's points are written.
struct ReaderSettings {
    /// What stands for a missing value beside what usually does: "TEXT" in every column, "COLUMN=TEXT" in one. None is
    /// empty.
    std::vector<std::string> missing_texts = {};
    /// Of files of delimited text; numbers of JSON have a point, whatever it is.
    DecimalMark decimal_mark = DecimalMark::found;
    std::vector<DateOrder> date_orders = {};  ///< by the stream's columns; of those beyond the end `year_first`

    [[nodiscard]] DateOrder date_order(std::size_t column) const noexcept;
    void set_date_order(std::size_t column, DateOrder order);
    /// Takes over the texts of missing values that are not among its own.
    void add_missing_texts(const std::vector<std::string>& texts);
    bool operator==(const ReaderSettings& other) const noexcept;
};

}  // namespace fairstream::files
