#include <fairstream/files/columns/unlisted.hpp>

#include <algorithm>

namespace fairstream::files {

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

}  // namespace fairstream::files
