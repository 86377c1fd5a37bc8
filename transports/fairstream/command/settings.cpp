#include <fairstream/command/settings.hpp>

#include <fairstream/options.hpp>

namespace fairstream::command {

void apply_setting(ModelOptions& options, const std::string& setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
        throw InvalidInput(Reason::bad_option, "--set " + setting + ": must be OPTION=VALUE");
    set_option(options, std::string_view(setting).substr(0, equals), std::string_view(setting).substr(equals + 1));
}

}  // namespace fairstream::command
