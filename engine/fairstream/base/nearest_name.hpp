#pragma once
/// Suggestions for misspelt names, for errors about unknown names.

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairstream {

/// Returns the least number of edits that turn one text into the other (optimal string alignment distance). An edit
/// inserts, deletes or replaces a letter, or swaps it with the next. Case does not matter.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    // Distances from a prefix of `a` to each prefix of `b`. `row` is for the letters of `a` so far, `above` for one
    // letter less, `above_it` for two letters less.
    std::vector<std::size_t> row(b.size() + 1), above(row), above_it(row);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::swap(above_it, above);
        std::swap(above, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = above[j] + (small(a[i]) == small(b[j]) ? 0 : 1);
            row[j + 1] = std::min({replaced, above[j + 1] + 1, row[j] + 1});
            if (i > 0 && j > 0 && small(a[i]) == small(b[j - 1]) && small(a[i - 1]) == small(b[j]))
                row[j + 1] = std::min(row[j + 1], above_it[j - 1] + 1);
        }
    }
    return row.back();
}

/// Returns the known name that is nearest to `name`; of equally near names the first. If the distance is above two
/// edits, or above half the length of `name`, returns the first known name that continues it with another word, as
/// "balance_at_least" continues "balance"; otherwise nothing.
template <class Names> [[nodiscard]] std::string_view nearest_name(std::string_view name, const Names& known) {
    constexpr std::size_t most = 2, longest = 200;
    std::string_view nearest;
    std::size_t least = std::min(most, name.size() / 2) + 1;
    if (name.size() > longest) return nearest;
    for (const auto& each : known) {
        const std::string_view other = each;
        if (other.size() > name.size() + most) continue;
        if (const std::size_t distance = edit_distance(name, other); distance < least) {
            least = distance;
            nearest = other;
        }
    }
    if (!nearest.empty() || name.empty()) return nearest;
    for (const auto& each : known) {
        const std::string_view other = each;
        if (other.size() > name.size() && other.starts_with(name) &&
            (other[name.size()] == '_' || other[name.size()] == '-'))
            return other;
    }
    return nearest;
}

/// Returns " (did you mean 'sex'?)", or nothing if no known name is near.
template <class Names> [[nodiscard]] std::string did_you_mean(std::string_view name, const Names& known) {
    const std::string_view nearest = nearest_name(name, known);
    return nearest.empty() ? "" : " (did you mean '" + std::string(nearest) + "'?)";
}

/// Returns "no option 'startz' (did you mean 'starts'?): known are clusters, starts".
template <class Names>
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name, const Names& known) {
    std::string all;
    for (const auto& each : known) all += (all.empty() ? "" : ", ") + std::string(each);
    return "no " + std::string(what) + " '" + std::string(name) + "'" + did_you_mean(name, known) + ": known are " +
           all;
}

}  // namespace fairstream
