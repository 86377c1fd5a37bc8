#include <fairstream/command/suggestions.hpp>

#include <filesystem>
#include <vector>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/command/console/shell_word.hpp>

namespace fairstream::command {
namespace {

/// Returns the command that was called, or the program where none was.
const CLI::App& called(const CLI::App& app) {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    return commands.empty() ? app : *commands.back();
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// Returns ", which is a file: ... --input FILE" for a file that the command takes so.
std::string as_input(const CLI::App& command, const std::string& argument) {
    std::error_code error;
    if (command.get_option_no_throw("--input") == nullptr || !std::filesystem::exists(argument, error)) return "";
    return ", which is a file: name it with --input " + shell_word(argument);
}

}  // namespace

std::string explained(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<std::string> extras = app.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty()) return error.what();
    const CLI::App& command = called(app);
    const std::string& extra = extras[0];
    const bool is_option = extra.starts_with('-');
    return (is_option ? "unknown option '" : "unexpected argument '") + extra + "'" +
           (is_option ? did_you_mean(extra.substr(0, extra.find('=')), option_names(command))
                      : as_input(command, extra)) +
           "; --help lists what there is";
}

std::string unknown_command(const CLI::App& app, const std::string& name) {
    std::vector<std::string> known;
    std::string all;
    for (const CLI::App* command : app.get_subcommands({})) {
        known.push_back(command->get_name());
        all += (all.empty() ? "" : ", ") + known.back();
    }
    return "unknown command '" + name + "'" + did_you_mean(name, known) + "; there are " + all;
}

}  // namespace fairstream::command
