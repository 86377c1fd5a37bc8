#pragma once
/// JSON Schemas of the reports (draft 2020-12), generated from the table of words.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fairstream::figures {

/// Returns the commands that have reports, by name.
[[nodiscard]] std::vector<std::string> commands_with_reports();
/// Returns the schema of a command's report. If the command prints one report per line, returns the schema of a line.
/// The schema has every key of these reports. Throws `InvalidInput` (bad_option) for a command without reports.
[[nodiscard]] nlohmann::ordered_json report_schema(std::string_view command);

}  // namespace fairstream::figures
