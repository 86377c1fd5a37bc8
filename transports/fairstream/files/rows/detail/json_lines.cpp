#include <fairstream/files/rows/detail/json_lines.hpp>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include <fairstream/base/types.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files::detail {
namespace {

std::string_view without_blanks(std::string_view line) {
    constexpr std::string_view blanks_and_cr = " \t\r";
    const std::size_t first = line.find_first_not_of(blanks_and_cr);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(blanks_and_cr) + 1 - first);
}

}  // namespace

std::optional<std::string_view> LineScanner::next() {
    while (true) {
        window_.release(std::exchange(length_, 0));
        ++line_;
        const void* end = nullptr;
        while ((end = std::memchr(window_.data(), '\n', window_.size())) == nullptr)
            if (!window_.fill(line_) && window_.size() == 0) return std::nullopt;
        length_ = static_cast<std::size_t>(static_cast<const char*>(end) - window_.data()) + 1;
        const std::string_view line = without_blanks(window_.view().substr(0, length_ - 1));
        if (!line.empty()) return line;
    }
}

JsonLines::JsonLines(ByteWindow window) : lines_(std::move(window)) {
    std::string first_wrong;
    std::string_view text = lines_.window().view();
    for (std::size_t lines = 0; lines < lines_of_columns && !text.empty(); ++lines) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = without_blanks(text.substr(0, end));
        const std::string wrong = line.empty() ? "" : add_columns(line);
        if (!wrong.empty() && first_wrong.empty()) first_wrong = lines_.window().at_line(lines + 1, wrong);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    knows_all_keys_ = text.empty() && lines_.window().has_ended();
    // Malformed lines are refused when they are read as rows. If no line is well formed, the first one is refused here.
    if (header_.empty() && !first_wrong.empty()) throw InvalidInput(Reason::malformed, first_wrong);
    if (header_.empty())
        lines_.window().refuse(1, "the file is empty; a line with an object that has keys is required");
}

void JsonLines::find_all_columns(ByteWindow whole, const std::function<void(double)>& progress) {
    constexpr std::uint64_t lines_per_report = 8192;
    LineScanner lines(std::move(whole));
    while (const std::optional<std::string_view> line = lines.next()) {
        (void)add_columns(*line);  // a malformed line is reported when it is read as a row
        if (progress && lines.line() % lines_per_report == 0) progress(lines.window().progress());
    }
    knows_all_keys_ = true;
}

/// Adds the new keys of a line as columns; a malformed line adds none.
std::string JsonLines::add_columns(std::string_view line) {
    std::vector<std::string> added;
    std::unordered_set<std::string> seen;
    std::string wrong = read_object(line, [&](std::string_view key, std::string_view) -> std::string {
        if (!seen.emplace(key).second) return "key " + shown(key) + " is repeated";
        if (!columns_.contains(key)) added.emplace_back(key);
        return {};
    });
    if (!wrong.empty()) return wrong;
    for (std::string& key : added) add_column(std::move(key));
    return {};
}

void JsonLines::add_column(std::string key) {
    header_.emplace_back(trimmed(key, '\0'));
    columns_.emplace(std::move(key), header_.size() - 1);
    extents_.push_back({0, 0, 0});
}

void JsonLines::provide(std::span<const std::string> names) {
    for (const std::string& name : names) {
        if (columns_.contains(name)) continue;
        absent_.push_back(header_.size());
        add_column(name);
    }
}

std::vector<std::string> JsonLines::absent_columns() const {
    std::vector<std::string> names;
    for (const std::size_t column : absent_)
        if (extents_[column].row == 0) names.push_back(header_[column]);
    return names;
}

RowResult JsonLines::next(std::vector<std::string_view>& cells, std::string& why) {
    const std::optional<std::string_view> line = lines_.next();
    if (!line) return RowResult::end;
    ++rows_;
    expected_ = 0;
    text_.clear();
    why = read_object(*line, std::bind_front(&JsonLines::take_member, this));
    cells.assign(header_.size(), "");
    if (!why.empty()) return RowResult::bad_row;
    for (std::size_t column = 0; column < cells.size(); ++column) {
        const Extent& extent = extents_[column];
        if (extent.row == rows_)
            cells[column] = std::string_view(text_).substr(extent.first, extent.last - extent.first);
    }
    return RowResult::row;
}

std::string JsonLines::take_member(std::string_view key, std::string_view value) {
    const std::optional<std::size_t> column = column_of(key);
    if (!column) return {};
    Extent& extent = extents_[*column];
    if (extent.row == rows_) return "key " + shown(key) + " is repeated";
    extent = {text_.size(), text_.size() + value.size(), rows_};
    text_ += value;
    expected_ = *column + 1;
    return {};
}

std::optional<std::size_t> JsonLines::column_of(std::string_view key) {
    if (expected_ < header_.size() && header_[expected_] == key) return expected_;
    const auto found = columns_.find(key);
    return found == columns_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace fairstream::files::detail
