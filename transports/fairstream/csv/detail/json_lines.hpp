#pragma once
/// Rows that are JSON objects, one on each line.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fairstream/csv/detail/json_object.hpp>
#include <fairstream/csv/detail/records.hpp>
#include <fairstream/csv/text_hash.hpp>

namespace fairstream::csv::detail {

/// Lines that say what the columns are.
inline constexpr std::size_t lines_of_columns = 1000;
/// How long a pipe may pause before the lines that came say what the columns are.
inline constexpr std::chrono::milliseconds longest_pause{1000};
/// Bytes above which the lines of a pipe, which are kept until they are rows, say no more of that.
inline constexpr std::size_t most_kept_bytes = std::size_t{16} << 20;

/// Lines without their ends, but for those that are empty or blank.
class LineScanner {
public:
    explicit LineScanner(ByteWindow window) : window_(std::move(window)) {}

    /// Returns the next line, valid until the next call; nothing at the end of the file.
    [[nodiscard]] std::optional<std::string_view> next();
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }  ///< number of the line of the last call
    [[nodiscard]] const ByteWindow& window() const noexcept { return window_; }
    /// Waits until the next line is there or begins to come, but no longer than `most`; returns false where not.
    [[nodiscard]] bool wait(std::chrono::milliseconds most) const { return window_.wait(length_, most); }

private:
    ByteWindow window_;
    std::uint64_t line_ = 0;
    std::size_t length_ = 0;  // of the line of the last call, its end too
};

/// Cells are strings as they are meant, numbers as they are written, true and false; a key that is null or not there is
/// an empty cell. Keys that are no columns are passed over.
class JsonLines final : public Records {
public:
    /// Takes the columns from the first lines of `preview`, which is the same file, and from the others where they are
    /// asked for; or else keeps the first lines, of `most_kept_bytes` and a line, until they are read.
    JsonLines(ByteWindow window, std::optional<ByteWindow> preview);

    const std::vector<std::string>& header() const noexcept override { return header_; }
    Found next(std::vector<std::string_view>& cells, std::string& why) override;
    void find_all_columns(const std::function<void(double)>& progress) override;
    void expect(std::span<const std::string> names) override;
    void provide(std::span<const std::string> names) override;
    std::vector<std::string> unmet_columns() const override;
    std::uint64_t line() const noexcept override { return line_; }
    const ByteWindow& window() const noexcept override { return lines_.window(); }
    bool wait(std::chrono::milliseconds most) const override { return !ahead_.empty() || lines_.wait(most); }

private:
    /// The range of a cell in `text_`, and the row that has it.
    struct Extent {
        std::size_t first, last;
        std::uint64_t row;
    };
    /// A line that was read for its keys, and its number.
    struct KeptLine {
        std::string text;
        std::uint64_t number;
    };
    void find_first_columns();
    [[nodiscard]] std::string add_columns(std::string_view line);
    void add_column(std::string key);
    [[nodiscard]] std::optional<std::string_view> next_line();
    [[nodiscard]] std::string take_member(std::string_view key, std::string_view value);
    [[nodiscard]] std::optional<std::size_t> column_of(std::string_view key);

    LineScanner lines_;
    std::optional<LineScanner> preview_;  // lines of the same file that were not looked at for their keys
    std::deque<KeptLine> ahead_;          // of a pipe: lines that were read for their keys, and are no rows yet
    std::string current_;                 // the row's line, where it was one of these
    std::uint64_t line_ = 0;              // number of the line of the last call
    bool knows_all_keys_ = false;         // whether all lines were looked at for their keys
    std::vector<std::string> header_;
    std::vector<std::size_t> unmet_;  // expected columns that no line had then
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> columns_;
    std::size_t expected_ = 0;  // the column of the next key, if keys come in the order of the columns
    std::uint64_t rows_ = 0;
    std::vector<Extent> extents_;  // by column
    std::string text_;             // of the current row's cells
};

}  // namespace fairstream::csv::detail
