#include <fairstream/command/reference_commands.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/command/completion.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/reference.hpp>
#include <fairstream/figures/schema.hpp>
#include <fairstream/files/written/output.hpp>

namespace fairstream::command {
namespace {

using Run = std::function<int()>;
using AdaptHelp = void (*)(CLI::App&, const std::string&);

/// Arguments of these commands.
struct Asked {
    std::vector<std::string> names;
    std::string command, shell;
    std::filesystem::path into;
    bool markdown = false;
};

/// Returns the run that `prepare` returns. `prepare` runs at once, while the commands exist; the run throws what
/// `prepare` threw.
template <class Prepare> Run prepared(const Prepare& prepare) {
    try {
        return prepare();
    } catch (const InvalidInput& error) {
        return [error]() -> int { throw error; };
    }
}

/// Makes the command print the text that `text_of` returns.
template <class TextOf> void prints(CLI::App& command, Run& run, const TextOf& text_of) {
    command.callback(
        [text_of, &run] { run = prepared([&]() -> Run { return [text = text_of()] { return print(text), 0; }; }); });
}

void add_names(CLI::App& app, const std::shared_ptr<Asked>& asked, Run& run) {
    CLI::App* const command =
        app.add_subcommand("names", "Explain the names of options, settings, JSON keys and topics");
    command->add_option("name", asked->names, "names to explain [all]")->type_name("NAME...");
    command->add_flag("--markdown", asked->markdown, "print a table in Markdown");
    command->footer(
        "\nA name with several uses is listed with each of them.\n"
        "\nExample:\n"
        "  fairstream names balance_at_least churn");
    prints(*command, run, [&app, asked] {
        const std::vector<NameUse> uses = name_uses(app);
        return asked->markdown ? names_markdown(uses) : names_text(uses, asked->names);
    });
}

void add_schema(CLI::App& app, const std::shared_ptr<Asked>& asked, Run& run) {
    CLI::App* const command = app.add_subcommand("schema", "Print the JSON Schema of a command's report");
    std::string known;
    for (const std::string& name : figures::commands_with_reports()) known += (known.empty() ? "" : ", ") + name;
    command->add_option("command", asked->command, "one of " + known)->type_name("COMMAND")->required();
    command->footer(
        "\nThe schema describes every key of the report. The report of watch is one line of its output.\n"
        "\nExample:\n"
        "  fairstream schema fit");
    prints(*command, run, [asked] { return figures::report_schema(asked->command).dump(2) + "\n"; });
}

const CLI::App& command_named(const CLI::App& app, const std::string& name) {
    for (const CLI::App* command : app.get_subcommands({}))
        if (command->get_name() == name) return *command;
    std::vector<std::string> known;
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
    throw InvalidInput(Reason::bad_option, "there is no command '" + name + "'" + did_you_mean(name, known));
}

/// Writes the manual pages of the program and of all its commands.
int write_manual(const std::vector<std::pair<std::string, std::string>>& pages, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (const auto& [file, text] : pages) files::write_file(folder / file, text);
    return 0;
}

/// Adapts the help of a command that takes a model: the help then has the options of every model.
void adapt_with_all_options(CLI::App& command, AdaptHelp adapt_help) {
    std::vector<std::pair<CLI::Option*, std::string>> groups;
    for (CLI::Option* option : command.get_options({})) groups.emplace_back(option, option->get_group());
    adapt_help(command, "");
    for (const auto& [option, group] : groups) option->group(group);
}

void add_man(CLI::App& app, const std::shared_ptr<Asked>& asked, Run& run, AdaptHelp adapt_help) {
    CLI::App* const command = app.add_subcommand("man", "Print the manual page of a command");
    command->add_option("command", asked->command, "the command [the program itself]")->type_name("COMMAND");
    command->add_option("--into", asked->into, "write the pages of all commands into this folder")->type_name("DIR");
    command->footer(
        "\nExample:\n"
        "  fairstream man fit | man -l -\n"
        "  fairstream man --into ~/.local/share/man/man1");
    command->callback([&app, asked, &run, adapt_help] {
        for (CLI::App* one : app.get_subcommands({})) adapt_with_all_options(*one, adapt_help);
        run = prepared([&]() -> Run {
            if (asked->into.empty()) {
                const std::string text = manual_page(asked->command.empty() ? app : command_named(app, asked->command));
                return [text] { return print(text), 0; };
            }
            std::vector<std::pair<std::string, std::string>> pages{{manual_file(app), manual_page(app)}};
            for (const CLI::App* one : app.get_subcommands({}))
                pages.emplace_back(manual_file(*one), manual_page(*one));
            return [pages, folder = asked->into] { return write_manual(pages, folder); };
        });
    });
}

void add_completion(CLI::App& app, const std::shared_ptr<Asked>& asked, Run& run) {
    CLI::App* const command =
        app.add_subcommand("completion", "Print a script that completes commands and options in a shell");
    command->add_option("shell", asked->shell, "bash")->type_name("SHELL")->required();
    command->footer(
        "\nThe Tab key then completes commands, options, models, options of a model after --set, and made-up points "
        "after --generate. Put the line below into ~/.bashrc for every shell.\n"
        "\nExample:\n  source <(fairstream completion bash)");
    prints(*command, run, [asked] {
        if (asked->shell != "bash")
            throw InvalidInput(Reason::bad_option, "no completion for '" + asked->shell + "': must be bash");
        return std::string(bash_completion());
    });
}

}  // namespace

void add_reference_commands(CLI::App& app, Run& run, AdaptHelp adapt_help) {
    const auto asked = std::make_shared<Asked>();
    add_names(app, asked, run);
    add_schema(app, asked, run);
    add_man(app, asked, run, adapt_help);
    add_completion(app, asked, run);
}

}  // namespace fairstream::command
