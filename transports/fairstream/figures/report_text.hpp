#pragma once
/// Reports as JSON text.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fairstream::figures {

/// Returns a report on indented lines, without a final line end. Bytes that are not UTF-8, which names in a file may
/// contain, become U+FFFD. JSON has no infinity: infinite numbers become the texts "Infinity" and "-Infinity"; NaN
/// becomes null.
[[nodiscard]] std::string report_text(nlohmann::ordered_json report);
/// Returns a report as `report_text` does, but on one line.
[[nodiscard]] std::string report_line(nlohmann::ordered_json report);

}  // namespace fairstream::figures
