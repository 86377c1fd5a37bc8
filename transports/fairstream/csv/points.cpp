#include <fairstream/csv/points.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

namespace fairstream::csv {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
/// Groups that a column may turn out to have; more must be named one by one.
constexpr std::size_t most_found_groups = 1000;
constexpr std::size_t most_groups = std::numeric_limits<GroupId>::max();

[[noreturn]] void refuse(Reason reason, const std::string& what) {
    throw InvalidInput(reason, what);
}

void check_names(const Columns& columns) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : columns.features) {
        if (!seen.insert(name).second) refuse(Reason::malformed, "feature column " + shown(name) + " is named twice");
    }
    seen.clear();
    for (const GroupColumn& column : columns.groups) {
        if (!seen.insert(column.name).second)
            refuse(Reason::malformed, "group column " + shown(column.name) + " is named twice");
    }
}

std::optional<std::int64_t> as_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::vector<std::string> in_group_order(const std::set<std::string, std::less<>>& distinct) {
    std::vector<std::string> result(distinct.begin(), distinct.end());
    if (std::all_of(result.begin(), result.end(),
                    [](const std::string& text) { return as_integer(text).has_value(); })) {
        std::stable_sort(result.begin(), result.end(),
                         [](const std::string& a, const std::string& b) { return *as_integer(a) < *as_integer(b); });
    }
    return result;
}

void require_cell(const Reader& reader, std::size_t column) {
    if (reader.cell(column).empty())
        reader.refuse_cell(column, Reason::unknown_group, "is empty where a group is needed");
}

/// A pass over the file that gives every group column without named groups the distinct cells it has.
void find_groups(const std::filesystem::path& path, std::vector<GroupColumn>& columns) {
    std::vector<GroupColumn*> open;
    for (GroupColumn& column : columns) {
        if (column.groups.empty()) open.push_back(&column);
    }
    if (open.empty()) return;
    if (path == "-") {
        refuse(Reason::malformed,
               "standard input can be read only once: the groups of column " + shown(open[0]->name) + " must be named");
    }
    Reader reader(path);
    std::vector<std::size_t> indices;
    for (const GroupColumn* column : open) indices.push_back(reader.column(column->name));
    std::vector<std::set<std::string, std::less<>>> distinct(open.size());
    while (reader.next()) {
        for (std::size_t i = 0; i < open.size(); ++i) {
            require_cell(reader, indices[i]);
            const std::string_view cell = reader.cell(indices[i]);
            if (distinct[i].contains(cell)) continue;
            if (distinct[i].size() == most_found_groups) {
                reader.refuse_cell(indices[i], Reason::unknown_group,
                                   "is the 1001st distinct value of a group column: is this an id, or a number?");
            }
            distinct[i].emplace(cell);
        }
    }
    for (std::size_t i = 0; i < open.size(); ++i) open[i]->groups = in_group_order(distinct[i]);
}

std::vector<std::string> feature_names(const Reader& reader, const Columns& columns) {
    if (!columns.features.empty()) return columns.features;
    std::unordered_set<std::string_view> other{columns.target, columns.id};
    for (const GroupColumn& column : columns.groups) other.insert(column.name);
    std::vector<std::string> result;
    for (const std::string& name : reader.header()) {
        if (!other.contains(name)) result.push_back(name);
    }
    if (result.empty()) refuse(Reason::malformed, "no column is left to be a feature");
    return result;
}

}  // namespace

PointReader::PointReader(const std::filesystem::path& path, const Columns& columns)
    : reader_((check_names(columns), path)), target_column_(none), id_column_(none) {
    features_ = feature_names(reader_, columns);
    for (const std::string& name : features_) feature_columns_.push_back(reader_.column(name));
    for (const GroupColumn& column : columns.groups) group_columns_.push_back(reader_.column(column.name));
    if (!columns.target.empty()) target_column_ = reader_.column(columns.target);
    if (!columns.id.empty()) id_column_ = reader_.column(columns.id);

    std::vector<GroupColumn> groups = columns.groups;
    find_groups(path, groups);
    format_.dimensions = static_cast<std::uint32_t>(features_.size());
    for (GroupColumn& column : groups) {
        if (column.groups.empty()) refuse(Reason::malformed, path.string() + ": there are no rows after the header");
        format_.attributes.push_back({std::move(column.name), std::move(column.groups)});
    }
    format_.has_targets = target_column_ != none;
    index_groups();
}

void PointReader::index_groups() {
    for (const Attribute& attribute : format_.attributes) {
        GroupIndex& index = group_index_.emplace_back();
        if (attribute.groups.size() > most_groups)
            refuse(Reason::malformed, "column " + shown(attribute.name) + " has more than 65535 groups");
        for (const std::string& name : attribute.groups) {
            if (!index.emplace(name, static_cast<GroupId>(index.size())).second) {
                refuse(Reason::malformed,
                       "group " + shown(name) + " of column " + shown(attribute.name) + " is named twice");
            }
        }
    }
}

bool PointReader::next(PointRow& row) {
    if (!reader_.next()) return false;
    row.id = rows_++;
    if (id_column_ != none) {
        row.id = reader_.integer(id_column_);
        if (row.id == no_point) reader_.refuse_cell(id_column_, Reason::reserved_id, "is the id that means no point");
    }
    row.features.resize(feature_columns_.size());
    for (std::size_t i = 0; i < feature_columns_.size(); ++i) row.features[i] = reader_.number(feature_columns_[i]);
    row.groups.resize(group_columns_.size());
    for (std::size_t i = 0; i < group_columns_.size(); ++i) row.groups[i] = group(i);
    row.target = target_column_ == none ? 0.0 : reader_.number(target_column_);
    return true;
}

std::size_t PointReader::read(std::size_t count, PointColumns& out) {
    out.clear();
    while (out.ids.size() < count && next(row_)) {
        out.ids.push_back(row_.id);
        for (std::size_t i = 0; i < row_.features.size(); ++i) {
            out.features.push_back(bounded(row_.features[i], feature_columns_[i]));
        }
        out.groups.insert(out.groups.end(), row_.groups.begin(), row_.groups.end());
        if (format_.has_targets) out.targets.push_back(bounded(row_.target, target_column_));
    }
    return out.ids.size();
}

GroupId PointReader::group(std::size_t attribute) const {
    const std::size_t column = group_columns_[attribute];
    const auto found = group_index_[attribute].find(reader_.cell(column));
    if (found != group_index_[attribute].end()) return found->second;
    require_cell(reader_, column);
    reader_.refuse_cell(column, Reason::unknown_group, "is none of the groups of this attribute");
}

float PointReader::bounded(double value, std::size_t column) const {
    if (std::abs(value) > double{feature_limit}) {
        reader_.refuse_cell(column, Reason::bad_feature, "is above the largest magnitude allowed, 1e15");
    }
    return static_cast<float>(value);
}

}  // namespace fairstream::csv
