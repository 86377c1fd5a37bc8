#pragma once
/// The preparation of a stream's points, in reports of commands that fit them.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include <fairstream/input/input.hpp>

namespace fairstream::fit {

/// For a file that describes its stream, adds its `shape` and the rows left out (`rows_without`, `bad_rows`). If there
/// is preparation, adds `prepare`: the preparation of every column, and the state of the scales.
void add_preparation(const std::optional<files::InputStream>& stream, const PreparationFigures& figures,
                     nlohmann::ordered_json& json);
/// Returns a line, with its end, on the columns if the file describes its stream, otherwise on the scales. Empty if
/// there is no preparation.
[[nodiscard]] std::string preparation_line(const std::optional<files::InputStream>& stream,
                                           const PreparationFigures& figures);

}  // namespace fairstream::fit
