#pragma once
/// Numbers and bars for a terminal.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace demo {

/// Returns 32561 as "32,561".
inline std::string counted(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

inline std::string fixed(double value, int digits) {
    std::array<char, 352> text;  // the longest double has 309 digits before the point
    return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*f", digits, value))};
}

/// Returns at least four digits of a nonnegative figure: "0.123", "12.34", "123.4", "12345".
inline std::string figure(double value) {
    return fixed(value, value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0);
}

/// Returns 0.0123 as "1.23 %".
inline std::string percent(double share) {
    return fixed(100 * share, 2) + " %";
}

/// Returns a rate as "812", "94 k", "3.4 M".
inline std::string rate(double per_second) {
    if (per_second < 1e3) return fixed(per_second, 0);
    if (per_second < 1e6) return fixed(per_second / 1e3, per_second < 1e4 ? 1 : 0) + " k";
    return fixed(per_second / 1e6, 1) + " M";
}

/// Returns a bar with a `share` of its `columns` filled, to an eighth of a column.
inline std::string bar(double share, int columns) {
    constexpr std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * columns * 8));
    std::string text;
    for (int i = 0; i < filled / 8; ++i) text += "█";
    if (filled % 8 != 0) text += eighths[static_cast<std::size_t>(filled % 8)];
    for (int i = (filled + 7) / 8; i < columns; ++i) text += "·";
    return text;
}

/// Returns `text` padded with blanks to |columns| columns: before it, or after it if `columns` is negative. `text` is
/// UTF-8 without wide characters.
inline std::string padded(const std::string& text, int columns) {
    const auto width = static_cast<int>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
    const std::string blanks(static_cast<std::size_t>(std::max(0, std::abs(columns) - width)), ' ');
    return columns < 0 ? text + blanks : blanks + text;
}

inline bool on_terminal() {
    return ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace demo
