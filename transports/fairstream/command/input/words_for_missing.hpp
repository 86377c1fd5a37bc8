#pragma once
/// Words that programs write for a missing value.

#include <algorithm>
#include <array>
#include <string_view>

namespace fairstream::command {

/// Says whether a text in small letters is such a word; those that files are read with are others
/// (`csv::is_missing_value`).
[[nodiscard]] inline bool is_word_for_missing(std::string_view small) {
    constexpr std::array<std::string_view, 8> words = {"none", "na", "nan", "nat", "null", "(null)", "nil", "missing"};
    return std::ranges::count(words, small) > 0;
}

}  // namespace fairstream::command
