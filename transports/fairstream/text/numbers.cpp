#include <fairstream/text/numbers.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace fairstream {

std::string counted(std::int64_t value) {
    std::string digits = std::to_string(value);
    const std::ptrdiff_t sign = value < 0 ? 1 : 0;
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > sign; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

std::string rate(double per_second) {
    constexpr std::array<const char*, 4> units = {"", " k", " M", " G"};
    std::size_t unit = 0;
    for (; per_second >= 999.5 && unit + 1 < units.size(); ++unit) per_second /= 1000;
    return fixed(per_second, per_second >= 99.95 || unit == 0 ? 0 : per_second >= 9.995 ? 1 : 2) + units[unit];
}

std::string fixed(double value, int digits) {
    if (!std::isfinite(value)) return std::isnan(value) ? "-" : value < 0 ? "-inf" : "inf";
    std::array<char, 352> text;  // the longest double has 309 digits before the point
    const int size = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    const std::string_view written(text.data(), static_cast<std::size_t>(size));
    const bool is_negative_zero = written.starts_with('-') && written.find_first_not_of("-0.") == written.npos;
    return std::string(written.substr(is_negative_zero ? 1 : 0));
}

std::string fixed_down(double value, int digits) {
    std::string text = fixed(value, digits);
    constexpr double rounding = 1e-12;  // relative rounding of the arithmetic behind a value
    if (std::isfinite(value) && std::strtod(text.c_str(), nullptr) > value + rounding * std::abs(value))
        text = fixed(value - 0.5 * std::pow(10, -digits), digits);
    return text;
}

std::string brief(double value) {
    if (!std::isfinite(value)) return fixed(value);
    std::array<char, 32> text;
    const int size = std::snprintf(text.data(), text.size(), "%.4g", value == 0 ? 0 : value);
    return {text.data(), static_cast<std::size_t>(size)};
}

std::string cost_text(double cost) {
    const double size = std::abs(cost);
    return (size >= 1e-2 && size < 1e12) || cost == 0 ? fixed(cost) : brief(cost);
}

std::string figure_text(double value, std::string_view unit) {
    if (unit == "count") return counted(static_cast<std::int64_t>(value));
    return unit == "share" ? fixed(100 * value, 1) + " %" : brief(value);
}

std::string words_of(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

}  // namespace fairstream
