#pragma once
/// The list of a configuration's keys.

#include <span>
#include <string_view>

namespace fairstream {

struct ConfigKey {
    std::string_view section;  ///< as in the file: "[window]", "[[model]]"; empty: before all sections
    std::string_view key;
    std::string_view meaning;
};
/// Returns all keys except those of `[model.options]`, which are the options of a model.
[[nodiscard]] std::span<const ConfigKey> config_keys();

}  // namespace fairstream
