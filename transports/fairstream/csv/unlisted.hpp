#pragma once
/// Cells that are none of their column's groups or levels.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairstream::csv {

/// Counts such cells of one column, and keeps the first different ones.
struct UnlistedCells {
    std::string column = {};
    bool are_groups = false;  ///< whether the column has groups, or otherwise levels
    std::string group = {};   ///< that of points whose group is not known, which these cells are taken for
    std::uint64_t cells = 0;
    /// The first few different ones, without blanks around them and cut to 100 bytes, and how many there are of each.
    std::vector<std::pair<std::string, std::uint64_t>> first = {};

    void add(std::string_view cell);
};

}  // namespace fairstream::csv
