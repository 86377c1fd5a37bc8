#pragma once
/// Options of a model as the command line gives them.

#include <string>

#include <fairstream/engine.hpp>

namespace fairstream::command {

/// "OPTION=VALUE", as after --set. Throws `InvalidInput`.
void apply_setting(ModelOptions& options, const std::string& setting);
/// "MODEL.OPTION=VALUE". Throws `InvalidInput`.
[[nodiscard]] KnobChange read_model_setting(const std::string& setting);

}  // namespace fairstream::command
