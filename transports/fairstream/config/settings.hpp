#pragma once
/// Options of a model from the command line.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>

namespace fairstream::config {

/// A model's option that has a flag of its own on the command line.
struct OwnOption {
    std::string_view flag;             ///< "--clusters"
    std::string_view name;             ///< "clusters"
    std::optional<std::string> value;  ///< as given; empty: not given
};

/// Sets the options `own` and `settings`, each "OPTION=VALUE" as after --set, where VALUE may be "@FILE"
/// (`files::option_value`), and protected attributes may be named by `attributes`. Throws `InvalidInput`, also for an
/// option that is given two values.
void apply_settings(ModelOptions& options, const std::vector<std::string>& settings,
                    const std::vector<OwnOption>& own = {}, std::span<const Attribute> attributes = {});
/// Returns the value of an option in canonical form: equal values, equal text; empty where there is none of that name.
[[nodiscard]] std::optional<std::string> option_text_of(const ModelOptions& options, std::string_view name);
/// Parses settings "MODEL.OPTION=VALUE". Throws `InvalidInput`, also for an option that is given two values.
[[nodiscard]] std::vector<KnobChange> read_model_settings(const std::vector<std::string>& settings);

}  // namespace fairstream::config
