#include <fairstream/files/cells/shown.hpp>

#include <algorithm>
#include <span>

#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>

namespace fairstream::files {

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 40;
    return "'" + printable(text.substr(0, longest)) + (text.size() > longest ? "...'" : "'");
}

std::string first_few(const std::vector<std::string>& texts, std::size_t most, std::string_view comma) {
    std::string list;
    for (const std::string& text : std::span(texts).first(std::min(texts.size(), most)))
        list.append(list.empty() ? "" : comma).append(text);
    return texts.size() > most ? list.append(comma).append("...") : list;
}

std::string first_shown(const std::vector<std::string>& texts, std::size_t most) {
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back(shown(text));
    return first_few(quoted, most);
}

bool is_utf8(const std::string& text) {
    try {
        (void)nlohmann::json(text).dump();
        return true;
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

}  // namespace fairstream::files
