#pragma once
/// The shape of a file: the layout of its text. It is detected once, from the first bytes, before any column is read.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/files/cells/numbers.hpp>

namespace fairstream::files {

/// The separator of cells with any number of blanks and tabs between them.
inline constexpr char blanks = ' ';

/// The parts of a shape given by the user; the others are detected.
struct ShapeOptions {
    std::optional<char> separator = {};
    std::optional<bool> has_header = {};
    std::optional<std::uint64_t> skipped_lines = {};  ///< lines before the header, or before the first row
    std::vector<std::string> names = {};  ///< names of all columns, replacing the file's names; empty: the file's names
    bool has_numbered_columns = true;     ///< whether names may be numbers that count the columns
};

/// Delimited text is a header and rows of cells after RFC 4180. ARFF is read like such text, with the names of its
/// attributes.
enum class Layout : std::uint8_t { delimited, json_lines, arff };

/// Encoding of lines, if it differs from plain delimited text.
enum class Lines : std::uint8_t { plain, ended_by_cr, in_quotes };

struct Shape {
    Layout layout = Layout::delimited;
    char separator = ',';      ///< for delimited text
    char quote_mark = '"';     ///< quote mark of cells: a double or a single quote
    bool has_escapes = false;  ///< whether a backslash in quotes escapes a quote or a backslash
    Lines lines = Lines::plain;
    bool has_header = true;
    bool is_utf8 = true;  ///< as far as examined
    DecimalMark decimal_mark = DecimalMark::point;
    std::uint64_t skipped_lines = 0;          ///< as in `ShapeOptions`
    std::size_t spare_cells = 0;              ///< empty cells that a row may have after its columns
    std::vector<std::string> names = {};      ///< names of the columns; empty for JSON lines
    std::vector<std::string> first_row = {};  ///< cells of the first row, if there is no header
    std::string doubtful_name = {};           ///< name in a detected header that looks like a cell

    [[nodiscard]] bool is_delimited() const noexcept { return layout != Layout::json_lines; }
    /// Returns whether the shape needs no mention: a header in the first line, cells between separators.
    [[nodiscard]] bool is_usual() const noexcept {
        return !is_delimited() || (layout == Layout::delimited && has_header && skipped_lines == 0 &&
                                   lines == Lines::plain && separator != blanks && doubtful_name.empty() &&
                                   !(separator == ',' && decimal_mark == DecimalMark::comma));
    }
};

/// Returns the name of a separator, "comma", "tab" or the character.
[[nodiscard]] std::string separator_name(char separator);
/// Returns the separator of this name, or the character itself; nothing for other text.
[[nodiscard]] std::optional<char> find_separator(std::string_view name);

/// Returns "comma separated, no header: columns 1 to 15".
[[nodiscard]] std::string to_string(const Shape& shape);

/// Returns a cell or a name without blanks around it; tabs are blanks unless they separate cells.
[[nodiscard]] std::string_view trimmed(std::string_view text, char separator) noexcept;

/// Returns whether the first line alone determines the shape, so that nothing more of a pipe is needed.
[[nodiscard]] bool determines_shape(std::string_view line);

/// Detects the shape of text that begins with `head`; `is_all`: nothing follows. Throws `InvalidInput` (malformed),
/// beginning with the name of the file, for an unreadable format, for a file without a line, and for options that do
/// not fit the file.
[[nodiscard]] Shape detect_shape(std::string_view head, bool is_all, const ShapeOptions& given,
                                 const std::string& file);

}  // namespace fairstream::files
