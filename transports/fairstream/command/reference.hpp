#pragma once
/// Reference made from the commands, models and tables themselves: what each name means, schemas of reports, and manual
/// pages.

#include <filesystem>
#include <string>
#include <vector>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// What a name means in one place.
struct NameUse {
    std::string name;
    std::string place;  ///< "--clusters of fit, front", "option of lord", "key of fit --json", "[window]", "topic"
    std::string meaning;
};
/// Returns every use of every name, by name: options of commands and models, keys of reports and of a configuration,
/// topics, and values that are words. Uses with one meaning are one, where they are of one kind.
[[nodiscard]] std::vector<NameUse> name_uses(const CLI::App& app);
/// Returns the uses as text for people; with `wanted` those of these names alone. Throws `InvalidInput` (bad_option)
/// for one that there is not.
[[nodiscard]] std::string names_text(const std::vector<NameUse>& uses, const std::vector<std::string>& wanted);
/// Returns the uses as a table in Markdown.
[[nodiscard]] std::string names_markdown(const std::vector<NameUse>& uses);

/// Returns the manual page of a command, or of the program, as man reads it.
[[nodiscard]] std::string manual_page(const CLI::App& command);
/// Returns the name of its file: "fairstream-fit.1".
[[nodiscard]] std::string manual_file(const CLI::App& command);

}  // namespace fairstream::command
