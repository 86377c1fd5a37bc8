#pragma once
/// Lists of names as people write them, "sex,race". A name may be in double quotes, in which two quotes stand for one.

#include <string>
#include <string_view>
#include <vector>

namespace fairstream {

/// Removes a name from the front of a text and returns it: a quoted name, or the text up to the next of `ends`.
[[nodiscard]] inline std::string take_name(std::string_view& text, std::string_view ends) {
    std::string name;
    if (text.empty() || text.front() != '"') {
        name = text.substr(0, text.find_first_of(ends));
        text.remove_prefix(name.size());
        return name;
    }
    text.remove_prefix(1);
    while (!text.empty()) {
        const bool is_quote = text.front() == '"', is_double = is_quote && text.substr(1).starts_with('"');
        if (!is_quote || is_double) name += text.front();
        text.remove_prefix(is_double ? 2 : 1);
        if (is_quote && !is_double) break;
    }
    // Text after the closing quote belongs to the name, so that an unknown name is shown as it was given.
    const std::string_view rest = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(rest.size());
    return name.append(rest);
}

/// Returns a name as `read_names` reads it back: in double quotes if it has commas or begins with a quote.
[[nodiscard]] inline std::string written_name(std::string_view name) {
    if (name.find(',') == std::string_view::npos && !name.starts_with('"')) return std::string(name);
    std::string text = "\"";
    for (const char one : name) text.append(one == '"' ? 2 : 1, one);
    return text + '"';
}

/// Reads names separated by commas.
[[nodiscard]] inline std::vector<std::string> read_names(std::string_view text) {
    std::vector<std::string> names{take_name(text, ",")};
    while (!text.empty()) {
        text.remove_prefix(1);
        names.push_back(take_name(text, ","));
    }
    return names;
}

}  // namespace fairstream
