#include <fairstream/text/table.hpp>

#include <algorithm>

namespace fairstream {
namespace {

std::string padded(std::string_view text, std::size_t columns, bool left) {
    const std::string blanks(columns - std::min(columns, width(text)), ' ');
    return left ? std::string(text) + blanks : blanks + std::string(text);
}

}  // namespace

std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view alignment) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = "  ";
        for (std::size_t i = 0; i < row.size(); ++i)
            line += (i ? "  " : "") + padded(row[i], widths[i], i < alignment.size() && alignment[i] == 'l');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace fairstream
