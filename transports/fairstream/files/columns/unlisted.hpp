#pragma once
/// Cells that are no group or level of their column, or not the answer yes.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairstream::files {

/// Counts the cells of one column that are no level or group, or not the answer yes, and keeps the first distinct ones.
struct UnlistedCells {
    enum class Kind : std::uint8_t { levels, groups, answers };
    std::string column = {};
    Kind kind = Kind::levels;
    /// What these cells are taken for: the name of the unknown group, or the answer 0; empty for levels.
    std::string taken_for = {};
    std::uint64_t cells = 0;
    /// The first few distinct cells, without blanks around them and cut to 100 bytes, with their counts.
    std::vector<std::pair<std::string, std::uint64_t>> first = {};

    void add(std::string_view cell);
};

}  // namespace fairstream::files
