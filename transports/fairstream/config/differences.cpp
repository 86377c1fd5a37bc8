#include <algorithm>
#include <string_view>

#include <fairstream/config/config.hpp>

namespace fairstream::config {
namespace {

/// The settings of a text by `write_toml`, each line with its section in front, and with the name of what the section
/// describes where there may be several: "[window] seed = 1", "[model.options] \"fair\": swaps = 16".
std::vector<std::string> settings(std::string_view text) {
    constexpr std::string_view name = "name = ";
    std::vector<std::string> result;
    std::string section, owner;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        if (line.front() == '[') {
            section = line;
            if (line != "[model.options]") owner.clear();
            continue;
        }
        if (section.starts_with("[[") && line.starts_with(name)) owner = std::string(line.substr(name.size()));
        result.push_back(section + (owner.empty() ? "" : " " + owner + ":") + " " + std::string(line));
    }
    return result;
}

// Returns the beginning of a line that is too long for people, such as one with a network.
std::string shortened(const std::string& line) {
    constexpr std::size_t most_shown = 200;
    if (line.size() <= most_shown) return line;
    return line.substr(0, most_shown) + "... (" + std::to_string(line.size()) + " characters)";
}

}  // namespace

std::vector<std::string> differences(const std::string& recorded, const std::string& given) {
    const std::vector<std::string> left = settings(recorded), right = settings(given);
    const auto contains = [](const std::vector<std::string>& lines, const std::string& line) {
        return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    std::vector<std::string> result;
    for (const std::string& line : left) {
        if (!contains(right, line)) result.push_back("- " + shortened(line));
    }
    for (const std::string& line : right) {
        if (!contains(left, line)) result.push_back("+ " + shortened(line));
    }
    if (result.empty() && recorded != given) result.push_back("! attributes or models in another order");
    return result;
}

}  // namespace fairstream::config
