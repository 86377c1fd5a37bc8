#include <fairstream/command/arguments.hpp>
#include <fairstream/command/console/print.hpp>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/command/completion.hpp>
#include <fairstream/command/file_commands.hpp>
#include <fairstream/command/fit/fit_help.hpp>
#include <fairstream/command/fit/front_help.hpp>
#include <fairstream/command/live_commands.hpp>
#include <fairstream/command/reference_commands.hpp>
#include <fairstream/command/suggestions.hpp>
#include <fairstream/files/written/output.hpp>

namespace fairstream::command {
namespace {

/// Adapts the help of a command to `model`, if the command takes a model. `model` is empty if none was named.
void adapt_help(CLI::App& command, const std::string& model) {
    if (command.get_name() == "fit") adapt_fit_help(command, model);
    if (command.get_name() == "front") adapt_front_help(command, model);
}

std::string help_text(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands()) {
        const CLI::Option* const model = command->get_option_no_throw("model");
        adapt_help(*command, model == nullptr || model->count() == 0 ? "" : model->as<std::string>());
    }
    return app.help();
}

void require_known_command(const CLI::App& app, int count, const char* const* arguments) {
    std::string known;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (count > 1 && command->get_name() == arguments[1]) return;
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    if (count < 2) throw UsageError("fairstream", "no command given; commands are " + known);
    if (arguments[1][0] != '-') throw UsageError("fairstream", unknown_command(app, arguments[1]));
}

/// Throws for an option with an empty value, for example from an unset script variable. Otherwise the option would
/// count as not given.
void require_values(const CLI::App& command, const std::string& name) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_expected_min() == 0) continue;  // the option may stand without a value
        for (const std::string& value : option->results())
            if (value.empty())
                throw UsageError(name,
                                 option->get_name() + ": has an empty value; give a value, or leave the option out");
    }
}

/// Returns the arguments, with "help fit" rewritten as "fit --help".
std::vector<const char*> with_help_as_option(int count, const char* const* arguments) {
    std::vector<const char*> all(arguments, arguments + count);
    if (count < 2 || all[1] != std::string_view("help")) return all;
    all.erase(all.begin() + 1);
    all.push_back("--help");
    return all;
}

}  // namespace

Invocation parse_arguments(int count, const char* const* arguments) {
    CLI::App app("Clusters points, in a file or a stream, and keeps every cluster fair.", "fairstream");
    app.set_version_flag("--version", FAIRSTREAM_VERSION);
    app.formatter(std::make_shared<HelpFormatter>());  // subcommands made from here on inherit it
    app.require_subcommand(0, 1);                      // allows a command's name as an argument: fairstream man fit
    Run run;
    add_fit(app, run);
    add_front(app, run);
    add_predict(app, run);
    add_serve(app, run);
    add_send(app, run);
    add_watch(app, run);
    add_status(app, run);
    add_set(app, run);
    add_refine(app, run);
    add_remove(app, run);
    add_producers(app, run);
    add_check(app, run);
    add_replay(app, run);
    add_export(app, run);
    add_salvage(app, run);
    add_erase(app, run);
    add_keys_command(app, run);
    add_reference_commands(app, run, adapt_help);
    app.footer(
        "\nfairstream COMMAND --help shows the options of a command and an example. A file to read may be - for "
        "standard input. A file to write may be - for standard output; the report then goes to stderr.");

    const std::vector<const char*> turned = with_help_as_option(count, arguments);
    count = static_cast<int>(turned.size());
    arguments = turned.data();
    if (count > 3 && arguments[1] == std::string_view("completion") && arguments[2] == std::string_view("words")) {
        std::string text;
        const std::vector<std::string> words(arguments + 3, arguments + count);
        for (const std::string& word : completions(app, words, adapt_help)) text += word + "\n";
        return {"fairstream completion", [text] { return print(text), 0; }};
    }
    require_known_command(app, count, arguments);
    std::string name = "fairstream";
    try {
        app.parse(count, arguments);
    } catch (const CLI::Success& asked) {
        const bool version = dynamic_cast<const CLI::CallForVersion*>(&asked) != nullptr;
        const std::string text = version ? "fairstream " FAIRSTREAM_VERSION "\n" : help_text(app);
        return {name, [text] { return print(text), 0; }};
    } catch (const CLI::ParseError& error) {
        for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
        throw UsageError(name, explained(app, error));
    }
    for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
    for (const CLI::App* command : app.get_subcommands()) require_values(*command, name);
    return {name, run};
}

}  // namespace fairstream::command
