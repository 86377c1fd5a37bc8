#pragma once
/// The source of a command's points as JSON.

#include <nlohmann/json_fwd.hpp>

#include <fairstream/input/input.hpp>

namespace fairstream::fit {

/// Returns the source of the points and their preprocessing.
[[nodiscard]] nlohmann::ordered_json input_json(const files::InputOptions& input);

}  // namespace fairstream::fit
