#pragma once
/// The cells of a text's first lines, for any separator.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::files::detail {

/// Candidate separators; of equally good ones the first is taken.
constexpr std::array<char, 4> usual_separators{',', ';', '\t', '|'};

/// A record of the head: its cells, without quotes and blanks around them, and its line, from 0.
struct Record {
    std::vector<std::string> cells;
    std::uint64_t line;

    [[nodiscard]] std::size_t width() const { return cells.size(); }
    /// Returns the number of cells up to the last one that is not empty.
    [[nodiscard]] std::size_t filled() const {
        std::size_t size = cells.size();
        while (size > 0 && cells[size - 1].empty()) --size;
        return size;
    }
};

/// The first bytes of a file.
struct Head {
    std::string_view text;
    bool is_all = false;       ///< whether the file has no more
    char quote_mark = '"';     ///< quote mark of cells
    bool has_escapes = false;  ///< as in `Shape`
};

/// Returns the complete records of a text for a separator, at most 1,000.
[[nodiscard]] std::vector<Record> read_records(const Head& head, char separator);

/// Returns a cell as a number with either decimal mark.
[[nodiscard]] std::optional<double> number_in(std::string_view cell);
[[nodiscard]] bool is_number(std::string_view cell);

/// The records of a text for one separator, and the width of most of them.
struct CellTable {
    char separator;
    std::vector<Record> records;
    std::size_t width = 0, regular_records = 0;

    explicit CellTable(char by) : separator(by) {}
    CellTable(const Head& head, char by);

    /// Returns whether any column holds numbers. Running text, split at its blanks, has no such column.
    [[nodiscard]] bool has_numbers() const;
};

/// Returns the records for the separator with which the most records have the same width.
[[nodiscard]] CellTable best_table(const Head& head);

}  // namespace fairstream::files::detail
