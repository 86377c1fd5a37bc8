#pragma once
/// Files of rows and columns, read row by row. The longest row bounds the memory.
///
/// Delimited text and ARFF, with a shape detected from the first bytes (`Shape`): cells after RFC 4180, with blanks
/// beside quotes allowed. Also accepted: LF, CRLF or CR line ends, no line end after the last row, blank lines after
/// it, a UTF-8 byte order mark. Refused with file and line: a row that is longer or shorter than the header, the header
/// again, an empty line before the last row (in a file with one column it is a row with an empty cell), a NUL byte, a
/// quote inside an unquoted cell, text after a quoted cell, a quote that is not closed within `row_limit`, a single
/// carriage return, a row above `row_limit`, an empty file. A row with a wrong quote ends with the line on which that
/// quote opens.
///
/// JSON lines: a file named .jsonl or .ndjson, or whose first byte other than blanks is {. Each line is one object;
/// blank lines are skipped. The columns are the keys of the first 1,000 lines, or of the first 4 MiB, in the order of
/// their first appearance; on demand, the keys of all lines (`Reader::find_all_columns`, `Reader::expect`). Other keys
/// are ignored. For a pipe that is read once (`Passes`), the reader waits for these first lines; lines after a pause of
/// a second do not count, except for `Reader::expect`. Later lines may have the keys in any order; a missing key or
/// null is an empty cell. Numbers keep their text. Refused with file and line: a key that is empty or repeated, a
/// number beyond the range of a double, and anything but JSON in UTF-8.
///
/// Both kinds may be compressed by gzip or zstd (`ByteSource`). Cells are bytes: text that is not UTF-8, such as
/// Latin-1, stays unchanged, also in messages. In a report as JSON, each byte that is not UTF-8 becomes U+FFFD.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/files/cells/numbers.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/files/cells/text_hash.hpp>
#include <fairstream/files/cells/times.hpp>
#include <fairstream/files/rows/bad_row.hpp>
#include <fairstream/files/rows/byte_source.hpp>
#include <fairstream/files/rows/input_file.hpp>
#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files {

inline constexpr std::size_t row_limit = std::size_t{16} << 20;  ///< bytes of the longest row read
inline constexpr std::size_t rows_per_report = 8192;             ///< rows between two reports of progress

namespace detail {
class Records;
}

/// One pass over a file, by one thread. Every function throws `InvalidInput` for bad content (malformed, unless stated
/// otherwise), and `BadRow` if a row is bad.
class Reader {
public:
    /// Detects the shape, unless an earlier pass did, and reads the columns: from the header, or from the keys of the
    /// first lines. May read a file further for its keys if it can be read again (`InputFile::is_rereadable`).
    explicit Reader(const InputFile& file);
    /// Opens `path` only for this pass; "-" is standard input.
    explicit Reader(const std::filesystem::path& path);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;

    /// Returns the input, for another pass if it allows one.
    [[nodiscard]] const InputFile& input() const noexcept { return input_; }
    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const std::vector<std::string>& header() const noexcept;
    [[nodiscard]] bool has_column(std::string_view name) const { return find_column(name).has_value(); }
    /// Returns the index of a column; blanks around its name are ignored. The error for an unknown column lists the
    /// existing columns. Throws for a name that the header repeats.
    [[nodiscard]] std::size_t column(std::string_view name) const;

    /// Goes to the next row; returns false at the end. Throws `BadRow` for a malformed row: too many or too few cells,
    /// a wrong quote, an empty line, or a line that is no JSON object. The rows after it are not affected, and the next
    /// call goes on with them; the same holds for a cell that a function below refuses. All other errors are fatal
    /// (`is_broken`): a NUL byte, a single carriage return, a row above `row_limit`, damaged compression. Further calls
    /// then throw `std::runtime_error` with the same text.
    [[nodiscard]] bool next();
    /// Waits until the next row has begun to arrive, or the file has ended, but no longer than `most`; returns false if
    /// neither happened in time. Only a pipe needs a wait.
    [[nodiscard]] bool wait(std::chrono::milliseconds most) const;
    /// Returns whether the last error leaves the start of the next row unknown, so that no further row can be read.
    [[nodiscard]] bool is_broken() const noexcept { return !broken_.empty(); }
    /// Returns a cell of the current row; valid until the next call of `next`.
    [[nodiscard]] std::string_view cell(std::size_t column) const noexcept { return cells_[column]; }
    /// Returns all cells of the current row; after an error of `next`, the cells that were found.
    [[nodiscard]] std::span<const std::string_view> cells() const noexcept { return cells_; }
    /// Returns a cell without the blanks around it: spaces, and tabs unless tabs separate cells.
    [[nodiscard]] std::string_view trimmed_cell(std::size_t column) const noexcept {
        return trimmed(cells_[column], shape_.separator);
    }
    /// Sets the decimal mark, also for JSON lines; `found`: the mark of the shape.
    void set_decimal_mark(DecimalMark mark) noexcept;
    /// Makes columns of the keys of all JSON lines, if the file can be read again. Call it before rows are read.
    /// `progress`, if given, is called now and then with the share read.
    void find_all_columns(const std::function<void(double)>& progress = {});
    /// Adds columns of these names that the first JSON lines lack. For a file that can be read again, adds only names
    /// that later lines have. For a pipe that goes on after its first lines, adds all names; their cells are empty
    /// until a line has the key. Call it before rows are read.
    void expect(std::span<const std::string> names);
    /// Adds columns of these names to JSON lines, even if no line has them; their cells are then empty. Call it before
    /// rows are read.
    void provide(std::span<const std::string> names);
    /// Returns the added names that no line has had so far, from a pipe or by `provide`.
    [[nodiscard]] std::vector<std::string> absent_columns() const;
    /// Makes cells equal to one of these texts empty, ignoring blanks around them: "TEXT" in all columns, "COLUMN=TEXT"
    /// in one column of the file. A number stands for all its spellings: -999.0 is -999. Applies to the rows after the
    /// call.
    void set_missing_texts(std::span<const std::string> texts);
    [[nodiscard]] std::vector<std::string> missing_texts() const;
    /// Returns whether a cell of the current row had one of these texts.
    [[nodiscard]] bool had_missing_text(std::size_t column) const noexcept;
    /// Returns the texts that no cell has had so far.
    [[nodiscard]] std::vector<std::string> unused_missing_texts() const;
    /// Returns a cell as a finite number; blanks around it and a plus sign are allowed. Throws `BadRow` (bad_feature).
    [[nodiscard]] double number(std::size_t column) const;
    /// Returns whether a cell is a finite number.
    [[nodiscard]] bool is_number(std::size_t column) const;
    /// Returns whether a cell means a missing value (`is_missing_value`).
    [[nodiscard]] bool is_missing(std::size_t column) const noexcept { return is_missing_value(trimmed_cell(column)); }
    /// Returns a cell as the time of an event, in microseconds since the Unix epoch (`read_time`).
    [[nodiscard]] std::int64_t time(std::size_t column, std::optional<TimeUnit> unit = {},
                                    DateOrder order = DateOrder::year_first) const;
    /// Returns a cell as an integer in [0, 2^64).
    [[nodiscard]] std::uint64_t integer(std::size_t column) const;

    /// Returns the line on which the current row starts; after a wrong quote, the line of the quote. The first line of
    /// the file is 1.
    [[nodiscard]] std::uint64_t line() const noexcept;
    [[nodiscard]] double progress() const noexcept;
    /// Throws `BadRow` for a cell of the current row: "FILE:LINE: column 'NAME': 'CELL' RULE".
    [[noreturn]] void refuse_cell(std::size_t column, Reason reason, const std::string& rule,
                                  Fault fault = Fault::form) const;

private:
    /// The first and the last column with a given name; several columns may have the same name.
    struct ColumnRange {
        std::size_t first, last;
    };
    struct MissingText {
        std::string given, text;
        std::optional<std::size_t> column;  // nothing: all columns
        std::optional<double> value = {};   // value if the text is a number
        bool has_occurred = false;
    };
    [[nodiscard]] std::optional<ColumnRange> find_column(std::string_view name) const;
    void empty_missing_texts();
    [[nodiscard]] bool is_text(const MissingText& missing, std::size_t column) const;

    InputFile input_;
    Shape shape_;
    std::unique_ptr<detail::Records> records_;
    mutable std::unordered_map<std::string, ColumnRange, TextHash, std::equal_to<>>
        column_ranges_;  // ranges of columns, for the first `indexed_names_` names
    mutable std::size_t indexed_names_ = 0;
    std::string broken_;  // the text of a fatal error
    DecimalMark mark_ = DecimalMark::point;
    std::vector<std::string_view> cells_;  // cells of the current row
    std::vector<MissingText> missing_texts_;
    std::vector<std::pair<std::size_t, std::string_view>>
        emptied_cells_;  // by column of the current row: original text
};

}  // namespace fairstream::files
