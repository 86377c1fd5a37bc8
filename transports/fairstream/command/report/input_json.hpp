#pragma once
/// The source of a command's points as JSON.

#include <nlohmann/json_fwd.hpp>

#include <fairstream/command/input/input.hpp>

namespace fairstream::command {

/// Returns the source of the points and their preprocessing.
[[nodiscard]] nlohmann::ordered_json input_json(const InputOptions& input);

}  // namespace fairstream::command
