#pragma once
/// Options whose values apply to columns: "age,hours=mean" to these two columns, "mean" to all other columns.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::files {

/// The values of one option, by column.
class ByColumn {
public:
    /// Reads `texts`, each a value, or one or several of COL,...=VALUE. A name with a comma or an equals sign in it is
    /// recognised if `columns` has it, or in double quotes. Throws `InvalidInput` (bad_option) for a column outside
    /// `columns`, and for a column, or the general value, set twice. `excluded` says why the option is not for some
    /// columns of the file, by name: "is left out by --leave-out".
    ByColumn(std::string option, const std::vector<std::string>& texts, const std::vector<std::string>& columns,
             std::map<std::string, std::string> excluded = {});

    [[nodiscard]] const std::string& option() const noexcept { return option_; }
    /// Returns the value given for a column by name.
    [[nodiscard]] std::optional<std::string> named(const std::string& column) const;
    /// Returns the value of a column: its own, otherwise the general one.
    [[nodiscard]] std::optional<std::string> of(const std::string& column) const;

private:
    void read(std::string_view text, const std::vector<std::string>& columns);
    void add(const std::string& column, const std::string& value, const std::vector<std::string>& columns);

    std::string option_;
    std::map<std::string, std::string> values_;
    std::map<std::string, std::string> excluded_;  // columns that the option is not for, with the reason
    std::optional<std::string> others_;
};

/// Returns names in the form that `read_names` reads: those with a comma, a quote or an equals sign in double quotes.
[[nodiscard]] std::string names_text(const std::vector<std::string>& names);

/// Returns names joined for display: "age,hours".
[[nodiscard]] std::string with_commas(const std::vector<std::string>& names, std::string_view comma = ",");

}  // namespace fairstream::files
