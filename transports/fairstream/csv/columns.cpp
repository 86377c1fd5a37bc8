#include <fairstream/csv/columns.hpp>

#include <algorithm>

#include <fairstream/csv/shown.hpp>

namespace fairstream::csv {
namespace {

void check_names(const Columns& columns) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : columns.features) {
        if (!seen.insert(name).second)
            throw InvalidInput(Reason::malformed, "feature column " + shown(name) + " is named twice");
        // A model must not learn from the target or the classes, nor from the column that assigns rows to parts.
        if (name == columns.target || name == columns.classes || name == columns.part || name == columns.weight)
            throw InvalidInput(Reason::malformed, "feature column " + shown(name) + " is the one of the " +
                                                      (name == columns.target    ? "target"
                                                       : name == columns.classes ? "classes"
                                                       : name == columns.weight  ? "weights"
                                                                                 : "split") +
                                                      " too");
    }
}

}  // namespace

std::vector<std::string> names_of_all(const std::vector<std::string>& features, const Columns& columns) {
    std::vector<std::string> names = features;
    for (const GroupColumn& column : columns.groups) names.push_back(column.name);
    if (!columns.target.empty()) names.push_back(columns.target);
    return names;
}

std::vector<std::string> names_of_roles(const Columns& columns) {
    std::vector<std::string> names = columns.needed;
    for (const std::string& name :
         {columns.id, columns.weight, columns.time, columns.part, columns.event, columns.classes})
        if (!name.empty()) names.push_back(name);
    return names;
}

Reader open_reader(const InputFile& file, const Columns& columns, const std::function<void(double)>& progress) {
    check_names(columns);
    Reader reader(file);
    if (columns.features.empty()) reader.find_all_columns(progress);
    reader.expect(names_of_all(columns.features, columns));
    reader.expect(names_of_roles(columns));
    reader.expect(columns.kept);
    const auto is_there = [&](const std::string& name) { return std::ranges::count(reader.header(), name) > 0; };
    if (std::ranges::any_of(columns.features, is_there)) reader.provide(columns.optional);
    return reader;
}

std::unordered_set<std::string_view> no_features(const Columns& columns) {
    std::unordered_set<std::string_view> names{columns.target, columns.classes, columns.id,   columns.part,
                                               columns.weight, columns.time,    columns.event};
    for (const GroupColumn& column : columns.groups) names.insert(column.name);
    for (const auto* const others : {&columns.left_out, &columns.set_aside})
        names.insert(others->begin(), others->end());
    return names;
}

std::vector<std::string> feature_names(const Reader& reader, const Columns& columns) {
    for (const std::string& name : columns.left_out)
        // Columns whose name is repeated may be left out.
        if (std::ranges::count(reader.header(), name) == 0) (void)reader.column(name);
    if (!columns.features.empty()) return columns.features;
    const std::unordered_set<std::string_view> other = no_features(columns);
    std::vector<std::string> result;
    for (const std::string& name : reader.header()) {
        if (!other.contains(name)) result.push_back(name);
    }
    if (result.empty()) throw InvalidInput(Reason::malformed, "no column is left to be a feature");
    return result;
}

}  // namespace fairstream::csv
