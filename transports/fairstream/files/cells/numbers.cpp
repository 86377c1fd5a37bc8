#include <fairstream/files/cells/numbers.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace fairstream::files {
namespace {

constexpr std::size_t longest_with_comma = 400;  // more digits than any double has

}  // namespace

bool is_missing_value(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 12> spellings = {"",     "NA",   "N/A",  "n/a",  "NaN", "nan",
                                                            "NULL", "null", "<NA>", "#N/A", "?",   "-"};
    return std::ranges::find(spellings, text) != spellings.end();
}

std::errc read_number(std::string_view text, DecimalMark mark, double& value) noexcept {
    std::array<char, longest_with_comma> with_point;
    if (const std::size_t comma = text.find(','); mark == DecimalMark::comma) {
        if (text.size() > with_point.size() || text.find('.') != std::string_view::npos)
            return std::errc::invalid_argument;
        std::ranges::copy(text, with_point.begin());
        if (comma != std::string_view::npos) with_point[comma] = '.';
        text = {with_point.data(), text.size()};
    }
    const char* first = text.data();
    const char* const last = first + text.size();
    // from_chars accepts no plus sign; "+-1" must stay refused.
    if (text.size() > 1 && *first == '+' && first[1] != '-') ++first;
    const auto [end, error] = std::from_chars(first, last, value);
    return error == std::errc() && end != last ? std::errc::invalid_argument : error;
}

bool may_have_thousands(std::string_view number) noexcept {
    constexpr std::size_t digits = 3;
    if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
    const std::size_t mark = number.find_first_of(".,");
    return mark >= 1 && mark <= digits && number.front() != '0' && number.size() == mark + 1 + digits &&
           number.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
}

}  // namespace fairstream::files
