#pragma once
/// The keys of a configuration, for whoever looks one up.

#include <span>
#include <string_view>

namespace fairstream::command {

struct ConfigKey {
    std::string_view section;  ///< as the file has it: "[window]", "[[model]]"; empty: before all sections
    std::string_view key;
    std::string_view meaning;
};
/// Returns all keys, but those of `[model.options]`, which are the options of a model.
[[nodiscard]] std::span<const ConfigKey> config_keys();

struct TopicWord {
    std::string_view topic;  ///< "labels", of "labels.NAME"
    std::string_view meaning;
};
/// Returns the topics that an engine publishes on, each for every model that has it.
[[nodiscard]] std::span<const TopicWord> topics();

}  // namespace fairstream::command
