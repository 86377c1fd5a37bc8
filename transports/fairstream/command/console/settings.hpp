#pragma once
/// Options of a model as the command line gives them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>

namespace fairstream::command {

/// An option of a model that a command has an option of its own for.
struct OwnOption {
    std::string_view flag;             ///< "--clusters"
    std::string_view name;             ///< "clusters"
    std::optional<std::string> value;  ///< as given; empty: not given
};

/// Sets `own`, and what `settings` say, each "OPTION=VALUE" as after --set. Throws `InvalidInput`, also for an option
/// that is given two values.
void apply_settings(ModelOptions& options, const std::vector<std::string>& settings,
                    const std::vector<OwnOption>& own = {});
/// "MODEL.OPTION=VALUE". Throws `InvalidInput`.
[[nodiscard]] KnobChange read_model_setting(const std::string& setting);

}  // namespace fairstream::command
