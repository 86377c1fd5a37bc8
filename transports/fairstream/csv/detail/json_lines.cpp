#include <fairstream/csv/detail/json_lines.hpp>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include <fairstream/base/types.hpp>
#include <fairstream/csv/shown.hpp>

namespace fairstream::csv::detail {

std::optional<std::string_view> LineScanner::next() {
    while (true) {
        window_.release(std::exchange(length_, 0));
        ++line_;
        const void* end = nullptr;
        while ((end = std::memchr(window_.data(), '\n', window_.size())) == nullptr)
            if (!window_.fill(line_) && window_.size() == 0) return std::nullopt;
        length_ = static_cast<std::size_t>(static_cast<const char*>(end) - window_.data()) + 1;
        const std::string_view line = window_.view().substr(0, length_ - 1);
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != std::string_view::npos) return line.substr(0, line.find_last_not_of(" \t\r") + 1);
    }
}

JsonLines::JsonLines(ByteWindow window, std::optional<ByteWindow> preview) : lines_(std::move(window)) {
    if (preview) preview_.emplace(std::move(*preview));
    find_first_columns();
    extents_.assign(header_.size(), {0, 0, 0});
}

/// Makes columns of the keys of the first lines.
void JsonLines::find_first_columns() {
    const bool keeps = !preview_;
    LineScanner& lines = keeps ? lines_ : *preview_;
    std::string first_wrong;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lines_of_columns; ++i) {
        if (kept > most_kept_bytes || (keeps && !header_.empty() && !lines.wait(longest_pause))) break;
        const std::optional<std::string_view> line = lines.next();
        if (!line) {
            preview_.reset();
            knows_all_keys_ = true;
            break;
        }
        const std::string wrong = add_columns(*line);
        if (!wrong.empty() && first_wrong.empty()) first_wrong = lines.window().at_line(lines.line(), wrong);
        if (!keeps) continue;
        ahead_.push_back({std::string(*line), lines.line()});
        kept += line->size();
    }
    // Lines that are wrong are met again as rows, unless there is nothing but these.
    if (header_.empty() && !first_wrong.empty()) throw InvalidInput(Reason::malformed, first_wrong);
    if (header_.empty())
        lines_.window().refuse(1, "the file is empty; a line with an object that has keys is required");
}

void JsonLines::find_all_columns(const std::function<void(double)>& progress) {
    if (!preview_) return;
    constexpr std::uint64_t lines_per_report = 8192;
    while (const std::optional<std::string_view> line = preview_->next()) {
        (void)add_columns(*line);  // what is wrong with a line is told where it is read as a row
        if (progress && preview_->line() % lines_per_report == 0) progress(preview_->window().progress());
    }
    preview_.reset();
    knows_all_keys_ = true;
    extents_.resize(header_.size(), {0, 0, 0});
}

/// Returns the next line, valid until the next call; nothing at the end of the file.
std::optional<std::string_view> JsonLines::next_line() {
    if (ahead_.empty()) {
        const std::optional<std::string_view> line = lines_.next();
        line_ = lines_.line();
        return line;
    }
    current_ = std::move(ahead_.front().text);
    line_ = ahead_.front().number;
    ahead_.pop_front();
    return current_;
}

/// Makes columns of the keys of a line that are none yet; of a line that is wrong, none.
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
    columns_.emplace(key, header_.size());
    header_.push_back(std::move(key));
}

void JsonLines::expect(std::span<const std::string> names) {
    const auto is_column = [&](const std::string& name) { return columns_.contains(name); };
    if (!std::ranges::all_of(names, is_column)) find_all_columns({});
    if (!knows_all_keys_) provide(names);
}

void JsonLines::provide(std::span<const std::string> names) {
    for (const std::string& name : names) {
        if (columns_.contains(name)) continue;
        unmet_.push_back(header_.size());
        add_column(name);
    }
    extents_.resize(header_.size(), {0, 0, 0});
}

std::vector<std::string> JsonLines::unmet_columns() const {
    std::vector<std::string> names;
    for (const std::size_t column : unmet_)
        if (extents_[column].row == 0) names.push_back(header_[column]);
    return names;
}

Found JsonLines::next(std::vector<std::string_view>& cells, std::string& why) {
    const std::optional<std::string_view> line = next_line();
    if (!line) return Found::end;
    ++rows_;
    expected_ = 0;
    text_.clear();
    why = read_object(*line, std::bind_front(&JsonLines::take_member, this));
    cells.assign(header_.size(), "");
    if (!why.empty()) return Found::bad_row;
    for (std::size_t column = 0; column < cells.size(); ++column) {
        const Extent& extent = extents_[column];
        if (extent.row == rows_)
            cells[column] = std::string_view(text_).substr(extent.first, extent.last - extent.first);
    }
    return Found::row;
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

}  // namespace fairstream::csv::detail
