#pragma once
/// Declaration of a model's options, written once for reading, checking, printing and help.
///
/// A model writes `template <class Self, class Visit> void visit_options(Self& options, Visit&& visit)`, one call
/// `visit(Number{...}, options.x)`, `visit(Choice{...}, options.y)` or `visit(Written{...}, options.z)` per option.

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/one_or_more.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream {

/// The input that an option needs to have an effect; each value also needs the input of the values before it.
enum class OptionScope : std::uint8_t {
    anywhere,
    points,  ///< points; a given graph is not enough
    steps,   ///< successive steps, as on a stream
};

/// When an option has an effect.
struct Effect {
    /// The values that other options must have, as `list_options` shows them: "affinity=rbf|dense or edge_weights=rbf".
    /// One of the clauses must hold. Empty: any values.
    std::string_view only_with = {};
    OptionScope scope = OptionScope::anywhere;
    bool needs_targets = false;
    bool of_paper = false;  ///< only for experiments of the model's paper: help lists it last
};

/// Return a field whose option has an effect only if other options have these values, or with this input.
template <class Field> [[nodiscard]] constexpr Field only_with(std::string_view others, Field field) {
    field.effect.only_with = others;
    return field;
}
template <class Field> [[nodiscard]] constexpr Field only_for(OptionScope scope, Field field) {
    field.effect.scope = scope;
    return field;
}
/// Returns a field whose option has an effect only on streams with targets.
template <class Field> [[nodiscard]] constexpr Field with_targets(Field field) {
    field.effect.needs_targets = true;
    return field;
}

/// Returns a field whose option only reproduces experiments of the model's paper.
template <class Field> [[nodiscard]] constexpr Field of_paper(Field field) {
    field.effect.of_paper = true;
    return field;
}

struct Number {
    std::string_view name;
    double low, high;  ///< both included
    bool live;
    std::string_view help;
    /// Set for an option that was added later: the value that texts without the option mean. That value is not written.
    std::optional<double> when_missing = std::nullopt;
    std::string_view automatic = {};   ///< word for a value that the model chooses, stored as -1
    std::string_view automatic2 = {};  ///< word for a second way to let the model choose, stored as -2
    /// The option's name in recordings and checkpoints, if it was renamed since; texts may use either name.
    std::string_view recorded = {};
    Effect effect = {};
    bool single = false;  ///< whether a list may have one value only

    /// Returns the word for a stored value; empty if the value is a number.
    [[nodiscard]] constexpr std::string_view word(double value) const {
        return value == left_to_model ? automatic : value == left_to_model - 1 ? automatic2 : std::string_view{};
    }
    /// Returns the stored value of a word; empty if there is no such word.
    [[nodiscard]] constexpr std::optional<double> value_of(std::string_view text) const {
        if (text.empty()) return std::nullopt;
        if (text == automatic) return left_to_model;
        if (text == automatic2) return left_to_model - 1;
        return std::nullopt;
    }
    /// The stored value that `automatic` stands for.
    static constexpr double left_to_model = -1;
};

struct Choice {
    std::string_view name;
    std::span<const std::string_view> names;  ///< by the enum's value
    bool live;
    std::string_view help;
    std::string_view recorded = {};  ///< as in `Number`
    Effect effect = {};
};

/// An option whose type defines its own text: `option_text(value)` and `read_option_text(text, value)`, which returns
/// false for an invalid text, are declared beside the type.
struct Written {
    std::string_view name;
    bool live;
    std::string_view help;
    std::string_view range;          ///< valid texts, in words
    bool several = false;            ///< whether it may be a list: `option_text` has commas
    bool from_file = false;          ///< whether people give it as a file, because it is long
    std::string_view recorded = {};  ///< as in `Number`
    Effect effect = {};
};

template <class T> [[nodiscard]] std::string number_text(const OneOrMore<T>& values) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : ",") + number_text(value);
    return text;
}

/// Returns the value as `read_number` reads it.
template <class T> [[nodiscard]] std::string value_text(const Number& field, const T& value) {
    const std::string_view word = field.word(static_cast<double>(value));
    return word.empty() ? number_text(value) : std::string(word);
}
template <class T> [[nodiscard]] std::string value_text(const Number& field, const OneOrMore<T>& values) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : ",") + value_text(field, value);
    return text;
}

template <class T> inline constexpr bool is_list = false;
template <class T> inline constexpr bool is_list<OneOrMore<T>> = true;

template <class T> [[nodiscard]] bool in_range(const Number& field, T value) {
    const auto x = static_cast<double>(value);
    return (x >= field.low && x <= field.high) || !field.word(x).empty();
}
template <class T> [[nodiscard]] bool in_range(const Number& field, const OneOrMore<T>& values) {
    return std::ranges::all_of(values, [&](T value) { return in_range(field, value); });
}

/// Reads a number; returns false unless the whole `text` is a number within the field's range.
template <class T> [[nodiscard]] bool read_number(const Number& field, std::string_view text, T& value) {
    if (const std::optional<double> stored = field.value_of(text)) {
        value = static_cast<T>(*stored);
        return true;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= static_cast<T>(field.low) &&
           in_range(field, value);
}
template <class T> [[nodiscard]] bool read_number(const Number& field, std::string_view text, OneOrMore<T>& values) {
    std::vector<T> read;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (!read_number(field, text.substr(from, comma - from), read.emplace_back())) return false;
        from = comma + 1;
    }
    values = OneOrMore<T>(std::move(read));
    return true;
}

[[nodiscard]] inline std::string range_text(const Number& field) {
    // 2^64 - 1 has no exact double; a bound of 2^64 stands for it.
    const std::string high = field.high == 0x1p64 ? "18446744073709551615" : number_text(field.high);
    return number_text(field.low) + " to " + high +
           (field.automatic.empty() ? "" : " or " + std::string(field.automatic)) +
           (field.automatic2.empty() ? "" : " or " + std::string(field.automatic2));
}
[[nodiscard]] inline std::string range_text(const Choice& field) {
    std::string text;
    for (const std::string_view name : field.names) text += (text.empty() ? "" : "|") + std::string(name);
    return text;
}

[[nodiscard]] inline std::string range_text(const Written& field) {
    return std::string(field.range);
}

/// Text before the range in messages about a value stored as a `T`.
template <class T> inline constexpr std::string_view kind_text = std::is_integral_v<T> ? "an integer, " : "";
template <class T> inline constexpr std::string_view kind_text<OneOrMore<T>> =
    std::is_integral_v<T> ? "integers, " : "";

/// Returns "a number, " if the option stores real numbers and the text is no number; otherwise an empty text.
template <class Value, class Field>
[[nodiscard]] std::string_view real_text(const Field& field, std::string_view value) {
    if constexpr (!std::is_same_v<Value, double> && !std::is_same_v<Value, OneOrMore<double>>) return "";
    if constexpr (requires { field.automatic; })
        if (!field.automatic.empty()) return "";  // the range names the word
    double number = 0;
    const bool is_none = std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc();
    return is_none ? "a number, " : "";
}

/// Throws `InvalidInput` (bad_option) with the range of an option that is stored as a `Value`.
template <class Value, class Field> [[noreturn]] void fail_option(const Field& field, std::string_view value) {
    constexpr std::size_t most_shown = 200;
    const std::string shown = std::string(value.substr(0, most_shown)) + (value.size() > most_shown ? "..." : "");
    const bool has_commas = is_list<Value> && value.find(',') != std::string_view::npos;
    throw InvalidInput(Reason::bad_option,
                       std::string(field.name) + " = " + shown + ": must be " + std::string(kind_text<Value>) +
                           std::string(real_text<Value>(field, value)) + range_text(field) +
                           (has_commas ? "; commas separate values, and the decimal mark is a point" : ""));
}

/// A visitor with one overload per case.
template <class... F> struct Cases : F... { using F::operator()...; };
template <class... F> Cases(F...) -> Cases<F...>;

template <class T> [[nodiscard]] bool is_as_when_missing(const Number& field, const T& value) {
    return field.when_missing && value == static_cast<T>(*field.when_missing);
}
template <class T> [[nodiscard]] bool is_as_when_missing(const Number& field, const OneOrMore<T>& values) {
    return values.size() == 1 && is_as_when_missing(field, values[0]);
}

/// Sets each option that older texts lack to the value that stands for the behaviour before the option existed.
template <class Options> void set_to_when_missing(Options& options) {
    visit_options(options, Cases{[]<class T>(const Number& field, T& value) {
                                     if (field.when_missing) value = static_cast<T>(*field.when_missing);
                                 },
                                 []<class T>(const Number& field, OneOrMore<T>& value) {
                                     if (field.when_missing) value = OneOrMore<T>(static_cast<T>(*field.when_missing));
                                 },
                                 [](const Choice&, const auto&) {}, [](const Written&, const auto&) {}});
}

/// Throws `InvalidInput` (bad_option) for the first option outside its range.
template <class Options> void check_ranges(const Options& options) {
    visit_options(options, Cases{[]<class T>(const Number& field, const T& value) {
                                     if (!in_range(field, value)) fail_option<T>(field, value_text(field, value));
                                 },
                                 []<class E>(const Choice& field, const E& value) {
                                     if (static_cast<std::size_t>(value) >= field.names.size())
                                         fail_option<E>(field, std::to_string(static_cast<int>(value)));
                                 },
                                 []<class T>(const Written& field, const T& value) {
                                     T again;
                                     if (!read_option_text(option_text(value), again))
                                         fail_option<T>(field, option_text(value));
                                 }});
}

}  // namespace fairstream
