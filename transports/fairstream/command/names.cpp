#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/command/console/help_text.hpp>
#include <fairstream/command/reference.hpp>
#include <fairstream/config/config_keys.hpp>
#include <fairstream/figures/value_words.hpp>
#include <fairstream/figures/words.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

/// Uses of one kind, each with its name, its meaning and its owners: commands, models or sections.
class NameUses {
public:
    void add(const std::string& name, const std::string& meaning, const std::string& owner) {
        const auto found = std::ranges::find_if(
            all_, [&](const Entry& entry) { return entry.name == name && entry.meaning == meaning; });
        if (found == all_.end())
            all_.push_back({name, meaning, owner});
        else if ((", " + found->owners + ",").find(", " + owner + ",") == std::string::npos)
            found->owners += ", " + owner;
    }
    /// Appends all uses; `place` returns the text for `NameUse::place` from a name and its owners.
    template <class Place> void append_to(std::vector<NameUse>& uses, const Place& place) const {
        for (const Entry& entry : all_) uses.push_back({entry.name, place(entry.name, entry.owners), entry.meaning});
    }

private:
    struct Entry {
        std::string name, meaning, owners;
    };
    std::vector<Entry> all_;
};

/// Returns a name as JSON and configurations write it: "refine_rounds" for "refine-rounds" and for "refine rounds".
std::string spelled_name(std::string name) {
    std::ranges::replace(name, '-', '_');
    std::ranges::replace(name, ' ', '_');
    return name;
}

bool is_called(const NameUse& use, const std::string& name) {
    return spelled_name(use.name) == spelled_name(name);
}
bool is_known(const std::vector<NameUse>& uses, const std::string& name) {
    return std::ranges::any_of(uses, [&](const NameUse& use) { return is_called(use, name); });
}

/// Returns a text without the default in brackets at its end.
std::string without_default(const std::string& text) {
    const std::size_t open = text.ends_with(']') ? text.rfind(" [") : std::string::npos;
    return open == std::string::npos ? text : text.substr(0, open);
}

NameUses command_options(const CLI::App& app) {
    NameUses uses;
    for (const CLI::App* command : app.get_subcommands({}))
        for (const CLI::Option* option : command->get_options())
            for (const std::string& flag : option->get_lnames())
                if (option->nonpositional() && flag != "help")
                    uses.add(spelled_name(flag), without_default(option->get_description()), command->get_name());
    return uses;
}

NameUses model_options() {
    NameUses uses;
    for (const std::string& model : model_names())
        for (const OptionText& option : list_options(default_options(model))) uses.add(option.name, option.help, model);
    return uses;
}

void add_keys(std::string_view shape, const std::string& command, std::vector<std::string>& seen, NameUses& uses) {
    if (std::ranges::count(seen, shape) > 0) return;
    seen.emplace_back(shape);
    for (const figures::ShapeKey& key : figures::keys_of(shape)) {
        const figures::Word* const word = figures::find_word(key.name);
        if (word == nullptr) continue;
        uses.add(word->name, word->meaning, command);
        constexpr std::string_view object = "object ";
        const std::size_t at = word->type.find(object);
        if (at == std::string::npos) continue;
        const std::size_t begin = at + object.size();
        add_keys(word->type.substr(begin, word->type.find_first_of("]}?", begin) - begin), command, seen, uses);
    }
}

NameUses report_keys() {
    NameUses uses;
    std::map<std::string, std::vector<std::string>> seen;
    for (const figures::Report& report : figures::reports()) {
        const std::string command(report.command);
        add_keys(report.shape, command, seen[command], uses);
    }
    return uses;
}

NameUses configuration() {
    NameUses uses;
    for (const ConfigKey& key : config_keys())
        uses.add(std::string(key.key), std::string(key.meaning),
                 key.section.empty() ? "before the sections" : std::string(key.section));
    return uses;
}

}  // namespace

std::vector<NameUse> name_uses(const CLI::App& app) {
    std::vector<NameUse> uses;
    report_keys().append_to(uses, [](const auto&, const std::string& of) { return "JSON of " + of; });
    command_options(app).append_to(uses, [](const std::string& name, const std::string& of) {
        std::string flag = name;
        std::ranges::replace(flag, '_', '-');
        return "--" + flag + " of " + of;
    });
    model_options().append_to(uses, [](const auto&, const std::string& of) { return "option of " + of; });
    configuration().append_to(uses, [](const auto&, const std::string& of) { return "configuration, " + of; });
    for (const figures::TopicWord& topic : figures::topics())
        uses.push_back({std::string(topic.topic), "topic", std::string(topic.meaning)});
    for (figures::ValueWord& word : figures::value_words())
        uses.push_back({std::move(word.value), std::move(word.place), std::move(word.meaning)});
    std::ranges::stable_sort(uses, {}, &NameUse::name);
    return uses;
}

namespace {

/// Returns a question that suggests a similar name; empty when none is similar.
std::string similar_name_text(const std::vector<NameUse>& uses, const std::string& name) {
    std::vector<std::string> known;
    for (const NameUse& use : uses) known.push_back(use.name);
    return did_you_mean(name, known);
}

/// Returns at most ten names about a word: first names that contain it, then names whose meaning contains it:
/// "calibration_error, calibration_gap".
std::string names_about(const std::vector<NameUse>& uses, const std::string& word) {
    constexpr std::size_t most = 10;
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, bool is_about) {
        if (is_about && word.size() > 2 && std::ranges::count(names, name) == 0 && names.size() < most)
            names.push_back(name);
    };
    for (const NameUse& use : uses) add(use.name, spelled_name(use.name).find(spelled_name(word)) != std::string::npos);
    for (const NameUse& use : uses) add(use.name, use.meaning.find(word) != std::string::npos);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

std::string names_text(const std::vector<NameUse>& uses, const std::vector<std::string>& asked) {
    std::vector<std::string> wanted = asked;
    // `status` and `set` write an option of a model as MODEL.OPTION.
    for (std::string& name : wanted)
        if (!is_known(uses, name) && name.find('.') + 1 < name.size()) name = name.substr(name.find('.') + 1);
    for (const std::string& name : wanted) {
        if (is_known(uses, name)) continue;
        const std::string about = names_about(uses, name);
        throw InvalidInput(Reason::bad_option, "nothing is called '" + name + "'" +
                                                   (about.empty() ? similar_name_text(uses, spelled_name(name))
                                                                  : "; related names are " + about) +
                                                   "; to list all: fairstream names");
    }
    std::string text;
    std::string_view last;
    for (const NameUse& use : uses) {
        const bool is_wanted = wanted.empty() || std::ranges::any_of(wanted, [&](const std::string& name) {
                                   return is_called(use, name);
                               });
        if (!is_wanted) continue;
        if (use.name != last) text += (text.empty() ? "" : "\n") + use.name + "\n";
        last = use.name;
        text += help_line(use.place, use.meaning);
    }
    return text;
}

std::string names_markdown(const std::vector<NameUse>& uses) {
    const auto cell = [](const std::string& text) {
        std::string escaped;
        for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
        return escaped;
    };
    std::string text = "| name | where | meaning |\n| --- | --- | --- |\n";
    std::string_view last;
    for (const NameUse& use : uses) {
        text += "| " + (use.name == last ? std::string() : "`" + use.name + "`") + " | " + cell(use.place) + " | " +
                cell(use.meaning) + " |\n";
        last = use.name;
    }
    return text;
}

}  // namespace fairstream::command
