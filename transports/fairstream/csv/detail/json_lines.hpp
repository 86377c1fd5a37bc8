#pragma once
/// Rows that are JSON objects, one on each line.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fairstream/csv/detail/records.hpp>
#include <fairstream/csv/text_hash.hpp>

namespace fairstream::csv::detail {

/// Lines that say what the columns are, of a file that can be read twice.
inline constexpr std::size_t lines_of_columns = 1000;

/// Lines without their ends, but for those that are empty or blank.
class LineScanner {
public:
    explicit LineScanner(ByteWindow window) : window_(std::move(window)) {}

    /// Returns the next line, valid until the next call; nothing at the end of the file.
    [[nodiscard]] std::optional<std::string_view> next();
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }  ///< number of the line of the last call
    [[nodiscard]] const ByteWindow& window() const noexcept { return window_; }

private:
    ByteWindow window_;
    std::uint64_t line_ = 0;
    std::size_t length_ = 0;  // of the line of the last call, its end too
};

/// Cells are strings as they are meant, numbers as they are written, true and false; a key that is null or not there is
/// an empty cell.
class JsonLines final : public Records {
public:
    /// Takes the columns from the first lines of `preview`, which is the same file, or else from the first line alone.
    JsonLines(ByteWindow window, std::optional<ByteWindow> preview);

    const std::vector<std::string>& header() const noexcept override { return header_; }
    Found next(std::vector<std::string_view>& cells, std::string& why) override;
    std::uint64_t line() const noexcept override { return lines_.line(); }
    const ByteWindow& window() const noexcept override { return lines_.window(); }

private:
    /// The range of a cell in `text_`, and the row that has it.
    struct Extent {
        std::size_t first, last;
        std::uint64_t row;
    };
    [[nodiscard]] std::string add_columns(std::string_view line);
    [[nodiscard]] std::string take_member(std::string_view key, std::string_view value);
    [[nodiscard]] std::optional<std::size_t> column_of(std::string_view key);

    LineScanner lines_;
    std::optional<std::string_view> ahead_;  // the first line, where it was read for its keys
    bool has_preview_;
    std::vector<std::string> header_;
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> columns_;
    std::size_t expected_ = 0;  // the column of the next key, if keys come in the order of the columns
    std::uint64_t rows_ = 0;
    std::vector<Extent> extents_;  // by column
    std::string text_;             // of the current row's cells
};

}  // namespace fairstream::csv::detail
