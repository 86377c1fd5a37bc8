#pragma once
/// The group columns of a CSV file: which groups each has, and the group of a cell.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fairstream/csv/reader.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::csv {

/// A column that holds a protected attribute, its groups as text.
struct GroupColumn {
    std::string name;
    /// Group g is `groups[g]`, and a cell that is none of them is refused. Empty: a pass over the file finds the
    /// distinct cells; sorted as numbers when all of them are integers, otherwise byte by byte, they are the groups.
    std::vector<std::string> groups;
};

/// Turns cells of the group columns into groups.
class GroupReader {
public:
    /// `reader` reads the file `path`. Throws `InvalidInput` for a column that is not there or named twice, a group
    /// that is named twice, and for cells without text or in their thousands where groups are to be found. "-" is
    /// standard input: it can be read once only, so that all groups must be named.
    GroupReader(const std::filesystem::path& path, const Reader& reader, std::vector<GroupColumn> columns);

    [[nodiscard]] const std::vector<Attribute>& attributes() const noexcept { return attributes_; }
    /// Puts the groups of the reader's current row into `out`, one per attribute. Throws `InvalidInput` (unknown_group)
    /// naming file, line and column.
    void read(const Reader& reader, std::vector<GroupId>& out) const;

private:
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    };
    using GroupIndex = std::unordered_map<std::string, GroupId, TextHash, std::equal_to<>>;

    void index_groups();
    [[nodiscard]] GroupId group(const Reader& reader, std::size_t attribute) const;

    std::vector<Attribute> attributes_;
    std::vector<std::size_t> columns_;  // a
    std::vector<GroupIndex> index_;     // a
};

}  // namespace fairstream::csv
