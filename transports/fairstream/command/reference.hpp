#pragma once
/// Reference generated from the commands, models and tables: the meaning of each name, schemas of reports, and manual
/// pages.

#include <filesystem>
#include <string>
#include <vector>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// The meaning of a name in one place.
struct NameUse {
    std::string name;
    std::string place;  ///< "--clusters of fit, front", "option of lord", "key of fit --json", "[window]", "topic"
    std::string meaning;
};
/// Returns every use of every name, sorted by name: options of commands and models, keys of reports and of a
/// configuration, topics, and values that are words. Uses of one kind with the same meaning are merged.
[[nodiscard]] std::vector<NameUse> name_uses(const CLI::App& app);
/// Returns the uses as text for people; with `wanted`, only the uses of these names. Throws `InvalidInput` (bad_option)
/// for an unknown name.
[[nodiscard]] std::string names_text(const std::vector<NameUse>& uses, const std::vector<std::string>& wanted);
/// Returns the uses as a table in Markdown.
[[nodiscard]] std::string names_markdown(const std::vector<NameUse>& uses);

/// Returns the manual page of a command, or of the program, in roff for `man`.
[[nodiscard]] std::string manual_page(const CLI::App& command);
/// Returns the name of the manual page's file: "fairstream-fit.1".
[[nodiscard]] std::string manual_file(const CLI::App& command);

}  // namespace fairstream::command
