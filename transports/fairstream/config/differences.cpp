#include <algorithm>
#include <string_view>

#include <fairstream/config/config.hpp>

namespace fairstream::config {
namespace {

constexpr std::string_view options_section = "[model.options]";

/// A setting in a text by `write_toml`: `swaps = 16` of the model "fair" in [model.options].
struct Setting {
    std::string section;
    std::string owner;  // quoted name of the model, attribute or column; empty: none
    std::string line;

    [[nodiscard]] std::string text() const {
        return section.empty() ? line : section + (owner.empty() ? "" : " " + owner + ":") + " " + line;
    }
    [[nodiscard]] std::string key() const { return line.substr(0, line.find(" = ")); }
    [[nodiscard]] std::string value() const { return line.substr(std::min(line.size(), line.find(" = ") + 3)); }
    [[nodiscard]] bool names_same_setting(const Setting& other) const {
        return section == other.section && owner == other.owner && key() == other.key();
    }
    bool operator==(const Setting&) const = default;
};

std::vector<Setting> settings(std::string_view text) {
    constexpr std::string_view name = "name = ";
    std::vector<Setting> result;
    std::string section, owner;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        if (line.front() == '[') {
            section = line;
            if (line != options_section) owner.clear();
            continue;
        }
        if (section.starts_with("[[") && line.starts_with(name)) owner = std::string(line.substr(name.size()));
        result.push_back({section, owner, std::string(line)});
    }
    return result;
}

// Returns the beginning of a text that is too long to show, such as a network's.
std::string beginning(const std::string& text, std::size_t most_shown) {
    if (text.size() <= most_shown) return text;
    return text.substr(0, most_shown) + "... (" + std::to_string(text.size()) + " characters)";
}

std::string shown_value(const Setting& setting) {
    constexpr std::size_t most_shown = 60;
    return beginning(setting.value(), most_shown);
}

std::string without_quotes(const std::string& text) {
    const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return quoted ? text.substr(1, text.size() - 2) : text;
}

Difference difference_in(const Setting& setting) {
    const std::string owner = without_quotes(setting.owner);
    const bool is_option = setting.section == options_section;
    if (is_option || setting.section == "[[model]]") return {owner, setting.key(), "", "", is_option};
    std::string section = setting.section;
    std::erase_if(section, [](char c) { return c == '[' || c == ']'; });
    if (!section.empty()) section += (owner.empty() ? "" : " " + owner) + ".";
    return {"", section + setting.key(), "", "", false};
}

}  // namespace

std::vector<std::string> differences(const std::string& recorded, const std::string& given) {
    constexpr std::size_t most_shown = 200;
    const std::vector<Setting> left = settings(recorded), right = settings(given);
    std::vector<std::string> result;
    for (const Setting& setting : left)
        if (std::ranges::count(right, setting) == 0) result.push_back("- " + beginning(setting.text(), most_shown));
    for (const Setting& setting : right)
        if (std::ranges::count(left, setting) == 0) result.push_back("+ " + beginning(setting.text(), most_shown));
    if (result.empty() && recorded != given) result.emplace_back("! attributes or models in another order");
    return result;
}

std::vector<Difference> changed_settings(const std::string& recorded, const std::string& given) {
    const std::vector<Setting> left = settings(recorded), right = settings(given);
    const auto find = [](const std::vector<Setting>& in, const Setting& setting) {
        return std::ranges::find_if(in, [&](const Setting& other) { return other.names_same_setting(setting); });
    };
    std::vector<Difference> result;
    for (const Setting& setting : left) {
        const auto other = find(right, setting);
        if (other != right.end() && other->line == setting.line) continue;
        result.push_back(difference_in(setting));
        result.back().recorded = shown_value(setting);
        if (other != right.end()) result.back().given = shown_value(*other);
    }
    for (const Setting& setting : right) {
        if (find(left, setting) != left.end()) continue;
        result.push_back(difference_in(setting));
        result.back().given = shown_value(setting);
    }
    return result;
}

}  // namespace fairstream::config
