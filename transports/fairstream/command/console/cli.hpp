#pragma once
/// Building blocks of the command line. The only header that includes CLI11.

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fairstream/command/console/help_text.hpp>

namespace fairstream::command {

/// Returns the usage line of a command: "fairstream fit MODEL [OPTIONS]".
[[nodiscard]] inline std::string usage_of(const CLI::App& app) {
    const CLI::App* const parent = app.get_parent();
    std::string usage = (parent == nullptr ? "" : parent->get_name() + " ") + app.get_name();
    if (parent == nullptr) usage += " COMMAND";
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_positional()) continue;
        usage += option->get_required() ? " " + option->get_type_name() : " [" + option->get_type_name() + "]";
    }
    return usage + " [OPTIONS]";
}

/// Plainer help than CLI11's, within `help_width`: the first column shows an option with its argument, the second its
/// text. A footer consists of paragraphs in the form that `wrapped` takes.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter() {
        column_width(help_column);
        label("REQUIRED", "");
    }
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
        for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
        return text;
    }
    std::string make_description(const CLI::App* app) const override { return wrapped(app->get_description()) + "\n"; }
    std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
        return "\nUsage: " + usage_of(*app) + "\n";
    }
    std::string make_positionals(const CLI::App* app) const override {
        std::string text;
        for (const CLI::Option* option : app->get_options())
            if (option->get_positional()) text += help_line(option->get_type_name(), option->get_description());
        return text.empty() ? "" : "\nArguments:\n" + text;
    }
    std::string make_option(const CLI::Option* option, bool /*is_positional*/) const override {
        const std::string type = option->get_type_name();
        return help_line(option->get_name(false, true) + (type.empty() ? "" : " " + type), option->get_description());
    }
    std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode /*mode*/) const override {
        std::string text;
        for (const CLI::App* command : app->get_subcommands({}))
            text += help_line(command->get_name(), command->get_description());
        return text.empty() ? "" : "\nCommands:\n" + text;
    }
    std::string make_footer(const CLI::App* app) const override { return wrapped(app->get_footer()) + "\n"; }
};

/// The upper bound of an option without an upper limit.
inline constexpr std::uint64_t no_upper_limit = std::numeric_limits<std::uint64_t>::max();

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
