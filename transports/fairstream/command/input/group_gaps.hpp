#pragma once
/// Groups whose names are words for missing values, such as Unknown and "not stated".

#include <optional>
#include <string>
#include <vector>

namespace fairstream::command {

/// Collects such groups of all group columns: the group of points whose group is not known has one name for all of
/// them, so that one note names the options that together take them.
class GroupGaps {
public:
    void add(const std::string& column, const std::vector<std::string>& groups);
    /// Returns the note; nothing where there is no such group. `unknown_group`: the name that is given; empty: none.
    [[nodiscard]] std::optional<std::string> note(const std::string& unknown_group) const;

private:
    struct Gap {
        std::string column, group;
    };
    std::vector<Gap> gaps_;
    std::vector<std::string> described_;  // "'sex' has groups that may be missing values, ..."
};

}  // namespace fairstream::command
