#include <fairstream/fit/stages/notes.hpp>

#include <algorithm>

#include <fairstream/models/model_kind.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::fit {
namespace {

std::string quoted(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
    return text;
}

}  // namespace

std::vector<std::string> names_of_settings(const std::vector<std::string>& settings) {
    std::vector<std::string> names;
    for (const std::string& setting : settings) names.push_back(setting.substr(0, setting.find('=')));
    return names;
}

std::vector<std::string> idle_notes(const ModelOptions& model, const std::vector<std::string>& named, OptionScope there,
                                    bool has_targets) {
    std::vector<std::string> notes;
    for (const IdleOption& option : idle_options(model, named, there, has_targets))
        notes.push_back(option.name + " " + option.why +
                        (option.lacks == OptionScope::steps && there == OptionScope::points
                             ? ": --batch N makes several steps"
                             : ""));
    return notes;
}

std::vector<std::string> idle_notes(const EngineOptions& engine) {
    std::vector<std::string> notes;
    for (const ModelSetup& model : engine.models)
        for (const IdleOption& option : idle_options(model.options, engine.format.has_targets))
            notes.push_back(model.name + "." + option.name + " " + option.why);
    return notes;
}

std::vector<std::string> notes_on_attributes(const ModelOptions& model, const std::vector<Attribute>& attributes) {
    const std::vector<int> seen = model.kind().protected_attributes(model);
    if (seen.empty() || seen.size() >= attributes.size()) return {};
    std::vector<std::string> those, others;
    std::string all;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
        (std::ranges::count(seen, static_cast<int>(a)) > 0 ? those : others).push_back(attributes[a].name);
        all += (all.empty() ? "" : ",") + std::to_string(a);
    }
    const std::vector<OptionText> options = list_options(model);
    const OptionText* const option = find_option(options, attribute_option);
    const bool takes_several = option != nullptr && option->several && !option->single;
    const bool balances = find_option(options, "balance_at_least") != nullptr;
    const std::string are = others.size() == 1 ? " is not" : " are not";
    return {"only the groups of " + quoted(those) + (balances ? " are balanced" : " are compared") + ", and " +
            quoted(others) + are +
            (takes_several
                 ? ": --set attribute=" + shell_word(attribute_names(all, attributes)) + " balances all of them"
                 : std::string(": the model ") + (balances ? "balances" : "compares") +
                       " the groups of one column; for more, combine the values in one column, or fit again with --set "
                       "attribute=NAME")};
}

}  // namespace fairstream::fit
