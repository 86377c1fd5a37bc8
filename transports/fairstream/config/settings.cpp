#include <fairstream/config/settings.hpp>

#include <algorithm>
#include <map>

#include <fairstream/files/network_file.hpp>
#include <fairstream/options.hpp>

namespace fairstream::config {
namespace {

struct SettingValue {
    std::string text;   ///< text on the command line
    std::string value;  ///< value after reading
};

}  // namespace

std::optional<std::string> option_text_of(const ModelOptions& options, std::string_view name) {
    const std::vector<OptionText> all = list_options(options);
    const OptionText* const option = find_option(all, name);
    return option == nullptr ? std::nullopt : std::optional(option->value);
}

void apply_settings(ModelOptions& options, const std::vector<std::string>& settings, const std::vector<OwnOption>& own,
                    std::span<const Attribute> attributes) {
    std::map<std::string, SettingValue, std::less<>> given;
    const auto apply = [&](std::string_view name, std::string_view value, const std::string& text) {
        set_option(options, name, files::option_value(options, name, value), attributes);
        const auto [there, is_first] = given.try_emplace(find_option(list_options(options), name)->name,
                                                         SettingValue{text, *option_text_of(options, name)});
        if (!is_first && there->second.value != *option_text_of(options, name))
            throw InvalidInput(Reason::bad_option,
                               there->second.text + " and " + text + " give " + std::string(name) + " two values");
    };
    for (const OwnOption& option : own)
        if (option.value) apply(option.name, *option.value, std::string(option.flag) + " " + *option.value);
    for (const std::string& setting : settings) {
        const std::string text = "--set " + setting;
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos) throw InvalidInput(Reason::bad_option, text + ": must be OPTION=VALUE");
        apply(std::string_view(setting).substr(0, equals), std::string_view(setting).substr(equals + 1), text);
    }
}

namespace {

KnobChange read_model_setting(const std::string& setting) {
    const std::size_t dot = setting.find('.'), equals = setting.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals)
        throw InvalidInput(Reason::bad_option, "'" + setting + "': must be MODEL.OPTION=VALUE");
    return {setting.substr(0, dot), setting.substr(dot + 1, equals - dot - 1), setting.substr(equals + 1)};
}

}  // namespace

std::vector<KnobChange> read_model_settings(const std::vector<std::string>& settings) {
    std::vector<KnobChange> changes;
    for (const std::string& setting : settings) {
        KnobChange change = read_model_setting(setting);
        for (const KnobChange& other : changes)
            if (other.model == change.model && other.option == change.option && other.value != change.value)
                throw InvalidInput(Reason::bad_option, change.model + "." + change.option + "=" + other.value +
                                                           " and " + setting + " give one option two values");
        changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace fairstream::config
