#pragma once
/// The shape of a file: how its text is laid out. It is judged once, from the first bytes, before any column is looked
/// at.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/files/cells/numbers.hpp>

namespace fairstream::files {

/// Separates cells that any number of blanks and tabs lies between.
inline constexpr char blanks = ' ';

/// What a person says of a file's shape; what is not said is judged.
struct ShapeOptions {
    std::optional<char> separator = {};
    std::optional<bool> has_header = {};
    std::optional<std::uint64_t> skipped_lines =
        {};                               ///< before the header, or before the first row where there is none
    std::vector<std::string> names = {};  ///< of all columns, in place of those of the file; empty: the file's
    bool has_numbered_columns = true;     ///< whether names may be numbers that count the columns
};

/// Delimited text is a header and rows of cells after RFC 4180. ARFF is read as such, with the names of its attributes.
enum class Layout : std::uint8_t { delimited, json_lines, arff };

/// How the bytes of lines differ from those of delimited text.
enum class Lines : std::uint8_t { plain, ended_by_cr, in_quotes };

struct Shape {
    Layout layout = Layout::delimited;
    char separator = ',';      ///< of delimited text
    char quote_mark = '"';     ///< of cells, or a single one
    bool has_escapes = false;  ///< whether a backslash within quotes stands before one, or before another backslash
    Lines lines = Lines::plain;
    bool has_header = true;
    bool is_utf8 = true;  ///< as far as was looked
    DecimalMark decimal_mark = DecimalMark::point;
    std::uint64_t skipped_lines = 0;          ///< as in `ShapeOptions`
    std::size_t spare_cells = 0;              ///< empty ones that a row may have after its columns
    std::vector<std::string> names = {};      ///< of the columns; of JSON lines none
    std::vector<std::string> first_row = {};  ///< cells of the first row where there is no header
    std::string doubtful_name = {};           ///< one of a header that was judged to be such, which seems a cell

    [[nodiscard]] bool is_delimited() const noexcept { return layout != Layout::json_lines; }
    /// Says whether there is nothing that people may want to know: a header in the first line, cells between
    /// separators.
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

/// Returns a cell or a name without the blanks around it, and without tabs unless they separate cells.
[[nodiscard]] std::string_view trimmed(std::string_view text, char separator) noexcept;

/// Says whether the first line alone tells the shape, so that no more of a pipe is waited for.
[[nodiscard]] bool tells_shape(std::string_view line);

/// Judges text that begins with `head`; `is_all`: it has no more. Throws `InvalidInput` (malformed), beginning with the
/// name of the file, for a format that is not read, for a file without a line, and for options that do not fit it.
[[nodiscard]] Shape judge_shape(std::string_view head, bool is_all, const ShapeOptions& given, const std::string& file);

}  // namespace fairstream::files
