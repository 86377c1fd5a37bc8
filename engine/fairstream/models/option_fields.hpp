#pragma once
/// How a model lists its options once, for reading, checking, printing and help alike. Private to the engine.
///
/// A model writes `template <class Self, class Visit> void visit_options(Self& options, Visit&& visit)`, one call
/// `visit(Number{...}, options.x)` or `visit(Choice{...}, options.y)` per option.

#include <charconv>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <fairstream/types.hpp>

namespace fairstream {

struct Number {
    std::string_view name;
    double low, high;  ///< both included
    bool live;
    std::string_view help;
};

struct Choice {
    std::string_view name;
    std::span<const std::string_view> names;  ///< by the enum's value
    bool live;
    std::string_view help;
};

/// A number as text: the shortest that reads back equal. Equal numbers give equal text: both zeros are "0".
template <class T> [[nodiscard]] std::string number_text(T value) {
    char buffer[64];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value == 0 ? T{} : value);
    return error == std::errc{} ? std::string(buffer, end) : std::string("?");
}

[[nodiscard]] inline std::string range_text(const Number& field) {
    // The largest 64-bit number is no double: a bound of 2^64 stands for it.
    const std::string high = field.high == 0x1p64 ? "18446744073709551615" : number_text(field.high);
    return number_text(field.low) + " to " + high;
}
[[nodiscard]] inline std::string range_text(const Choice& field) {
    std::string text;
    for (const std::string_view name : field.names) text += (text.empty() ? "" : "|") + std::string(name);
    return text;
}

template <class Field> [[noreturn]] void fail_option(const Field& field, std::string_view value) {
    throw InvalidInput(Reason::bad_option,
                       std::string(field.name) + " = " + std::string(value) + ": must be " + range_text(field));
}

/// A visitor of several cases.
template <class... F> struct Cases : F... { using F::operator()...; };
template <class... F> Cases(F...) -> Cases<F...>;

/// Throws `InvalidInput` (bad_option) for the first option outside its range.
template <class Options> void check_ranges(const Options& options) {
    visit_options(options, Cases{[](const Number& field, const auto& value) {
                                     const auto x = static_cast<double>(value);
                                     if (!(x >= field.low && x <= field.high)) fail_option(field, number_text(value));
                                 },
                                 [](const Choice& field, const auto& value) {
                                     if (static_cast<std::size_t>(value) >= field.names.size())
                                         fail_option(field, std::to_string(static_cast<int>(value)));
                                 }});
}

}  // namespace fairstream
