#include <fairstream/input/groups_of_points.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fairstream/files/cells/shown.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::files {
namespace {

constexpr std::size_t most_named_groups = 6;

/// Returns for each group of attribute `a` whether a row from `first` on has it.
std::vector<bool> groups_from(const Table& table, std::size_t first, std::size_t a) {
    const std::size_t attributes = table.format.attributes.size();
    std::vector<bool> is_there(table.format.attributes[a].groups.size());
    for (std::size_t row = first; row < table.size(); ++row) is_there[table.groups[row * attributes + a]] = true;
    return is_there;
}

/// Returns "group 'C'" or "groups 'C', 'D'".
std::string named(const std::vector<std::string>& groups) {
    return (groups.size() == 1 ? "group " : "groups ") + first_shown(groups, most_named_groups);
}

/// Returns the number of known groups that have a point.
std::size_t known_among(const std::vector<bool>& is_there, const Attribute& attribute) {
    const auto known = is_there.begin() + static_cast<std::ptrdiff_t>(attribute.known_groups());
    return static_cast<std::size_t>(std::count(is_there.begin(), known, true));
}

/// Removes absent groups from attribute `a` and returns them; does nothing if fewer than two would remain.
std::vector<std::string> leave_out(const std::vector<bool>& is_there, std::size_t a, Table& table) {
    const std::size_t attributes = table.format.attributes.size();
    Attribute& attribute = table.format.attributes[a];
    if (known_among(is_there, attribute) < 2) return {};
    std::vector<GroupId> number(is_there.size());
    std::vector<std::string> kept, gone;
    for (std::size_t g = 0; g < is_there.size(); ++g) {
        number[g] = static_cast<GroupId>(kept.size());
        (is_there[g] || g >= attribute.known_groups() ? kept : gone).push_back(attribute.groups[g]);
    }
    if (gone.empty()) return {};
    attribute.groups = std::move(kept);
    for (std::size_t i = a; i < table.groups.size(); i += attributes) table.groups[i] = number[table.groups[i]];
    return gone;
}

}  // namespace

std::vector<std::string> leave_out_groups_without_points(Table& table, InputStream& stream) {
    std::vector<std::string> notes;
    for (std::size_t a = 0; a < table.format.attributes.size(); ++a) {
        const std::vector<std::string> gone = leave_out(groups_from(table, 0, a), a, table);
        if (!gone.empty())
            notes.push_back("column " + shown(table.format.attributes[a].name) + ": no point is in " + named(gone) +
                            ", as such rows are left out: targets and figures leave " +
                            (gone.size() == 1 ? "it" : "them") + " out");
    }
    stream.format.attributes = table.format.attributes;
    return notes;
}

std::vector<std::string> leave_out_groups_that_leave(std::size_t window, Table& table, InputStream& stream) {
    if (window >= table.size()) return {};
    const std::size_t attributes = table.format.attributes.size(), first = table.size() - window;
    std::vector<std::vector<bool>> stays;
    for (std::size_t a = 0; a < attributes; ++a) {
        stays.push_back(groups_from(table, first, a));
        const Attribute& attribute = table.format.attributes[a];
        const bool are_compared = known_among(stays[a], attribute) > 1;
        for (std::size_t g = are_compared ? attribute.known_groups() : 0; g < stays[a].size(); ++g) stays[a][g] = true;
    }
    std::vector<std::uint64_t> rows;
    for (std::size_t row = 0; row < table.size(); ++row) {
        bool is_of_groups = true;
        for (std::size_t a = 0; a < attributes; ++a)
            is_of_groups = is_of_groups && stays[a][table.groups[row * attributes + a]];
        if (is_of_groups) rows.push_back(row);
    }
    const std::size_t left_out = table.size() - rows.size();
    if (left_out == 0) return {};
    select_rows(table, rows);
    std::vector<std::string> notes;
    for (std::size_t a = 0; a < attributes; ++a) {
        const std::vector<std::string> gone = leave_out(stays[a], a, table);
        if (!gone.empty())
            notes.push_back("column " + shown(table.format.attributes[a].name) + ": --window retains no point of " +
                            named(gone) + ": the points of " + (gone.size() == 1 ? "that group" : "those groups") +
                            " are left out, and so are targets and figures about " +
                            (gone.size() == 1 ? "it" : "them"));
    }
    stream.format.attributes = table.format.attributes;
    return notes;
}

void require_two_groups(const Table& table, const std::string& points) {
    for (std::size_t a = 0; a < table.format.attributes.size(); ++a) {
        const Attribute& attribute = table.format.attributes[a];
        const std::vector<bool> is_there = groups_from(table, 0, a);
        if (known_among(is_there, attribute) > 1) continue;
        const auto one = static_cast<std::size_t>(std::ranges::find(is_there, true) - is_there.begin());
        throw InvalidInput(
            Reason::not_ready,
            "all " + counted(static_cast<std::int64_t>(table.size())) + " " + points + " are in " +
                (one < attribute.known_groups() ? "one group, " + attribute.groups[one] : "no known group") +
                ": there is nothing to compare");
    }
}

std::vector<std::string> notes_on_groups_kept(const std::vector<Attribute>& listed,
                                              const std::vector<Attribute>& used) {
    std::vector<std::string> notes;
    for (std::size_t a = 0; a < listed.size(); ++a) {
        std::vector<std::string> kept = listed[a].groups;
        std::erase_if(kept, [&](const std::string& group) { return std::ranges::count(used[a].groups, group) > 0; });
        if (!kept.empty())
            notes.push_back("the saved configuration lists " + named(kept) + " of column " + shown(listed[a].name) +
                            " for later points: an engine's balance is 0 " + "while it retains no point of " +
                            (kept.size() == 1 ? "it" : "one of them"));
    }
    return notes;
}

}  // namespace fairstream::files
