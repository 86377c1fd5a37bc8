#pragma once
/// How the points of a configuration's stream were prepared, in reports of commands that fit them.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include <fairstream/config/config.hpp>

namespace fairstream::command {

/// Adds `prepare`: how every column is prepared, and what became of the scales. Adds nothing where there is no
/// preparation.
void add_preparation(const std::optional<config::StreamOptions>& stream, const PreparationFigures& figures,
                     nlohmann::ordered_json& json);
/// Returns a line on what became of the scales, its end included; empty where there is no preparation.
[[nodiscard]] std::string preparation_line(const std::optional<config::StreamOptions>& stream,
                                           const PreparationFigures& figures);

}  // namespace fairstream::command
