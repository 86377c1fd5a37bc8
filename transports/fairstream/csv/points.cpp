#include <fairstream/csv/points.hpp>

#include <cmath>
#include <limits>
#include <unordered_set>

namespace fairstream::csv {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

void check_names(const Columns& columns) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : columns.features) {
        if (!seen.insert(name).second)
            throw InvalidInput(Reason::malformed, "feature column " + shown(name) + " is named twice");
        // A model must not learn from the target, nor from the column that assigns rows to parts.
        if (name == columns.target || name == columns.part)
            throw InvalidInput(Reason::malformed, "feature column " + shown(name) + " is the one of the " +
                                                      (name == columns.target ? "target" : "split") + " too");
    }
}

std::vector<std::string> feature_names(const Reader& reader, const Columns& columns) {
    if (!columns.features.empty()) return columns.features;
    std::unordered_set<std::string_view> other{columns.target, columns.id, columns.part};
    for (const GroupColumn& column : columns.groups) other.insert(column.name);
    std::vector<std::string> result;
    for (const std::string& name : reader.header()) {
        if (!other.contains(name)) result.push_back(name);
    }
    if (result.empty()) throw InvalidInput(Reason::malformed, "no column is left to be a feature");
    return result;
}

std::vector<std::size_t> indices(const Reader& reader, const std::vector<std::string>& names) {
    std::vector<std::size_t> result;
    for (const std::string& name : names) result.push_back(reader.column(name));
    return result;
}

}  // namespace

PointReader::PointReader(const std::filesystem::path& path, const Columns& columns)
    : reader_((check_names(columns), path)),
      features_(feature_names(reader_, columns)),
      feature_columns_(indices(reader_, features_)),
      target_column_(columns.target.empty() ? none : reader_.column(columns.target)),
      id_column_(columns.id.empty() ? none : reader_.column(columns.id)),
      part_column_(columns.part.empty() ? none : reader_.column(columns.part)),
      groups_(path, reader_, columns.groups),
      format_{static_cast<std::uint32_t>(features_.size()), groups_.attributes(), target_column_ != none} {}

bool PointReader::next(PointRow& row) {
    if (!reader_.next()) return false;
    row.id = rows_++;
    if (id_column_ != none) {
        row.id = reader_.integer(id_column_);
        if (row.id == no_point) reader_.refuse_cell(id_column_, Reason::reserved_id, "is the id that means no point");
    }
    row.features.resize(feature_columns_.size());
    for (std::size_t i = 0; i < feature_columns_.size(); ++i) row.features[i] = reader_.number(feature_columns_[i]);
    groups_.read(reader_, row.groups);
    row.target = target_column_ == none ? 0.0 : reader_.number(target_column_);
    if (part_column_ != none) row.part = part();
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

std::uint8_t PointReader::part() const {
    const std::uint64_t part = reader_.integer(part_column_);
    if (part > 2) reader_.refuse_cell(part_column_, Reason::malformed, "is no part: must be 0 for training, 1 or 2");
    return static_cast<std::uint8_t>(part);
}

float PointReader::bounded(double value, std::size_t column) const {
    if (std::abs(value) > double{feature_limit}) {
        reader_.refuse_cell(column, Reason::bad_feature, "is above the largest magnitude allowed, 1e15");
    }
    return static_cast<float>(value);
}

}  // namespace fairstream::csv
