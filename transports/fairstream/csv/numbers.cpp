#include <fairstream/csv/numbers.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace fairstream::csv {
namespace {

/// Says whether a text is digits in groups of three, the first of one to three and without a zero in front.
bool has_groups_of_three(std::string_view text, char mark) {
    for (bool is_first = true;; is_first = false) {
        const std::size_t size = std::min(text.find(mark), text.size());
        const std::string_view group = text.substr(0, size);
        if (is_first ? size < 1 || size > 3 || group.front() == '0' : size != 3) return false;
        if (!std::ranges::all_of(group, [](char c) { return c >= '0' && c <= '9'; })) return false;
        if (size == text.size()) return true;
        text.remove_prefix(size + 1);
    }
}

}  // namespace

std::optional<DecimalMark> find_decimal_mark(std::string_view name) noexcept {
    for (const DecimalMark mark : {DecimalMark::point, DecimalMark::comma})
        if (name == to_string(mark)) return mark;
    return std::nullopt;
}

std::string_view to_string(DecimalMark mark) noexcept {
    return mark == DecimalMark::found ? "found" : mark == DecimalMark::point ? "point" : "comma";
}

NumberMark mark_of_number(std::string_view text) noexcept {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    std::size_t marks = 0, digits = 0, first_digits = 0;  // digits: since the last mark
    char first_mark = '\0', last_mark = '\0';
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            ++digits;
            continue;
        }
        if ((c != ',' && c != '.') || digits == 0) return NumberMark::none;
        // Marks of thousands are alike, with three digits between them; the last mark may be the decimal one.
        if (marks > 0 && (digits != 3 || last_mark != first_mark)) return NumberMark::none;
        if (marks == 0) first_digits = digits, first_mark = c;
        last_mark = c;
        ++marks;
        digits = 0;
    }
    if (marks == 0 || digits == 0) return NumberMark::none;
    if (marks == 1) return last_mark == ',' ? NumberMark::comma : NumberMark::none;
    return first_digits <= 3 && (last_mark != first_mark || digits == 3) ? NumberMark::thousands : NumberMark::none;
}

std::optional<std::string> without_marks(std::string_view text, DecimalMark mark) {
    const char decimal = mark == DecimalMark::comma ? ',' : '.', of_thousands = mark == DecimalMark::comma ? '.' : ',';
    const std::size_t at = std::min(text.find(decimal), text.size());
    std::string_view whole = text.substr(0, at), rest = text.substr(at);
    std::string number;
    if (whole.starts_with('+') || whole.starts_with('-')) {
        number = whole.front();
        whole.remove_prefix(1);
    }
    if (whole.find(of_thousands) != std::string_view::npos && !has_groups_of_three(whole, of_thousands))
        return std::nullopt;
    std::ranges::copy_if(whole, std::back_inserter(number), [&](char c) { return c != of_thousands; });
    if (rest.empty()) return number;
    rest.remove_prefix(1);
    if (rest.find_first_of(".,") != std::string_view::npos) return std::nullopt;
    return number + "." + std::string(rest);
}

bool is_number_with_sign(std::string_view text) {
    constexpr std::array<std::string_view, 10> signs{" ", "'", "%", "$", "€", "£", "¥", "\u00a0", "\u202f", "’"};
    std::string bare(text);
    for (const std::string_view sign : signs)
        for (std::size_t at = 0; (at = bare.find(sign, at)) != std::string::npos;) bare.erase(at, sign.size());
    if (bare.size() == text.size()) return false;
    double value = 0;
    return read_number(bare, value) == std::errc() || mark_of_number(bare) != NumberMark::none;
}

std::errc read_number(std::string_view text, double& value) noexcept {
    const char* first = text.data();
    const char* const last = first + text.size();
    // from_chars knows no plus sign; "+-1" must stay refused.
    if (text.size() > 1 && *first == '+' && first[1] != '-') ++first;
    const auto [end, error] = std::from_chars(first, last, value);
    return error == std::errc() && end != last ? std::errc::invalid_argument : error;
}

}  // namespace fairstream::csv
