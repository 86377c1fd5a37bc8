#pragma once
/// Rows of cells between separators, after RFC 4180.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/csv/detail/records.hpp>
#include <fairstream/csv/remedies.hpp>

namespace fairstream::csv::detail {

/// Names the command that leaves lines of comments out of a file of this name, for error texts.
[[nodiscard]] inline std::string without_comments(std::string_view file) {
    return "; if lines that begin with # are comments: " + edited_by("grep -v '^#'", file);
}

class DelimitedText final : public Records {
public:
    /// Reads the header, and takes for the separator which of , ; tab | is most often in it outside quotes, the first
    /// of these among equals. Of several that are in it, those come first that are in the next line as often.
    explicit DelimitedText(ByteWindow window);

    [[nodiscard]] char separator() const noexcept { return separator_; }
    const std::vector<std::string>& header() const noexcept override { return header_; }
    Found next(std::vector<std::string_view>& cells, std::string& why) override;
    std::uint64_t line() const noexcept override { return line_; }
    const ByteWindow& window() const noexcept override { return window_; }
    bool wait(std::chrono::milliseconds most) const override { return has_record_ || window_.wait(length_, most); }

private:
    using SeparatorCounts = std::array<std::size_t, 4>;
    /// The range of a cell in the window, quotes excluded.
    struct Extent {
        std::size_t first, last;
        bool has_quotes;  // doubled ones, still to be halved
    };

    bool take_separator_line();
    void set_separator(std::size_t chosen);
    SeparatorCounts count_separators(std::size_t& at);
    void find_separator();
    bool read_record();
    void pass_over_fault();
    void find_fault(std::size_t quote, std::uint64_t line, std::string what);
    bool scan_record();
    bool scan_quoted(std::size_t& at);
    bool scan_plain(std::size_t& at);
    std::string_view text(const Extent& extent);
    void take_cells(std::vector<std::string_view>& cells);
    [[nodiscard]] bool is_blank() const noexcept;
    Found next_after_blank(std::vector<std::string_view>& cells, std::string& why);
    Found blank_row(std::vector<std::string_view>& cells, std::string& why);
    Found found_row(std::vector<std::string_view>& cells, std::string& why);
    [[nodiscard]] std::string other_width_text(std::size_t cells) const;
    [[nodiscard]] std::string without_blanks() const;
    [[nodiscard]] std::string without_quotes() const;
    [[nodiscard]] std::string without_backslashes() const;

    ByteWindow window_;
    char separator_ = ',';
    const bool* special_ = nullptr;  // 256: which bytes end or forbid an unquoted cell
    std::uint64_t line_ = 0;
    std::uint64_t record_line_ = 0;  // of the record read last
    std::uint64_t next_line_ = 1;
    std::uint64_t line_feeds_ = 0;    // inside the quoted cells of the record being scanned
    std::deque<std::size_t> blanks_;  // cells of the lines without a value before it that are still to be given
    bool has_record_ = false;         // the record read last is still to be given
    std::size_t length_ = 0;          // bytes of the record read last, its line end too
    std::size_t quote_ = 0;           // place in the window of the opening quote that was scanned last
    std::uint64_t quote_line_ = 0;    // its line
    bool in_quotes_ = false;          // whether the window ends within the cell that it opens
    std::string fault_;               // what is wrong with a quote of the record read last; empty: nothing
    std::uint64_t fault_line_ = 0;    // line of that quote
    std::string_view after_fault_;    // the rest of that line, from the quote on
    std::vector<Extent> extents_;
    std::vector<std::string> header_;
    bool begins_with_comment_ = false;  // whether the header's first name begins with #
    std::size_t width_ = 0;             // cells of a row: those of the header, and empty ones at its end without a name
};

}  // namespace fairstream::csv::detail
