#pragma once
/// What the columns of a file hold: counted in one pass, before anything is made of them.

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

/// Most different values of a column that are kept.
inline constexpr std::size_t most_kept_values = 1000;

/// What most of a column's cells are that are not missing.
enum class CellKind : std::uint8_t {
    missing,  ///< there is no other cell
    number,
    truth,  ///< one of two words such as yes and no, in any case of letters
    date,
    text,
};

/// The cells of a column, without the blanks around them.
struct ColumnProfile {
    std::string name;
    std::uint64_t cells = 0;
    std::uint64_t missing = 0;             ///< as `Reader::is_missing`
    std::uint64_t empty = 0;               ///< of the missing ones
    std::uint64_t line_of_gap = 0;         ///< line of the first missing cell; 0: there is none
    std::uint64_t numbers = 0;             ///< finite ones
    std::uint64_t marked = 0;              ///< of the numbers, those with a point or a comma
    std::uint64_t grouped = 0;             ///< of these, those that `may_have_thousands`
    std::string first_grouped = {};        ///< the first of these
    std::uint64_t ids = 0;                 ///< integers in [0, 2^64 - 1), without leading zeros
    std::array<std::uint64_t, 3> dates{};  ///< cells that are no numbers, and dates in an order, by `DateOrder`
    std::uint64_t compact_dates = 0;       ///< of the numbers, those such as 20260131
    std::uint64_t times_of_day = 0;        ///< of the dates, those that are a time of day alone, in any order
    std::uint64_t texts = 0;               ///< cells that are nothing of these
    std::string first_text = {};           ///< the first of these
    std::uint64_t line_of_text = 0;        ///< its line
    std::uint64_t alike = 0;               ///< of the texts, those that are the first one
    /// Different cells, missing ones too, and how many there are of each, in the order of the file. Empty where there
    /// are more than `most_kept_values`.
    std::vector<std::pair<std::string, std::uint64_t>> values = {};
    bool has_more_values = false;
    bool counts_rows = false;            ///< whether the cells are 0, 1, 2, ... or 1, 2, 3, ...
    bool begins_with_different = false;  ///< whether no value comes twice, or, where there are more, none so far

    /// Returns the number of cells with a value.
    [[nodiscard]] std::uint64_t values_there() const noexcept { return cells - missing; }
    /// Says whether all values but for `tolerated` are dates such as 20260131, and enough that they are no other
    /// numbers.
    [[nodiscard]] bool are_compact_dates(std::uint64_t tolerated = 0) const noexcept {
        constexpr std::uint64_t least = 3;
        return compact_dates >= least && compact_dates + tolerated >= values_there();
    }
    /// Returns what the cells are, but for `tolerated` of them.
    [[nodiscard]] CellKind kind(std::uint64_t tolerated = 0) const;
    /// Returns the order in which most cells are dates, all but for `tolerated`; nothing where two orders take them
    /// differently, or none takes them.
    [[nodiscard]] std::optional<DateOrder> date_order(std::uint64_t tolerated = 0) const;
    /// Returns the values that are not missing: as numbers, rising, where all are integers, otherwise byte by byte.
    [[nodiscard]] std::vector<std::string> levels() const;
};

/// The words for no and yes, in the spelling of the column's cells, so that it has two levels even where one of them
/// never occurs. Nothing where the values are no such words.
[[nodiscard]] std::optional<std::array<std::string, 2>> truth_words(const ColumnProfile& column);

/// Says whether a text is a word for yes, such as true, or for no, in any case of letters, 1 and 0 among them; nothing
/// for other text.
[[nodiscard]] std::optional<bool> truth_value(std::string_view text);

/// Says of levels that are words for no and yes which one stands for other such words: of "no" and "yes" the second for
/// TRUE, y and 1. Nothing where the levels are other words, or the text is none of these.
[[nodiscard]] std::optional<std::uint32_t> truth_level(const std::vector<std::string>& levels, std::string_view text);

/// Says whether a cell is the text that means yes, or another spelling of it: where that is a whole word for yes or no,
/// such as "yes", each word that means the same (TRUE, y, 1). Of letters and numbers only the same text is meant.
[[nodiscard]] bool is_same_answer(std::string_view positive, std::string_view cell);

struct FileProfile {
    std::vector<ColumnProfile> columns;
    std::uint64_t bad_rows = 0;  ///< that are no rows by themselves, such as one with too few cells
    std::string first_bad = {};  ///< file, line and fault of the first of these
};

/// Counts the cells of these columns, in their order, of all rows that are rows by themselves. `progress`, when given,
/// is called now and then with the share of the file read. Throws `InvalidInput` for a column that does not exist, and
/// (malformed) for a file that cannot be read on.
[[nodiscard]] FileProfile profile_columns(Reader& reader, const std::vector<std::string>& names,
                                          const std::function<void(double)>& progress = {});

/// Returns a text with small letters for the capital ones of ASCII.
[[nodiscard]] std::string in_lower_case(std::string text);

/// Puts texts into order: as numbers, rising, where all are integers, otherwise byte by byte.
void sort_values(std::vector<std::string>& values);

}  // namespace fairstream::files
