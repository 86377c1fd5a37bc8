#pragma once
/// How the points of a configuration's stream were prepared, in reports of commands that fit them.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include <fairstream/files/input/input.hpp>

namespace fairstream::fit {

/// Adds `rows_without` and `bad_rows` of a file that describes its stream: rows that were left out. Adds `prepare`: how
/// every column is prepared, and what became of the scales; nothing where there is no preparation.
void add_preparation(const std::optional<files::InputStream>& stream, const PreparationFigures& figures,
                     nlohmann::ordered_json& json);
/// Returns what became of the columns of a file that describes its stream, or of the scales of another, its end
/// included; empty where there is no preparation.
[[nodiscard]] std::string preparation_line(const std::optional<files::InputStream>& stream,
                                           const PreparationFigures& figures);

}  // namespace fairstream::fit
