#include <algorithm>
#include <array>
#include <set>

#include <fairstream/data/point_batch.hpp>

namespace fairstream {
namespace {

/// Indexed by `DateUnit`.
constexpr std::array<std::string_view, 5> date_units{"none", "seconds", "hours", "days", "years"};

void fail(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

void check_columns(const StreamFormat& format) {
    if (format.columns.empty()) return;
    if (format.columns.size() != format.dimensions)
        fail(std::to_string(format.columns.size()) + " columns for " + std::to_string(format.dimensions) +
             " features: must be one column per feature");
    std::set<std::string_view> names;
    for (const FeatureColumn& column : format.columns) {
        if (column.name.empty()) fail("a column has no name");
        if (!names.insert(column.name).second) fail("column '" + column.name + "' is listed twice");
        if (column.buckets != 0 && (column.buckets < least_buckets || column.buckets > most_buckets))
            fail("column '" + column.name + "' is hashed into " + std::to_string(column.buckets) +
                 " buckets: must be 2 to 65535");
        if ((column.levels.empty() ? 0 : 1) + (column.buckets > 0 ? 1 : 0) + (column.dates != DateUnit::none ? 1 : 0) >
            1)
            fail("column '" + column.name + "' has more than one of levels, hash and dates: keep one of them");
        if (column.levels.size() > 65535)
            fail("column '" + column.name + "' has " + std::to_string(column.levels.size()) +
                 " levels: must be at most 65535");
        std::set<std::string_view> levels;
        for (const std::string& level : column.levels) {
            if (!levels.insert(level).second) fail("column '" + column.name + "' lists level '" + level + "' twice");
        }
    }
}

}  // namespace

std::string_view to_string(DateUnit unit) noexcept {
    return date_units[static_cast<std::size_t>(unit)];
}

std::optional<DateUnit> find_date_unit(std::string_view name) noexcept {
    const auto found = std::ranges::find(date_units.begin() + 1, date_units.end(), name);
    if (found == date_units.end()) return std::nullopt;
    return static_cast<DateUnit>(found - date_units.begin());
}

void check(const StreamFormat& format) {
    if (format.dimensions < 1 || format.dimensions > 65536)
        fail("dimensions = " + std::to_string(format.dimensions) + ": must be 1 to 65536");
    if (format.ids_are_hashes && !format.has_text_ids) fail("ids_are_hashes = true: needs has_text_ids = true");
    if (format.targets_come_later && !format.has_targets) fail("targets_come_later = true: needs has_targets = true");
    if (format.attributes.size() > 256)
        fail(std::to_string(format.attributes.size()) + " protected attributes: must be at most 256");
    std::set<std::string_view> names;
    for (const Attribute& attribute : format.attributes) {
        if (attribute.name.empty()) fail("a protected attribute has no name");
        if (!names.insert(attribute.name).second) fail("attribute '" + attribute.name + "' is listed twice");
        if (attribute.groups.empty() || attribute.groups.size() > 65535)
            fail("attribute '" + attribute.name + "' has " + std::to_string(attribute.groups.size()) +
                 " groups: must be 1 to 65535");
        if (attribute.known_groups() == 0)
            fail("attribute '" + attribute.name + "' has only its unknown group: add a known group");
        std::set<std::string_view> groups;
        for (const std::string& group : attribute.groups) {
            if (groups.insert(group).second) continue;
            const bool is_unknown = attribute.has_unknown && group == attribute.groups.back();
            fail("attribute '" + attribute.name + "' lists group '" + group + "' twice" +
                 (is_unknown ? ": it is the unknown group, so it must not be among the known groups" : ""));
        }
    }
    check_columns(format);
}

PointBatch PointBatch::slice(std::size_t first, std::size_t count) const {
    const std::size_t n = size();
    const std::size_t d = n == 0 ? 0 : features.size() / n;
    const std::size_t a = n == 0 ? 0 : groups.size() / n;
    return {ids.empty() ? ids : ids.subspan(first, count),
            features.subspan(first * d, count * d),
            groups.subspan(first * a, count * a),
            targets.empty() ? targets : targets.subspan(first, count),
            event_time,
            weights.empty() ? weights : weights.subspan(first, count),
            id_texts.empty() ? id_texts : id_texts.subspan(first, count)};
}

void PointColumns::append(const PointBatch& points) {
    const auto add = [](auto& column, const auto& values) {
        column.insert(column.end(), values.begin(), values.end());
    };
    add(ids, points.ids);
    add(features, points.features);
    add(groups, points.groups);
    add(targets, points.targets);
    add(weights, points.weights);
    for (std::size_t i = 0; i < points.id_texts.size(); ++i) id_texts.add(points.id_texts[i]);
}

void PointColumns::clear() noexcept {
    ids.clear();
    features.clear();
    groups.clear();
    targets.clear();
    weights.clear();
    id_texts.clear();
    event_time = 0;
}

bool is_of_numbers(const StreamFormat& format, std::size_t column) noexcept {
    if (format.columns.empty()) return true;
    const FeatureColumn& of = format.columns[column];
    return !of.is_category() && of.dates == DateUnit::none && !of.may_be_missing;
}

std::vector<ColumnAsSent> columns_as_sent(const StreamFormat& format) {
    if (format.as_sent) return *format.as_sent;
    std::vector<ColumnAsSent> columns;
    for (std::uint32_t j = 0; j < format.dimensions; ++j) {
        if (format.columns.empty())
            columns.push_back({std::to_string(j), j});
        else if (is_of_numbers(format, j))
            columns.push_back({format.columns[j].name, j});
    }
    return columns;
}

}  // namespace fairstream
