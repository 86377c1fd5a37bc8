#pragma once
/// What the columns of a file hold, counted in one pass before cells are converted.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// Largest number of different values kept for a column.
inline constexpr std::size_t most_kept_values = 1000;

/// Kind of most of a column's cells that are not missing.
enum class CellKind : std::uint8_t {
    missing,  ///< all cells are missing
    number,
    truth,  ///< one of two words such as yes and no, in any case of letters
    date,
    text,
};

/// The cells of a column, without the blanks around them.
struct ColumnProfile {
    std::string name;
    std::uint64_t cells = 0;
    std::uint64_t missing = 0;              ///< as in `Reader::is_missing`
    std::uint64_t empty = 0;                ///< missing cells that are empty
    std::uint64_t first_missing_line = 0;   ///< line of the first missing cell; 0: none
    std::uint64_t numbers = 0;              ///< cells that are finite numbers
    std::uint64_t marked = 0;               ///< numbers with a point or a comma
    std::uint64_t grouped = 0;              ///< numbers that `may_have_thousands`
    std::string first_grouped = {};         ///< first cell of `grouped`
    std::uint64_t ids = 0;                  ///< integers in [0, 2^64 - 1), without leading zeros
    std::array<std::uint64_t, 3> dates{};   ///< cells that are not numbers but dates, by `DateOrder`
    std::uint64_t compact_dates = 0;        ///< numbers such as 20260131
    std::uint64_t times_of_day = 0;         ///< times of day without a date, in any order
    std::uint64_t texts = 0;                ///< cells of none of these kinds
    std::string first_text = {};            ///< first text
    std::uint64_t line_of_text = 0;         ///< line of the first text
    std::uint64_t equal_to_first_text = 0;  ///< texts equal to `first_text`
    /// Different cells, including missing ones, with their counts, in the file's order. Empty if there are more than
    /// `most_kept_values`.
    std::vector<std::pair<std::string, std::uint64_t>> values = {};
    bool has_more_values = false;
    bool counts_rows = false;          ///< whether the cells are 0, 1, 2, ... or 1, 2, 3, ...
    bool has_distinct_values = false;  ///< whether no value repeats, as far as values are kept

    /// Returns the number of cells with a value.
    [[nodiscard]] std::uint64_t value_count() const noexcept { return cells - missing; }
    /// Returns whether all values except `tolerated` are dates such as 20260131, and enough of them to rule out other
    /// numbers.
    [[nodiscard]] bool are_compact_dates(std::uint64_t tolerated = 0) const noexcept {
        constexpr std::uint64_t least = 3;
        return compact_dates >= least && compact_dates + tolerated >= value_count();
    }
    /// Returns the kind of all cells except `tolerated` of them.
    [[nodiscard]] CellKind kind(std::uint64_t tolerated = 0) const;
    /// Returns the order in which all cells except `tolerated` are dates. Nothing if two orders give different dates,
    /// or no order fits.
    [[nodiscard]] std::optional<DateOrder> date_order(std::uint64_t tolerated = 0) const;
    /// Returns the values that are not missing, sorted as numbers if all are integers, otherwise byte by byte.
    [[nodiscard]] std::vector<std::string> levels() const;
};

/// Returns the words for no and yes in the spelling of the column's cells, so that the column has two levels even if
/// one never occurs. Nothing if the values are other words.
[[nodiscard]] std::optional<std::array<std::string, 2>> truth_words(const ColumnProfile& column);

/// Returns true for a word for yes, such as true, and false for a word for no, in any case of letters; 1 and 0 count as
/// such words. Nothing for other text.
[[nodiscard]] std::optional<bool> truth_value(std::string_view text);

/// Returns the level that another word for yes or no stands for: with the levels "no" and "yes", TRUE, y and 1 stand
/// for "yes". Nothing if the levels are other words, or the text is no such word.
[[nodiscard]] std::optional<std::uint32_t> truth_level(const std::vector<std::string>& levels, std::string_view text);

/// Returns whether a cell is the text that means yes, or another spelling of it. If that text is a whole word for yes
/// or no, such as "yes", every word with the same meaning counts (TRUE, y, 1). If it is a single letter or digit, only
/// the same text counts.
[[nodiscard]] bool is_same_answer(std::string_view positive, std::string_view cell);

struct FileProfile {
    std::vector<ColumnProfile> columns;
    std::uint64_t bad_rows = 0;  ///< malformed rows, such as one with too few cells
    std::string first_bad = {};  ///< file, line and fault of the first malformed row
};

/// Counts the cells of these columns over all well-formed rows. `progress`, if given, is called now and then with the
/// share of the file read. Throws `InvalidInput` for a column that does not exist, and (malformed) for a file that
/// cannot be read to its end.
[[nodiscard]] FileProfile profile_columns(Reader& reader, const std::vector<std::string>& names,
                                          const std::function<void(double)>& progress = {});

/// Returns a text with the capital letters of ASCII made small.
[[nodiscard]] std::string in_lower_case(std::string text);

/// Sorts texts: as numbers if all are integers, otherwise byte by byte.
void sort_values(std::vector<std::string>& values);

}  // namespace fairstream::files
