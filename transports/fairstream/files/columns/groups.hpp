#pragma once
/// The group columns of a CSV file: their groups, and the group of a cell.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/cells/text_hash.hpp>
#include <fairstream/files/columns/unlisted.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// A column that holds a protected attribute as text.
struct GroupColumn {
    std::string name;
    /// The names of the groups: group g is `groups[g]`, and any other cell is refused. If empty, the groups are the
    /// distinct cells, without blanks around them, found in a pass over the file. They are sorted as numbers if all are
    /// integers, otherwise byte by byte.
    std::vector<std::string> groups;
    /// Whether the last listed group takes every other cell, including empty ones.
    bool has_unknown = false;
};

/// Returns how often a file is read: for its rows and, if groups must be found, once more.
[[nodiscard]] Passes passes_for(const std::vector<GroupColumn>& columns);

/// Turns cells of the group columns into groups; blanks around a cell are ignored. Another program's spelling of a
/// group counts as that group: 1.0 is 1; with the two groups True and False, TRUE and 1 count as True.
class GroupReader {
public:
    /// Throws `InvalidInput` for a column that does not exist or is named twice, and for a group that is named twice.
    /// When groups must be found, throws also for empty cells, more than 1,000 groups, or an input that can be read
    /// only once (`passes_for`).
    GroupReader(const Reader& reader, std::vector<GroupColumn> columns);

    [[nodiscard]] const std::vector<Attribute>& attributes() const noexcept { return attributes_; }
    /// Puts the groups of the reader's current row into `out`, one per attribute. Throws `InvalidInput`
    /// (unknown_group), naming file, line and column.
    void read(const Reader& reader, std::vector<GroupId>& out);
    /// Returns the cells counted as an unknown group, for each of the a columns.
    [[nodiscard]] const std::vector<UnlistedCells>& unlisted() const noexcept { return unlisted_; }
    /// `begin_row` drops the unlisted cells of a row that is left out; `count_row` counts those of a point.
    void begin_row() noexcept { unlisted_of_row_.clear(); }
    void count_row();

private:
    using GroupIndex = std::unordered_map<std::string, GroupId, TextHash, std::equal_to<>>;

    void index_groups();
    [[nodiscard]] static std::optional<GroupId> group_of_other_spelling(std::string_view cell,
                                                                        const Attribute& attribute,
                                                                        const GroupIndex& index);
    [[nodiscard]] GroupId group(const Reader& reader, std::size_t attribute);

    std::vector<Attribute> attributes_;
    std::vector<std::size_t> columns_;     // a
    std::vector<GroupIndex> index_;        // a
    std::vector<UnlistedCells> unlisted_;  // a
    std::vector<std::pair<std::size_t, std::string>> unlisted_of_row_;
};

}  // namespace fairstream::files
