#include <algorithm>
#include <string_view>

#include <fairstream/config/config.hpp>

namespace fairstream::config {
namespace {

/// The settings of a text by `write_toml`, each line with its section in front: "[window] seed = 1". Sections that may
/// come several times are numbered.
std::vector<std::string> settings(std::string_view text) {
    std::vector<std::string> result;
    std::string section;
    int attributes = 0, models = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        if (line.front() != '[') {
            result.push_back(section + " " + std::string(line));
        } else if (line == "[[stream.attribute]]") {
            section = "[[stream.attribute]] " + std::to_string(++attributes) + ":";
        } else if (line == "[[model]]") {
            section = "[[model]] " + std::to_string(++models) + ":";
        } else {
            section = line == "[model.options]" ? "[model.options] " + std::to_string(models) + ":" : std::string(line);
        }
    }
    return result;
}

}  // namespace

std::vector<std::string> differences(const std::string& recorded, const std::string& given) {
    const std::vector<std::string> left = settings(recorded), right = settings(given);
    const auto contains = [](const std::vector<std::string>& lines, const std::string& line) {
        return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    std::vector<std::string> result;
    for (const std::string& line : left) {
        if (!contains(right, line)) result.push_back("- " + line);
    }
    for (const std::string& line : right) {
        if (!contains(left, line)) result.push_back("+ " + line);
    }
    return result;
}

}  // namespace fairstream::config
