#include <fairstream/files/columns/groups.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/files/columns/profile.hpp>

namespace fairstream::files {
namespace {

/// Largest number of groups found in a column; more must be listed by name.
constexpr std::size_t most_found_groups = 1000;
constexpr std::size_t most_groups = std::numeric_limits<GroupId>::max();

void check_names(const std::vector<GroupColumn>& columns) {
    std::unordered_set<std::string_view> seen;
    for (const GroupColumn& column : columns) {
        if (!seen.insert(column.name).second)
            throw InvalidInput(Reason::malformed, "group column " + shown(column.name) + " is named twice");
    }
}

void require_cell(const Reader& reader, std::size_t column) {
    if (reader.trimmed_cell(column).empty())
        reader.refuse_cell(column, Reason::unknown_group, "is empty where a group is needed", Fault::group);
}

/// Reads the file and sets the groups of every group column without listed groups to its distinct cells.
void find_groups(const Reader& like, std::vector<GroupColumn>& columns) {
    std::vector<GroupColumn*> open;
    for (GroupColumn& column : columns) {
        if (column.groups.empty()) open.push_back(&column);
    }
    if (open.empty()) return;
    Reader reader(like.input());
    for (const GroupColumn* column : open) reader.expect(std::span(&column->name, 1));
    reader.set_missing_texts(like.missing_texts());
    std::vector<std::size_t> indices;
    for (const GroupColumn* column : open) indices.push_back(reader.column(column->name));
    std::vector<std::set<std::string, std::less<>>> distinct(open.size());
    while (reader.next()) {
        for (std::size_t i = 0; i < open.size(); ++i) {
            require_cell(reader, indices[i]);
            const std::string_view cell = reader.trimmed_cell(indices[i]);
            if (distinct[i].contains(cell)) continue;
            if (distinct[i].size() == most_found_groups) {
                reader.refuse_cell(indices[i], Reason::unknown_group,
                                   "is the 1001st different value of a group column, which may have at most 1000: does "
                                   "the column hold ids or numbers instead of groups?");
            }
            distinct[i].emplace(cell);
        }
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        open[i]->groups.assign(distinct[i].begin(), distinct[i].end());
        sort_values(open[i]->groups);
    }
}

}  // namespace

Passes passes_for(const std::vector<GroupColumn>& columns) {
    const bool finds = std::ranges::any_of(columns, [](const GroupColumn& column) { return column.groups.empty(); });
    return finds ? Passes::many : Passes::one;
}

GroupReader::GroupReader(const Reader& reader, std::vector<GroupColumn> columns) {
    check_names(columns);
    for (const GroupColumn& column : columns) columns_.push_back(reader.column(column.name));
    find_groups(reader, columns);
    for (GroupColumn& column : columns) {
        if (column.groups.empty())
            throw InvalidInput(Reason::malformed, reader.input().name() + ": there are no rows after the header");
        attributes_.push_back({std::move(column.name), std::move(column.groups), column.has_unknown});
    }
    index_groups();
}

void GroupReader::read(const Reader& reader, std::vector<GroupId>& out) {
    out.resize(attributes_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = group(reader, i);
}

void GroupReader::index_groups() {
    for (const Attribute& attribute : attributes_) {
        GroupIndex& index = index_.emplace_back();
        unlisted_.push_back(
            {.column = attribute.name, .kind = UnlistedCells::Kind::groups, .taken_for = attribute.groups.back()});
        if (attribute.groups.size() > most_groups)
            throw InvalidInput(Reason::malformed, "column " + shown(attribute.name) +
                                                      " has more than 65535 groups: must be at most 65535");
        for (const std::string& name : attribute.groups) {
            if (!index.emplace(name, static_cast<GroupId>(index.size())).second) {
                throw InvalidInput(Reason::malformed,
                                   "group " + shown(name) + " of column " + shown(attribute.name) + " is named twice");
            }
        }
    }
}

void GroupReader::count_row() {
    for (const auto& [attribute, cell] : unlisted_of_row_) unlisted_[attribute].add(cell);
    begin_row();
}

/// Returns the group of which the cell is another spelling, as programs write codes: 1.0 for 1, or True for TRUE or 1.
std::optional<GroupId> GroupReader::group_of_other_spelling(std::string_view cell, const Attribute& attribute,
                                                            const GroupIndex& index) {
    const std::size_t known = attribute.known_groups();
    if (known == 2)
        if (const auto level = truth_level({attribute.groups[0], attribute.groups[1]}, cell))
            return static_cast<GroupId>(*level);
    constexpr std::string_view decimal = ".0";
    const std::string_view whole = cell.ends_with(decimal) ? cell.substr(0, cell.size() - decimal.size()) : cell;
    const std::string_view digits = whole.substr(whole.starts_with('-') ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    const auto found =
        index.find(cell.ends_with(decimal) ? std::string(whole) : std::string(cell) + std::string(decimal));
    if (found == index.end() || found->second >= known) return std::nullopt;
    return found->second;
}

GroupId GroupReader::group(const Reader& reader, std::size_t attribute) {
    const std::size_t column = columns_[attribute];
    const GroupIndex& index = index_[attribute];
    // A group's name may itself have blanks around it.
    auto found = index.find(reader.cell(column));
    if (found == index.end()) found = index.find(reader.trimmed_cell(column));
    if (found != index.end()) return found->second;
    if (const auto same = group_of_other_spelling(reader.trimmed_cell(column), attributes_[attribute], index))
        return *same;
    if (attributes_[attribute].has_unknown) {
        // A text that was given as a missing value needs no remark.
        if (!reader.had_missing_text(column)) unlisted_of_row_.emplace_back(attribute, reader.trimmed_cell(column));
        return static_cast<GroupId>(attributes_[attribute].groups.size() - 1);
    }
    require_cell(reader, column);
    constexpr std::size_t most_named = 6;
    const std::vector<std::string>& groups = attributes_[attribute].groups;
    reader.refuse_cell(column, Reason::unknown_group,
                       "is none of the groups of this attribute, " + first_shown(groups, most_named) +
                           did_you_mean(std::string(reader.trimmed_cell(column)), groups),
                       Fault::group);
}

}  // namespace fairstream::files
