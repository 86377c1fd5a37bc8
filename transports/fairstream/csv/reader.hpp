#pragma once
/// Comma-separated text, read row by row: RFC 4180 with a header line, and nothing looser.
///
/// Also accepted: LF or CRLF line ends, no line end after the last row, a UTF-8 byte order mark. Refused with file and
/// line: a row that is longer or shorter than the header, an empty line, a NUL byte, a quote inside an unquoted cell or
/// text after a quoted one, a quote that is never closed, a carriage return on its own, a row above `row_limit`, a
/// header with an empty or repeated name, a file without rows to name (empty).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/csv/byte_source.hpp>
#include <fairstream/csv/remedies.hpp>
#include <fairstream/csv/times.hpp>

namespace fairstream::csv {

inline constexpr std::size_t row_limit = std::size_t{16} << 20;  ///< bytes of the longest row read

/// One pass over a file, its memory bounded by the longest row. Every function throws `InvalidInput` (malformed, unless
/// it says otherwise) for bad content; the reader is of no further use then.
class Reader {
public:
    /// Reads the header. "-" is standard input.
    explicit Reader(const std::filesystem::path& path);

    [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
    /// Returns the index of a column; the error for an unknown one lists the existing columns.
    [[nodiscard]] std::size_t column(std::string_view name) const;

    /// Goes to the next row; returns false when there is none.
    [[nodiscard]] bool next();
    /// Returns a cell of the current row; valid until the next call of `next`.
    [[nodiscard]] std::string_view cell(std::size_t column) const noexcept { return cells_[column]; }
    /// Returns a cell without the blanks around it.
    [[nodiscard]] std::string_view trimmed_cell(std::size_t column) const noexcept;
    /// Returns a cell as a finite number; blanks around it and a plus sign are allowed. Throws `InvalidInput`
    /// (bad_feature), with the remedy for text or a missing value.
    [[nodiscard]] double number(std::size_t column, const Remedies& remedies) const;
    [[nodiscard]] double number(std::size_t column) const { return number(column, {}); }
    /// Says whether a cell is one of those that mean a missing value: empty but for blanks, NA, N/A, NaN, nan, null or
    /// ?.
    [[nodiscard]] bool is_missing(std::size_t column) const noexcept;
    /// Returns a cell as a time of an event, in microseconds since the Unix epoch (`read_time`).
    [[nodiscard]] std::int64_t time(std::size_t column, std::optional<TimeUnit> unit = {}) const;
    /// Returns a cell as an integer in [0, 2^64).
    [[nodiscard]] std::uint64_t integer(std::size_t column) const;

    /// Returns the number of the line on which the current row starts; the header is on line 1.
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
    [[nodiscard]] double progress() const noexcept { return source_.progress(); }
    /// Throws `InvalidInput` for a cell of the current row: "FILE:LINE: column 'NAME': 'CELL' RULE".
    [[noreturn]] void refuse_cell(std::size_t column, Reason reason, const std::string& rule) const;

private:
    /// The range of a cell in `buffer_`, quotes excluded.
    struct Extent {
        std::size_t first, last;
        bool has_quotes;  // doubled ones, still to be halved
    };

    [[noreturn]] void refuse(std::uint64_t line, const std::string& what) const;
    bool fill();
    bool read_record();
    bool scan_record();
    bool scan_quoted(std::size_t& at);
    bool scan_plain(std::size_t& at);
    std::string_view text(const Extent& extent);
    void check_header() const;

    std::string name_;
    ByteSource source_;
    std::vector<char> buffer_;
    std::size_t next_ = 0;  // where the next record starts in `buffer_`
    std::size_t end_ = 0;   // bytes of `buffer_` that are filled
    bool ended_ = false;    // the source has nothing more, and `buffer_` ends with a line feed
    std::uint64_t line_ = 0;
    std::uint64_t next_line_ = 1;
    std::uint64_t line_feeds_ = 0;  // inside the quoted cells of the record being scanned
    std::vector<Extent> extents_;
    std::vector<std::string_view> cells_;
    std::vector<std::string> header_;
};

/// Returns `text` for an error text: between single quotes, shortened and with control characters escaped.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace fairstream::csv
