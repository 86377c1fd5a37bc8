#include <fairstream/input/by_column.hpp>

#include <algorithm>

#include <fairstream/base/name_list.hpp>
#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/files/cells/csv_cell.hpp>

namespace fairstream::files {

std::string names_text(const std::vector<std::string>& names) {
    std::vector<std::string> texts;
    for (const std::string& name : names) {
        std::string text = csv_cell(name);
        texts.push_back(text == name && name.find('=') != std::string::npos ? '"' + name + '"' : std::move(text));
    }
    return with_commas(texts);
}

namespace {

/// Returns the position of the comma in "mean,hours=drop" after which a new list of columns with its value begins; the
/// end if there is none.
std::size_t start_of_next(std::string_view value, const std::vector<std::string>& columns) {
    for (std::size_t at = value.find(','); at != std::string_view::npos; at = value.find(',', at + 1)) {
        std::string_view rest = value.substr(at + 1);
        if (rest.find('=') != std::string_view::npos && std::ranges::count(columns, take_name(rest, ",=")) > 0)
            return at;
    }
    return value.size();
}

}  // namespace

ByColumn::ByColumn(std::string option, const std::vector<std::string>& texts, const std::vector<std::string>& columns,
                   std::map<std::string, std::string> excluded)
    : option_(std::move(option)), excluded_(std::move(excluded)) {
    for (const std::string& text : texts) read(text, columns);
}

void ByColumn::read(std::string_view text, const std::vector<std::string>& columns) {
    // Looks for the longest name of a column before an equals sign; if there is none, for a list of names.
    std::size_t equals = std::string_view::npos;
    std::string_view rest = text;
    std::vector<std::string> names;
    for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1))
        if (std::ranges::count(columns, text.substr(0, at)) > 0) equals = at;
    if (equals != std::string_view::npos) {
        names.emplace_back(text.substr(0, equals));
        rest = text.substr(equals);
    } else {
        for (bool more = true; more; more = !rest.empty() && rest.front() == ',') {
            if (!names.empty()) rest.remove_prefix(1);
            names.push_back(take_name(rest, ",="));
        }
    }
    if (rest.empty()) {
        if (others_ && *others_ != text)
            throw InvalidInput(Reason::bad_option,
                               option_ + ": gives two values, " + *others_ + " and " + std::string(text));
        others_ = text;
        return;
    }
    rest.remove_prefix(1);
    // In "age=mean,hours=drop", a comma starts another list if names of columns follow it.
    const std::size_t next = start_of_next(rest, columns);
    for (const std::string& name : names) add(name, std::string(rest.substr(0, next)), columns);
    if (next < rest.size()) read(rest.substr(next + 1), columns);
}

void ByColumn::add(const std::string& column, const std::string& value, const std::vector<std::string>& columns) {
    const bool is_read = std::ranges::count(columns, column) > 0;
    if (const auto reason = excluded_.find(column); !is_read && reason != excluded_.end())
        throw InvalidInput(Reason::bad_option, option_ + ": '" + column + "' " + reason->second);
    if (!is_read)
        throw InvalidInput(Reason::bad_option, option_ + ": '" + column + "'" + did_you_mean(column, columns) +
                                                   " is not one of the columns that are read: " + with_commas(columns));
    const auto [there, is_new] = values_.emplace(column, value);
    if (!is_new && there->second != value)
        throw InvalidInput(Reason::bad_option,
                           option_ + ": gives column '" + column + "' two values, " + there->second + " and " + value);
}

std::optional<std::string> ByColumn::named(const std::string& column) const {
    const auto found = values_.find(column);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> ByColumn::of(const std::string& column) const {
    const std::optional<std::string> own = named(column);
    return own ? own : others_;
}

std::string with_commas(const std::vector<std::string>& names, std::string_view comma) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : std::string(comma)) + name;
    return text;
}

}  // namespace fairstream::files
