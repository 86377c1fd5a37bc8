#pragma once
/// Files of rows and columns, read row by row, their memory bounded by the longest row.
///
/// Delimited text and ARFF, of the shape that is judged from their first bytes (`Shape`): cells after RFC 4180, blanks
/// beside quotes allowed. Also accepted: LF, CRLF or CR line ends, no line end after the last row, blank lines after
/// it, a UTF-8 byte order mark. Refused with file and line: a row that is longer or shorter than the header, the header
/// again, an empty line before the last row (of a file with one column it is a row whose cell is empty), a NUL byte, a
/// quote inside an unquoted cell or text after a quoted one, a quote that is never closed or not within `row_limit`, a
/// carriage return on its own, a row above `row_limit`, a file without rows to name (empty). A row with a wrong quote
/// ends with the line on which that quote is opened.
///
/// JSON lines: a file whose first byte that is no blank is {, or that is named .jsonl or .ndjson. Each line is one
/// object, blank lines are skipped. The columns are the keys of the first 1,000 lines, or of 4 MiB of longer ones, in
/// the order in which they first appear, and of all lines where they are asked for (`Reader::find_all_columns`,
/// `Reader::expect`); other keys are passed over. Of a pipe that is read once (`Passes`) the first lines are waited
/// for; those after a pause of a second do not count (but `Reader::expect`). Later lines may have the keys in any
/// order; one that is missing or null is an empty cell. Numbers keep their text. Refused with file and line: a key that
/// is empty or repeated, a number beyond those of a double, and what is no JSON in UTF-8.
///
/// Either may be compressed by gzip or zstd (`ByteSource`). Cells are bytes: text that is not UTF-8, such as Latin-1,
/// is taken as it is, and is in messages as it is; in a report as JSON each byte that is no UTF-8 becomes U+FFFD.

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

/// One pass over a file, by one thread. Every function throws `InvalidInput` (malformed, unless it says otherwise) for
/// bad content, and `BadRow` where that is a row.
class Reader {
public:
    /// Judges the shape, unless an earlier pass did, and reads what says the columns: the header, or the keys of the
    /// first lines. A file that can be read again (`InputFile::is_rereadable`) may be, for its keys.
    explicit Reader(const InputFile& file);
    /// Opens `path` for this pass alone; "-" is standard input.
    explicit Reader(const std::filesystem::path& path);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;

    /// Returns the input, for another pass where it takes one.
    [[nodiscard]] const InputFile& input() const noexcept { return input_; }
    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const std::vector<std::string>& header() const noexcept;
    [[nodiscard]] bool has_column(std::string_view name) const { return place_of(name).has_value(); }
    /// Returns the index of a column, blanks around its name not counted; the error for an unknown one lists the
    /// existing columns. Throws for a name that the header has twice.
    [[nodiscard]] std::size_t column(std::string_view name) const;

    /// Goes to the next row; returns false when there is none. Throws `BadRow` for a row that is wrong by itself: one
    /// with too many or too few cells, a wrong quote, an empty line, and in JSON lines any line that is no row; like a
    /// cell that a function below refuses, it leaves the rows after it as they are, and the next call goes on with
    /// them. All else is fatal (`is_broken`): a NUL byte, a carriage return on its own, a row above `row_limit`,
    /// damaged compression. A further call then throws `std::runtime_error` with the same text.
    [[nodiscard]] bool next();
    /// Waits until the next row is there or begins to come, or there is none, but no longer than `most`; returns false
    /// where not. Only of a pipe is there anything to wait for.
    [[nodiscard]] bool wait(std::chrono::milliseconds most) const;
    /// Returns whether the last error leaves unknown where the next row starts, so that none can be read.
    [[nodiscard]] bool is_broken() const noexcept { return !broken_.empty(); }
    /// Returns a cell of the current row; valid until the next call of `next`.
    [[nodiscard]] std::string_view cell(std::size_t column) const noexcept { return cells_[column]; }
    /// Returns the cells of the current row, as many as it has; after an error of `next` those that were found.
    [[nodiscard]] std::span<const std::string_view> cells() const noexcept { return cells_; }
    /// Returns a cell without the blanks around it: spaces, and tabs unless they separate the cells.
    [[nodiscard]] std::string_view trimmed_cell(std::size_t column) const noexcept {
        return trimmed(cells_[column], shape_.separator);
    }
    /// Sets the decimal mark, of JSON lines too; `found`: that of the shape.
    void set_decimal_mark(DecimalMark mark) noexcept;
    /// Makes columns of all keys of JSON lines, however late, where the file can be read again: for a reader that takes
    /// what there is. Before rows are read. `progress`, when given, is called now and then with the share read.
    void find_all_columns(const std::function<void(double)>& progress = {});
    /// Makes columns of these names in JSON lines whose first lines do not have them: where the file can be read again,
    /// of those that later lines have; in a pipe whose end was not among its first lines, of all, their cells empty
    /// until a key is so named. Before rows are read.
    void expect(std::span<const std::string> names);
    /// Provides columns of these names in JSON lines, also where no line has them: their cells are empty then. Before
    /// rows are read.
    void provide(std::span<const std::string> names);
    /// Returns the names that were expected and that no line has had so far, of a pipe or by `provide`.
    [[nodiscard]] std::vector<std::string> unmet_columns() const;
    /// Makes cells that are one of these texts, blanks around them not counted, be read as empty: "TEXT" in all
    /// columns, "COLUMN=TEXT" in one that the file has. A number means all its spellings: -999.0 is -999. For the rows
    /// after.
    void set_missing_texts(std::span<const std::string> texts);
    [[nodiscard]] std::vector<std::string> missing_texts() const;
    [[nodiscard]] bool has_missing_texts() const noexcept { return !missing_texts_.empty(); }
    /// Returns those of the texts that no cell was so far.
    [[nodiscard]] std::vector<std::string> unmet_missing_texts() const;
    /// Returns a cell as a finite number; blanks around it and a plus sign are allowed. Throws `BadRow` (bad_feature).
    [[nodiscard]] double number(std::size_t column) const;
    /// Says whether a cell is a finite number.
    [[nodiscard]] bool is_number(std::size_t column) const;
    /// Says whether a cell means a missing value (`is_missing_value`).
    [[nodiscard]] bool is_missing(std::size_t column) const noexcept { return is_missing_value(trimmed_cell(column)); }
    /// Returns a cell as a time of an event, in microseconds since the Unix epoch (`read_time`).
    [[nodiscard]] std::int64_t time(std::size_t column, std::optional<TimeUnit> unit = {},
                                    DateOrder order = DateOrder::year_first) const;
    /// Returns a cell as an integer in [0, 2^64).
    [[nodiscard]] std::uint64_t integer(std::size_t column) const;

    /// Returns the number of the line on which the current row starts, or a wrong quote of it is; the first line is 1,
    /// such as that of a header.
    [[nodiscard]] std::uint64_t line() const noexcept;
    [[nodiscard]] double progress() const noexcept;
    /// Throws `BadRow` for a cell of the current row: "FILE:LINE: column 'NAME': 'CELL' RULE".
    [[noreturn]] void refuse_cell(std::size_t column, Reason reason, const std::string& rule,
                                  Fault fault = Fault::form) const;

private:
    /// The first and the last column of a name.
    struct Place {
        std::size_t first, last;
    };
    struct MissingText {
        std::string given, text;
        std::optional<std::size_t> column;  // nothing: all
        std::optional<double> value = {};   // that the text is
        bool met = false;
    };
    [[nodiscard]] std::optional<Place> place_of(std::string_view name) const;
    void empty_missing_texts();
    [[nodiscard]] bool is_text(const MissingText& missing, std::size_t column) const;

    InputFile input_;
    Shape shape_;
    std::unique_ptr<detail::Records> records_;
    mutable std::unordered_map<std::string, Place, TextHash, std::equal_to<>> places_;  // of the first `placed_` names
    mutable std::size_t placed_ = 0;
    std::string broken_;  // the text of a fatal error
    DecimalMark mark_ = DecimalMark::point;
    std::vector<std::string_view> cells_;  // of the current row
    std::vector<MissingText> missing_texts_;
    std::vector<std::pair<std::size_t, std::string_view>> emptied_;  // of the current row, by column: what was there
};

}  // namespace fairstream::files
