#include <fairstream/csv/numbers.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace fairstream::csv {
namespace {

constexpr std::array<std::string_view, 5> signs{"%", "$", "€", "£", "¥"};
/// Codes of ISO 4217 that numbers are written with; other letters are codes of something else.
constexpr std::array<std::string_view, 25> currencies{"AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP",
                                                      "HKD", "HUF", "ILS", "INR", "JPY", "KRW", "MXN", "NOK", "NZD",
                                                      "PLN", "RUB", "SEK", "SGD", "TRY", "USD", "ZAR"};
/// Blanks, of which three do not break lines, the last as Latin-1 has it, and apostrophes.
constexpr std::array<std::string_view, 6> other_marks_of_thousands{" ", "\u00a0", "\u202f", "\xa0", "'", "’"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view without_blanks_around(std::string_view text) {
    constexpr std::size_t blanks = 4;  // the first of the marks
    for (std::size_t i = 0; i < blanks;) {
        const std::string_view blank = other_marks_of_thousands[i];
        const bool leads = text.starts_with(blank), trails = !leads && text.ends_with(blank);
        if (leads) text.remove_prefix(blank.size());
        if (trails) text.remove_suffix(blank.size());
        i = leads || trails ? 0 : i + 1;
    }
    return text;
}

/// Takes parentheses from around a text, and says whether there were some.
bool take_parentheses(std::string_view& text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
    text = without_blanks_around(text.substr(1, text.size() - 2));
    return true;
}

/// Takes a sign from the front of a text, or a minus from its end, and the blanks beside it.
std::string take_plus_or_minus(std::string_view& text) {
    constexpr std::string_view minus = "\u2212";
    const bool has_minus = text.starts_with(minus);
    if (has_minus || text.ends_with(minus) || text.ends_with('-')) {
        const std::size_t size = has_minus || text.ends_with(minus) ? minus.size() : 1;
        text = without_blanks_around(has_minus ? text.substr(size) : text.substr(0, text.size() - size));
        return "-";
    }
    if (!text.starts_with('+') && !text.starts_with('-')) return "";
    std::string sign(text.substr(0, 1));
    text = without_blanks_around(text.substr(1));
    return sign;
}

/// Replaces blanks and apostrophes by the mark of thousands; nothing where there are marks of two kinds.
std::optional<std::string> with_one_mark_of_thousands(std::string_view text, DecimalMark decimal) {
    const char mark = decimal == DecimalMark::comma ? '.' : ',';
    std::string_view kind(&mark, text.find(mark) == std::string_view::npos ? 0 : 1);
    std::string replaced(text);
    for (const std::string_view other : other_marks_of_thousands) {
        for (std::size_t at = 0; (at = replaced.find(other, at)) != std::string::npos; ++at) {
            if (!kind.empty() && kind != other) return std::nullopt;
            kind = other;
            replaced.replace(at, other.size(), 1, mark);
        }
    }
    return replaced;
}

/// Says whether a text is digits in groups, the last of three and those before it of three, or of two as in India; the
/// first may have fewer, but no zero in front.
bool has_groups(std::string_view text, char mark) {
    const std::size_t last = text.rfind(mark), before = last == std::string_view::npos ? 0 : text.rfind(mark, last - 1);
    const bool is_indian = mark == ',' && before != std::string_view::npos && before > 0 && last - before == 3;
    const std::size_t inner = is_indian ? 2 : 3;
    for (bool is_first = true;; is_first = false) {
        const std::size_t size = std::min(text.find(mark), text.size());
        const std::string_view group = text.substr(0, size);
        const std::size_t wanted = size == text.size() ? 3 : inner;
        if (is_first ? size < 1 || size > inner || group.front() == '0' : size != wanted) return false;
        if (!std::ranges::all_of(group, is_digit)) return false;
        if (size == text.size()) return true;
        text.remove_prefix(size + 1);
    }
}

/// Takes the code of a currency, such as EUR, and the blanks beside it from either end of a text with a digit.
std::string take_currency(std::string_view& text) {
    if (std::ranges::none_of(text, is_digit)) return "";
    for (const std::string_view code : currencies) {
        const bool leads = text.starts_with(code);
        if (!leads && !text.ends_with(code)) continue;
        leads ? text.remove_prefix(code.size()) : text.remove_suffix(code.size());
        text = without_blanks_around(text);
        return std::string(code);
    }
    return "";
}

}  // namespace

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
    if (whole.find(of_thousands) != std::string_view::npos && !has_groups(whole, of_thousands)) return std::nullopt;
    std::ranges::copy_if(whole, std::back_inserter(number), [&](char c) { return c != of_thousands; });
    if (rest.empty()) return number;
    rest.remove_prefix(1);
    if (rest.find_first_of(".,") != std::string_view::npos) return std::nullopt;
    return number + "." + std::string(rest);
}

std::optional<WrittenNumber> read_written(std::string_view text, DecimalMark mark) {
    WrittenNumber number;
    text = without_blanks_around(text);
    const bool is_negative = take_parentheses(text);
    std::string before = take_plus_or_minus(text);
    for (const std::string_view sign : signs) {
        const bool leads = text.starts_with(sign), trails = text.ends_with(sign);
        if (!leads && !trails) continue;
        if ((leads && trails) || !number.sign.empty()) return std::nullopt;
        number.sign = sign;
        leads ? text.remove_prefix(sign.size()) : text.remove_suffix(sign.size());
        text = without_blanks_around(text);
    }
    if (number.sign.empty()) number.sign = take_currency(text);
    if (before.empty()) before = take_plus_or_minus(text);
    const std::optional<std::string> grouped = with_one_mark_of_thousands(text, mark);
    std::optional<std::string> plain = grouped ? without_marks(*grouped, mark) : std::nullopt;
    const bool starts_with_digit = plain && !plain->empty() && (is_digit(plain->front()) || plain->front() == '.');
    if (!plain || (is_negative && !before.empty())) return std::nullopt;
    if (is_negative) before = "-";
    // Texts that are not digits, such as "nan" or "--5", take no sign and no parentheses.
    if (!starts_with_digit && (is_negative || !number.sign.empty() || !before.empty())) return std::nullopt;
    number.text = before + *plain;
    return number;
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
