#pragma once
/// Rows of cells between separators, after RFC 4180.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/files/rows/detail/records.hpp>
#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files::detail {

class DelimitedText final : public Records {
public:
    /// Begins after the header, or before the first row, of a text of this shape.
    DelimitedText(ByteWindow window, const Shape& shape);

    const std::vector<std::string>& header() const noexcept override { return header_; }
    RowResult next(std::vector<std::string_view>& cells, std::string& why) override;
    std::uint64_t line() const noexcept override { return line_; }
    const ByteWindow& window() const noexcept override { return window_; }
    bool wait(std::chrono::milliseconds most) const override { return has_record_ || window_.wait(length_, most); }

private:
    /// The range of a cell in the window, quotes excluded.
    struct Extent {
        std::size_t first, last;
        bool has_quotes;  // doubled or escaped quotes, not yet reduced to one
    };

    void pass_over_lines(std::uint64_t count);
    /// Returns whether a byte within quotes is a backslash that escapes a quote or another backslash.
    [[nodiscard]] bool escapes(const char* at) const noexcept {
        return has_escapes_ && *at == '\\' && (at[1] == quote_mark_ || at[1] == '\\');
    }
    [[nodiscard]] bool separates(char byte) const noexcept {
        return byte == separator_ || (separator_ == blanks && byte == '\t');
    }
    void pass_blanks(std::size_t& at) const;
    bool read_record();
    bool read_row();
    void pass_over_fault();
    void find_fault(std::size_t quote, std::uint64_t line, std::string what);
    bool scan_record();
    bool scan_quoted(std::size_t& at);
    bool scan_plain(std::size_t& at);
    std::string_view text(const Extent& extent);
    void take_cells(std::vector<std::string_view>& cells);
    [[nodiscard]] bool is_blank() const noexcept;
    RowResult next_after_blank(std::vector<std::string_view>& cells, std::string& why);
    RowResult blank_row(std::vector<std::string_view>& cells, std::string& why);
    RowResult found_row(std::vector<std::string_view>& cells, std::string& why);
    [[nodiscard]] std::string other_width_text(std::size_t cells) const;
    [[nodiscard]] bool is_header(const std::vector<std::string_view>& cells) const;

    ByteWindow window_;
    char separator_, quote_mark_;
    bool has_comments_;                // lines that begin with %
    bool has_escapes_;                 // as in `Shape`
    std::array<bool, 256> special_{};  // which bytes end or forbid an unquoted cell
    std::uint64_t line_ = 0;
    std::uint64_t record_line_ = 0;  // line of the last record
    std::uint64_t next_line_ = 1;
    std::uint64_t line_feeds_ = 0;    // inside the quoted cells of the record being scanned
    std::deque<std::size_t> blanks_;  // widths of the pending lines without a value before the record
    bool has_record_ = false;         // the last record is still to be returned
    std::size_t length_ = 0;          // bytes of the last record, including its line end
    std::size_t quote_ = 0;           // position in the window of the last opening quote
    std::uint64_t quote_line_ = 0;    // line of that quote
    bool in_quotes_ = false;          // whether the window ends inside that quoted cell
    std::string fault_;               // fault of a quote in the last record; empty: none
    std::uint64_t fault_line_ = 0;    // line of the faulty quote
    std::string_view after_fault_;    // rest of the line from that quote on
    std::vector<Extent> extents_;
    std::vector<std::string> header_;
    std::vector<std::string> header_cells_;  // as written; empty: no header
    std::size_t width_, spare_cells_;        // cells of a row, and empty cells that may follow
};

}  // namespace fairstream::files::detail
