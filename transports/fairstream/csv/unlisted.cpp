#include <fairstream/csv/unlisted.hpp>

#include <algorithm>

#include <fairstream/csv/reader.hpp>

namespace fairstream::csv {

void UnlistedCells::add(std::string_view cell) {
    constexpr std::size_t most_named = 5, longest = 100;
    ++cells;
    cell = cell.substr(0, longest);
    const auto same = std::ranges::find(first, cell, [](const auto& entry) { return std::string_view(entry.first); });
    if (same != first.end()) {
        ++same->second;
    } else if (first.size() < most_named) {
        first.emplace_back(cell, 1);
    }
}

std::string told_of(const UnlistedCells& unlisted) {
    const bool one = unlisted.cells == 1;
    std::string text = std::to_string(unlisted.cells) + (one ? " cell" : " cells") + " of column " +
                       shown(unlisted.column) + (one ? " is" : " are") + " none of its " +
                       (unlisted.are_groups ? "groups, and taken for " + shown(unlisted.group) : "levels") + ":";
    std::uint64_t named = 0;
    for (const auto& [cell, count] : unlisted.first) {
        text += (named > 0 ? ", " : " ") + shown(cell) + " (" + std::to_string(count) + ")";
        named += count;
    }
    return named < unlisted.cells ? text + ", ..." : text;
}

}  // namespace fairstream::csv
