#include <fairstream/config/duration.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace fairstream::config {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t microseconds;
};

constexpr std::array<Unit, 6> units{
    {{"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1}}};
constexpr std::int64_t longest = std::int64_t{1} << 52;

}  // namespace

std::optional<std::int64_t> read_duration(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::int64_t total = 0;
    std::size_t next_unit = 0;
    while (!text.empty()) {
        std::int64_t count = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (error != std::errc() || count < 0 || text.front() == '-') return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const std::string_view name = text.substr(0, std::min(text.find_first_of("0123456789"), text.size()));
        while (next_unit < units.size() && units[next_unit].name != name) ++next_unit;
        if (next_unit == units.size()) return std::nullopt;
        const std::int64_t unit = units[next_unit++].microseconds;
        if (count > (longest - total) / unit) return std::nullopt;
        total += count * unit;
        text.remove_prefix(name.size());
    }
    return total;
}

std::string duration_text(std::int64_t microseconds) {
    std::string text;
    for (const Unit& unit : units) {
        if (const std::int64_t count = microseconds / unit.microseconds; count > 0)
            text += std::to_string(count) + std::string(unit.name);
        microseconds %= unit.microseconds;
    }
    return text.empty() ? "0us" : text;
}

}  // namespace fairstream::config
