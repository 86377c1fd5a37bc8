#pragma once
/// Options that name pairs of points.

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream {

/// Pairs of points' ids. As text "3:17,4:5", or "none".
struct IdPairs {
    std::vector<std::pair<PointId, PointId>> pairs;
    bool operator==(const IdPairs&) const = default;
};

inline constexpr std::size_t id_pair_limit = 1000;
/// Valid texts, in words.
inline constexpr std::string_view id_pair_range = "pairs of different ids, such as 3:17,4:5, at most 1000, or none";

[[nodiscard]] inline std::string option_text(const IdPairs& value) {
    std::string text;
    for (const auto& [a, b] : value.pairs) text += (text.empty() ? "" : ",") + number_text(a) + ":" + number_text(b);
    return text.empty() ? "none" : text;
}

/// Reads a text that `option_text` writes; returns false for any other text, and for a pair of a point with itself.
[[nodiscard]] inline bool read_option_text(std::string_view text, IdPairs& value) {
    IdPairs read;
    const auto read_id = [](std::string_view digits, PointId& id) {
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
        return error == std::errc{} && end == digits.data() + digits.size() && id != no_point;
    };
    for (std::size_t from = 0; text != "none" && from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string_view pair = text.substr(from, comma - from);
        const std::size_t colon = std::min(pair.find(':'), pair.size());
        auto& [a, b] = read.pairs.emplace_back();
        if (colon == pair.size() || !read_id(pair.substr(0, colon), a) || !read_id(pair.substr(colon + 1), b) ||
            a == b || read.pairs.size() > id_pair_limit)
            return false;
        from = comma + 1;
    }
    value = std::move(read);
    return true;
}

}  // namespace fairstream
