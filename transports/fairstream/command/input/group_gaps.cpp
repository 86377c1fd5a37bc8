#include <fairstream/command/input/group_gaps.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/by_column.hpp>
#include <fairstream/command/input/words_for_missing.hpp>
#include <fairstream/csv/profile.hpp>
#include <fairstream/csv/shown.hpp>

namespace fairstream::command {
namespace {

bool may_be_missing(const std::string& group) {
    constexpr std::array<std::string_view, 18> words = {"unknown",
                                                        "unspecified",
                                                        "not stated",
                                                        "not specified",
                                                        "not reported",
                                                        "not known",
                                                        "not available",
                                                        "undisclosed",
                                                        "no answer",
                                                        "n.a.",
                                                        "not answered",
                                                        "refused",
                                                        "not given",
                                                        "prefer not to say",
                                                        ".",
                                                        "--",
                                                        "*",
                                                        "n/a"};
    const std::string small = csv::in_lower_case(group);
    return csv::is_missing_value(group) || is_word_for_missing(small) || std::ranges::count(words, small) > 0;
}

}  // namespace

void GroupGaps::add(const std::string& column, const std::vector<std::string>& groups) {
    std::vector<std::string> gaps;
    for (const std::string& group : groups)
        if (may_be_missing(group)) gaps.push_back(group);
    if (gaps.empty()) return;
    for (const std::string& group : gaps) gaps_.push_back({column, group});
    described_.push_back("column " + csv::shown(column) + " has groups that may be missing values, " +
                         csv::first_shown(gaps, gaps.size()));
}

std::optional<std::string> GroupGaps::note(const std::string& unknown_group) const {
    if (gaps_.empty()) return std::nullopt;
    // Where some groups are not known, --unknown-group takes what means a missing value in any file; all other words
    // have to be named.
    const auto word = std::ranges::find_if(gaps_, [](const Gap& gap) { return !csv::is_missing_value(gap.group); });
    const bool is_given = !unknown_group.empty();
    const std::string name = is_given ? unknown_group : word == gaps_.end() ? "unknown" : word->group;
    std::string options = is_given ? "" : " --unknown-group " + shell_word(name), dropped;
    for (const Gap& gap : gaps_) {
        if (!csv::is_missing_value(gap.group) && gap.group != name)
            options += " --missing-text " + shell_word(gap.column + "=" + gap.group);
        const std::string drop = " --missing " + shell_word(gap.column + "=drop");
        if (dropped.find(drop) == std::string::npos) dropped += drop;
    }
    const bool are_dropped = word == gaps_.end();
    return with_commas(described_, "; ") + ":" + options +
           (is_given ? " puts them into group " + csv::shown(name) + ", which no target or figure is about"
                     : " makes them a group that no target or figure is about") +
           (are_dropped ? "," + dropped + " leaves such rows out" : "");
}

}  // namespace fairstream::command
