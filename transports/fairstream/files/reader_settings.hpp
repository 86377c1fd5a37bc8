#pragma once
/// How cells of text files are read. The engine does not use these settings.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::files {

/// The order of the parts of a date.
enum class DateOrder : std::uint8_t { year_first, day_first, month_first };
inline constexpr std::array all_date_orders{DateOrder::year_first, DateOrder::day_first, DateOrder::month_first};

/// The decimal mark of numbers. Marks of thousands are never read. `found`: derived from the numbers in a file.
enum class DecimalMark : std::uint8_t { found, point, comma };

/// Return the name of an order, "day_first", or of a mark, "comma".
[[nodiscard]] std::string_view to_string(DateOrder order) noexcept;
[[nodiscard]] std::string_view to_string(DecimalMark mark) noexcept;
/// Return the order of this name, or the mark (except `found`); nothing for other text.
[[nodiscard]] std::optional<DateOrder> find_date_order(std::string_view name) noexcept;
[[nodiscard]] std::optional<DecimalMark> find_decimal_mark(std::string_view name) noexcept;

/// How the files of a stream's points are read.
struct ReaderSettings {
    /// Texts of missing values beside the usual ones: "TEXT" for every column, "COLUMN=TEXT" for one column. No text is
    /// empty.
    std::vector<std::string> missing_texts = {};
    /// Used for delimited text. Numbers in JSON always have a point.
    DecimalMark decimal_mark = DecimalMark::found;
    std::vector<DateOrder> date_orders = {};  ///< by column of the stream; columns beyond the end have `year_first`

    [[nodiscard]] DateOrder date_order(std::size_t column) const noexcept;
    void set_date_order(std::size_t column, DateOrder order);
    /// Adds the texts of missing values that it does not have yet.
    void add_missing_texts(const std::vector<std::string>& texts);
    bool operator==(const ReaderSettings& other) const noexcept;
};

}  // namespace fairstream::files
