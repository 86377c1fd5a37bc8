#pragma once
/// Reports as JSON text.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fairstream::figures {

/// Returns a report on indented lines, without a line end. Bytes that are no UTF-8, as names from a file may have,
/// become U+FFFD. JSON has no infinity: infinite numbers are the texts "Infinity" and "-Infinity", and NaN is null.
[[nodiscard]] std::string report_text(nlohmann::ordered_json report);
/// Returns the same on one line.
[[nodiscard]] std::string report_line(nlohmann::ordered_json report);

}  // namespace fairstream::figures
