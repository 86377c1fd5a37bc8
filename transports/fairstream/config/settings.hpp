#pragma once
/// Options of a model from the command line.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>

namespace fairstream::config {

/// A model's option with a flag of its own on the command line.
struct OwnOption {
    std::string_view flag;             ///< "--clusters"
    std::string_view name;             ///< "clusters"
    std::optional<std::string> value;  ///< as given; nothing: not given
};

/// Sets the options `own` and `settings`. A setting is "OPTION=VALUE" as after --set, where VALUE may be "@FILE"
/// (`files::option_value`). Protected attributes may be given by their names in `attributes`. Throws `InvalidInput`,
/// also for an option with two values.
void apply_settings(ModelOptions& options, const std::vector<std::string>& settings,
                    const std::vector<OwnOption>& own = {}, std::span<const Attribute> attributes = {});
/// Returns the value of an option in canonical form: equal values give equal text. Nothing when the model has no such
/// option.
[[nodiscard]] std::optional<std::string> option_text_of(const ModelOptions& options, std::string_view name);
/// Parses settings "MODEL.OPTION=VALUE". Throws `InvalidInput`, also for an option with two values.
[[nodiscard]] std::vector<KnobChange> read_model_settings(const std::vector<std::string>& settings);

}  // namespace fairstream::config
