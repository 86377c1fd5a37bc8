#include <fairstream/command/suggestions.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::command {
namespace {

/// Returns the command that the command line calls; without one, the program.
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

/// Returns ", which is a file: ... --input FILE" when the argument is a file and the command has the option --input.
std::string input_option_hint(const CLI::App& command, const std::string& argument) {
    std::error_code error;
    if (command.get_option_no_throw("--input") == nullptr || !std::filesystem::exists(argument, error)) return "";
    return ", which is a file: name it with --input " + shell_word(argument);
}

/// Returns the file name given in place of the model of a fit; empty when there is none.
std::string file_for_model(const CLI::App& command) {
    std::error_code error;
    if (command.get_name() != "fit") return "";
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional() && option->count() > 0)
            if (const std::string given = option->as<std::string>(); std::filesystem::exists(given, error))
                return given;
    return "";
}

/// Returns "; RECORDING stands alone, without an option" for an unknown option with the name of a positional argument.
std::string positional_hint(const CLI::App& command, const std::string& name) {
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        std::string called = "--" + option->get_type_name();
        std::ranges::transform(called, called.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (called == name) return ": " + option->get_type_name() + " is given without an option before it";
    }
    return "";
}

/// Returns which argument of the command is missing, and what it must be: "MODEL is missing: ..."; empty if none is
/// missing.
std::string missing_argument(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_required() || option->count() > 0) continue;
        const std::string name = option->get_positional() ? option->get_type_name() : option->get_name();
        std::string what = option->get_description();
        if (command.get_name() == "fit" && option->get_positional()) {
            what = "one of";
            for (const std::string& model : model_names()) what += (what == "one of" ? " " : ", ") + model;
        }
        return name + " is missing: " + what + "; see --help";
    }
    return "";
}

/// Returns ": predict has it" for an option of another command; for an option of a model, how to give it.
std::string option_owners_text(const CLI::App& app, const CLI::App& command, const std::string& name) {
    std::string others, models;
    for (const CLI::App* other : app.get_subcommands({}))
        if (other != &command && other->get_option_no_throw(name) != nullptr)
            others += (others.empty() ? "" : ", ") + other->get_name();
    const std::string option = name.substr(name.find_first_not_of('-'));
    for (const std::string& model : model_names())
        if (find_option(list_options(default_options(model)), option) != nullptr)
            models += (models.empty() ? "" : ", ") + model;
    std::string text = others.empty() ? "" : ": it is an option of " + others;
    if (!models.empty() && command.get_option_no_throw("--set") != nullptr)
        text += (text.empty() ? ": " : "; ") + models + (models.find(',') == std::string::npos ? " has" : " have") +
                " an option of that name: --set " + option + "=VALUE";
    return text;
}

/// Returns the probable meaning of an unknown option.
std::string probable_meaning(const CLI::App& app, const CLI::App& command, const std::string& name) {
    for (const std::string& meaning : {positional_hint(command, name), option_owners_text(app, command, name)})
        if (!meaning.empty()) return meaning;
    return did_you_mean(name, option_names(command));
}

}  // namespace

std::string explained(const CLI::App& app, const CLI::ParseError& error) {
    for (const std::string& extra : app.remaining(true))
        if (extra.starts_with("--")) {
            break;  // a following file may be the option's value
        } else if (const std::string file = input_option_hint(called(app), extra);
                   !file.empty() && !extra.starts_with('-')) {
            return "unexpected argument '" + extra + "'" + file + "; see --help";
        }
    if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
        const std::string file = file_for_model(called(app)), what = error.what();
        if (!file.empty())
            return "'" + file + "' is a file, not a model; give the model first, then the file with --input";
        const CLI::Option* const edges = called(app).get_option_no_throw("--edges");
        if (edges != nullptr && edges->count() > 0 && what.ends_with("requires --input"))
            return what + ", a file of points; a graph (--edges) has no such option";
        if (what == "--plot requires --curve")
            return what + "; to draw the trade-off of a clustering, use fairstream front --plot";
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
        if (const std::string missing = missing_argument(called(app)); !missing.empty()) return missing;
    const std::vector<std::string> extras = app.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty()) return error.what();
    const CLI::App& command = called(app);
    const std::string& extra = extras[0];
    const bool is_option = extra.starts_with('-');
    return (is_option ? "unknown option '" : "unexpected argument '") + extra + "'" +
           (is_option ? probable_meaning(app, command, extra.substr(0, extra.find('=')))
                      : input_option_hint(command, extra)) +
           "; see --help";
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
