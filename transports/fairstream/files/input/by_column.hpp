#pragma once
/// Options that say something of columns: "age,hours=mean" of these, "mean" of all others.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::files {

/// The values that one option gives to columns.
class ByColumn {
public:
    /// Reads `texts`, each a value, or COL,...=VALUE,... with several of these. A name with a comma or an equals sign
    /// in it is taken as a whole where `columns` has it, and where it is in double quotes. Throws `InvalidInput`
    /// (bad_option) for a column that is none of `columns`, and for a column, or all others, with two values.
    ByColumn(std::string option, const std::vector<std::string>& texts, const std::vector<std::string>& columns);

    [[nodiscard]] const std::string& option() const noexcept { return option_; }
    /// Returns the value of a column that is named.
    [[nodiscard]] std::optional<std::string> named(const std::string& column) const;
    /// Returns the value of a column: its own, or that of all others.
    [[nodiscard]] std::optional<std::string> of(const std::string& column) const;

private:
    void read(std::string_view text, const std::vector<std::string>& columns);
    void add(const std::string& column, const std::string& value, const std::vector<std::string>& columns);

    std::string option_;
    std::map<std::string, std::string> values_;
    std::optional<std::string> others_;
};

/// Returns names as `read_names` reads them: those with a comma, a quote or an equals sign in double quotes.
[[nodiscard]] std::string names_text(const std::vector<std::string>& names);

/// Returns names one after the other, to be shown: "age,hours".
[[nodiscard]] std::string with_commas(const std::vector<std::string>& names, std::string_view comma = ",");

}  // namespace fairstream::files
