#pragma once
/// JSON Schemas of the reports (draft 2020-12), made from the table of words.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fairstream::figures {

/// Returns the commands that have reports, by name.
[[nodiscard]] std::vector<std::string> commands_with_reports();
/// Returns the schema of the command's reports; of a command that prints a line for each report, of a line. No report
/// has a key that the schema does not know. Throws `InvalidInput` (bad_option) for a command without reports.
[[nodiscard]] nlohmann::ordered_json report_schema(std::string_view command);

}  // namespace fairstream::figures
