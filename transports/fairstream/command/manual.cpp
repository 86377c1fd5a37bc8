#include <fairstream/command/reference.hpp>

namespace fairstream::command {
namespace {

/// Escapes text for roff.
std::string roff(std::string_view text) {
    std::string out;
    bool line_begins = true;
    for (const char c : text) {
        // roff takes a dot or apostrophe at the start of a line for a command.
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        line_begins = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string full_name(const CLI::App& command) {
    return command.get_parent() == nullptr ? command.get_name()
                                           : command.get_parent()->get_name() + "-" + command.get_name();
}

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

std::string entry(const std::string& key, const std::string& meaning) {
    return ".TP\n\\fB" + roff(key) + "\\fR\n" + roff(meaning) + "\n";
}

/// Returns the options of a group as entries; empty when the group has none.
std::string options_of(const CLI::App& command, const std::string& group) {
    std::string text;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional() || option->get_group() != group) continue;
        const std::string type = option->get_type_name();
        text += entry(option->get_name(false, true) + (type.empty() ? "" : " " + type), option->get_description());
    }
    return text;
}

std::string argument_entries(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional()) text += entry(option->get_type_name(), option->get_description());
    return text;
}

std::string section(const std::string& heading, const std::string& body) {
    return body.empty() ? "" : ".SH " + heading + "\n" + body;
}

/// Returns paragraphs. A line that begins with a blank is an example or a row of a list, and keeps its layout.
std::string paragraphs(std::string_view text) {
    std::string out;
    bool as_it_is = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        if (as_it_is != line.starts_with(' ')) {
            as_it_is = !as_it_is;
            out += as_it_is ? ".PP\n.nf\n" : ".fi\n";
        }
        out += line.empty() ? ".PP\n" : roff(line) + "\n";
    }
    return out + (as_it_is ? ".fi\n" : "");
}

}  // namespace

std::string manual_page(const CLI::App& command) {
    const std::string name = full_name(command);
    std::string description = command.get_description();
    if (description.ends_with('.')) description.pop_back();
    std::string text = ".TH " + upper(name) + " 1 \"\" \"fairstream " FAIRSTREAM_VERSION "\"\n" +
                       section("NAME", roff(name) + " \\- " + roff(description) + "\n") +
                       section("SYNOPSIS", ".B " + roff(usage_of(command)) + "\n") +
                       section("ARGUMENTS", argument_entries(command));
    std::string commands;
    for (const CLI::App* one : command.get_subcommands({})) commands += entry(one->get_name(), one->get_description());
    text += section("COMMANDS", commands);
    for (const std::string& group : command.get_groups()) text += section(upper(group), options_of(command, group));
    return text + section("NOTES", paragraphs(command.get_footer()));
}

std::string manual_file(const CLI::App& command) {
    return full_name(command) + ".1";
}

}  // namespace fairstream::command
