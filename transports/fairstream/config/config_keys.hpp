#pragma once
/// The keys of a configuration, for whoever looks one up.

#include <span>
#include <string_view>

namespace fairstream {

struct ConfigKey {
    std::string_view section;  ///< as the file has it: "[window]", "[[model]]"; empty: before all sections
    std::string_view key;
    std::string_view meaning;
};
/// Returns all keys, but those of `[model.options]`, which are the options of a model.
[[nodiscard]] std::span<const ConfigKey> config_keys();

}  // namespace fairstream
