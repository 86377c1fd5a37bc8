#pragma once
/// Cells that are none of their column's groups or levels, or not the answer that is yes.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairstream::files {

/// Counts such cells of one column, and keeps the first different ones.
struct UnlistedCells {
    enum class Of : std::uint8_t { levels, groups, answers };
    std::string column = {};
    Of of = Of::levels;
    /// Names what these cells are taken for: the group of points whose group is not known, or the answer 0; of
    /// levels empty.
    std::string taken_for = {};
    std::uint64_t cells = 0;
    /// The first few different ones, without blanks around them and cut to 100 bytes, and how many there are of each.
    std::vector<std::pair<std::string, std::uint64_t>> first = {};

    void add(std::string_view cell);
};

}  // namespace fairstream::files
