#pragma once
/// Building blocks of the command line. The only header that includes CLI11.

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

namespace fairstream::command {

/// Plainer help than CLI11's: an option shows its argument, and its text explains the rest.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter() {
        column_width(30);
        label("REQUIRED", "");
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        const std::string type = option->get_type_name();
        return option->get_positional() || type.empty() ? "" : " " + type;
    }
    std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
        const CLI::App* parent = app->get_parent();
        std::string usage = "\nUsage: " + (parent == nullptr ? "" : parent->get_name() + " ") + app->get_name();
        if (parent == nullptr) usage += " COMMAND";
        for (const CLI::Option* option : app->get_options()) {
            if (!option->get_positional()) continue;
            usage += option->get_required() ? " " + option->get_type_name() : " [" + option->get_type_name() + "]";
        }
        return usage + " [OPTIONS]\n\n";
    }
    std::string make_positionals(const CLI::App*) const override { return ""; }
};

/// The upper end of an option that may be any number from some on.
inline constexpr std::uint64_t many = std::numeric_limits<std::uint64_t>::max();

template <class Number> [[nodiscard]] std::string spelled(Number value) {
    std::array<char, 32> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// Adds an option that takes an integer or a real in [low, high]. `out` is a number or an optional of one.
template <class Target, class Number> CLI::Option* add_number(CLI::App& app, const std::string& name, Target& out,
                                                              Number low, Number high, const std::string& help) {
    constexpr bool integer = std::numeric_limits<Number>::is_integer;
    const auto read = [&out, name, low, high](const std::string& text) {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool number = error == std::errc() && end == text.data() + text.size();
        if (!number || !(value >= low && value <= high)) {
            throw CLI::ValidationError(name, "'" + text + "' must be " + (integer ? "an integer, " : "a number, ") +
                                                 spelled(low) + " to " + spelled(high));
        }
        out = static_cast<Target>(value);
    };
    return app.add_option_function<std::string>(name, read, help)->type_name(integer ? "N" : "X");
}

}  // namespace fairstream::command
