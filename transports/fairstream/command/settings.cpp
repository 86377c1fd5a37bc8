#include <fairstream/command/settings.hpp>

#include <fairstream/options.hpp>

namespace fairstream::command {

void apply_setting(ModelOptions& options, const std::string& setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
        throw InvalidInput(Reason::bad_option, "--set " + setting + ": must be OPTION=VALUE");
    set_option(options, std::string_view(setting).substr(0, equals), std::string_view(setting).substr(equals + 1));
}

KnobChange read_model_setting(const std::string& setting) {
    const std::size_t dot = setting.find('.'), equals = setting.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals)
        throw InvalidInput(Reason::bad_option, "'" + setting + "': must be MODEL.OPTION=VALUE");
    return {setting.substr(0, dot), setting.substr(dot + 1, equals - dot - 1), setting.substr(equals + 1)};
}

}  // namespace fairstream::command
