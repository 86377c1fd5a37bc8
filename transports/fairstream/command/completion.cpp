#include <fairstream/command/completion.hpp>

#include <algorithm>

#include <fairstream/command/reference.hpp>
#include <fairstream/figures/schema.hpp>
#include <fairstream/fit/front/front_model.hpp>
#include <fairstream/generate/generator.hpp>
#include <fairstream/generate/graphs.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

using Words = std::vector<std::string>;

/// Returns whether an option excludes another one.
bool excludes(const CLI::Option& one, CLI::Option& other) {
    return one.get_excludes().contains(&other) || other.get_excludes().contains(const_cast<CLI::Option*>(&one));
}

/// Returns the options with two dashes that help shows, except options that an option among `words` excludes.
Words shown_options(const CLI::App& app, std::span<const std::string> words) {
    std::vector<const CLI::Option*> given;
    for (const std::string& word : words)
        if (const CLI::Option* option = word.starts_with("--") ? app.get_option_no_throw(word) : nullptr)
            given.push_back(option);
    const auto is_excluded = [&](CLI::Option* option) {
        return std::ranges::any_of(given, [&](const CLI::Option* one) { return excludes(*one, *option); });
    };
    Words names;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty() || !option->nonpositional()) continue;
        if (is_excluded(const_cast<CLI::Option*>(option)) || std::ranges::any_of(option->get_needs(), is_excluded))
            continue;
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

Words generators(const CLI::App& command) {
    Words names;
    for (const generate::GeneratorKind& kind : generate::generator_kinds()) names.emplace_back(kind.name);
    const CLI::Option* const edges = command.get_option_no_throw("--edges");
    if (edges == nullptr || edges->get_group().empty()) return names;
    for (const generate::GraphKind& kind : generate::graph_kinds()) names.emplace_back(kind.name);
    return names;
}

/// Returns the models that a command takes as an argument; empty when it takes none.
Words models_of(const CLI::App& command) {
    if (command.get_option_no_throw("model") == nullptr) return {};
    return command.get_name() == "front" ? fit::front_model_names() : model_names();
}

/// Returns the model that a command line names after the command; empty when the command takes none.
std::string named_model(const CLI::App& command, std::span<const std::string> arguments) {
    const Words models = models_of(command);
    const auto found =
        std::ranges::find_if(arguments, [&](const std::string& word) { return std::ranges::count(models, word) > 0; });
    return found == arguments.end() ? "" : *found;
}

/// Returns the values of the option `flag` if these values are names.
Words values_of(const std::string& flag, const CLI::App& command, const std::string& model) {
    if (flag == "--generate") return generators(command);
    Words values;
    if (flag != "--set" || model.empty()) return values;
    for (const OptionText& option : list_options(default_options(model))) values.push_back(option.name + "=");
    return values;
}

Words command_names(const CLI::App& app) {
    Words names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

/// Returns the possible values of a positional argument.
Words arguments_of(const CLI::App& app, const CLI::App& command, const std::string& model) {
    if (command.get_name() == "completion") return {"bash"};
    if (command.get_name() == "schema") return figures::commands_with_reports();
    if (command.get_name() == "man") return command_names(app);
    if (model.empty())
        if (Words models = models_of(command); !models.empty()) return models;
    Words names;
    if (command.get_name() == "names")
        for (const NameUse& use : name_uses(app))
            if (names.empty() || names.back() != use.name) names.push_back(use.name);
    return names;
}

Words candidates(CLI::App& app, std::span<const std::string> words, void (*adapt_help)(CLI::App&, const std::string&)) {
    if (words.size() == 1) {
        if (words[0].starts_with('-')) return shown_options(app, {});
        return command_names(app);
    }
    CLI::App* command = nullptr;
    for (CLI::App* one : app.get_subcommands({}))
        if (one->get_name() == words[0]) command = one;
    if (command == nullptr) return {};
    const std::string model = named_model(*command, words.subspan(1, words.size() - 2));
    if (!model.empty()) adapt_help(*command, model);
    const std::string& before = words[words.size() - 2];
    const CLI::Option* const option = before.starts_with("--") ? command->get_option_no_throw(before) : nullptr;
    if (option != nullptr && option->get_items_expected_min() > 0) return values_of(before, *command, model);
    if (words.back().starts_with('-')) return shown_options(*command, words.first(words.size() - 1));
    return arguments_of(app, *command, model);
}

}  // namespace

std::vector<std::string> completions(CLI::App& app, std::span<const std::string> words,
                                     void (*adapt_help)(CLI::App&, const std::string&)) {
    Words all = candidates(app, words, adapt_help);
    std::erase_if(all, [&](const std::string& word) { return !word.starts_with(words.back()); });
    return all;
}

std::string_view bash_completion() {
    return "_fairstream() {\n"
           "    local IFS=$'\\n'\n"
           "    COMPREPLY=($(\"${COMP_WORDS[0]}\" completion words \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null))\n"
           "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
           "}\n"
           "complete -o default -F _fairstream fairstream\n";
}

}  // namespace fairstream::command
