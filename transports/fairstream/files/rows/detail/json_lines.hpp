#pragma once
/// Rows that are JSON objects, one on each line.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fairstream/files/cells/text_hash.hpp>
#include <fairstream/files/rows/detail/json_object.hpp>
#include <fairstream/files/rows/detail/records.hpp>

namespace fairstream::files::detail {

/// Number of first lines whose keys become columns; fewer lines if fewer are at hand.
inline constexpr std::size_t lines_of_columns = 1000;

/// Lines without their ends; empty and blank lines are skipped.
class LineScanner {
public:
    explicit LineScanner(ByteWindow window) : window_(std::move(window)) {}

    /// Returns the next line, valid until the next call; nothing at the end of the file.
    [[nodiscard]] std::optional<std::string_view> next();
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }  ///< line number of the last result
    [[nodiscard]] const ByteWindow& window() const noexcept { return window_; }
    /// Waits until the next line arrives or begins to arrive, but no longer than `most`; returns false otherwise.
    [[nodiscard]] bool wait(std::chrono::milliseconds most) const { return window_.wait(length_, most); }

private:
    ByteWindow window_;
    std::uint64_t line_ = 0;
    std::size_t length_ = 0;  // length of the last line, including its end
};

/// Cells are decoded strings, numbers as written, true and false. A null or missing key is an empty cell. Keys that are
/// not columns are ignored.
class JsonLines final : public Records {
public:
    /// Takes the columns from the lines at hand in the window.
    explicit JsonLines(ByteWindow window);

    const std::vector<std::string>& header() const noexcept override { return header_; }
    RowResult next(std::vector<std::string_view>& cells, std::string& why) override;
    bool may_have_more_columns() const override { return !knows_all_keys_; }
    void find_all_columns(ByteWindow whole, const std::function<void(double)>& progress) override;
    void provide(std::span<const std::string> names) override;
    std::vector<std::string> absent_columns() const override;
    std::uint64_t line() const noexcept override { return lines_.line(); }
    const ByteWindow& window() const noexcept override { return lines_.window(); }
    bool wait(std::chrono::milliseconds most) const override { return lines_.wait(most); }

private:
    /// The range of a cell in `text_`, and the row it belongs to.
    struct Extent {
        std::size_t first, last;
        std::uint64_t row;
    };
    [[nodiscard]] std::string add_columns(std::string_view line);
    void add_column(std::string key);
    [[nodiscard]] std::string take_member(std::string_view key, std::string_view value);
    [[nodiscard]] std::optional<std::size_t> column_of(std::string_view key);

    LineScanner lines_;
    bool knows_all_keys_ = false;  // whether the keys of all lines are known
    std::vector<std::string> header_;
    std::vector<std::size_t> absent_;  // provided columns that no line had so far
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> columns_;
    std::size_t expected_ = 0;  // column of the next key, if keys come in the columns' order
    std::uint64_t rows_ = 0;
    std::vector<Extent> extents_;  // by column
    std::string text_;             // text of the current row's cells
};

}  // namespace fairstream::files::detail
