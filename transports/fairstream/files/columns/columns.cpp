#include <fairstream/files/columns/columns.hpp>

#include <algorithm>

#include <fairstream/files/cells/numbers.hpp>

namespace fairstream::files {
namespace {

void check_names(const Roles& roles) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : roles.features) {
        if (!seen.insert(name).second)
            throw InvalidInput(Reason::malformed, "feature column " + shown(name) + " is named twice");
        // A model must not learn from the target, the classes, the weight or the column of the split.
        if (name == roles.target || name == roles.classes || name == roles.part || name == roles.weight)
            throw InvalidInput(Reason::malformed, "feature column " + shown(name) + " is also the column of the " +
                                                      (name == roles.target    ? "target"
                                                       : name == roles.classes ? "classes"
                                                       : name == roles.weight  ? "weights"
                                                                               : "split") +
                                                      ": name it once");
    }
}

/// Throws for repeated names of columns; the error lists these names and the option that renames columns.
void require_distinct(const Reader& reader, const std::vector<std::string>& features) {
    constexpr std::size_t most_renamed = 40;
    std::vector<std::string> repeated, renamed;
    for (const std::string& name : features)
        if (std::ranges::count(reader.header(), name) > 1 && std::ranges::count(repeated, name) == 0)
            repeated.push_back(name);
    if (repeated.empty()) return;
    for (const std::string& name : reader.header()) {
        std::string other = name;
        for (int number = 2; std::ranges::count(renamed, other) > 0; ++number)
            other = name + "_" + std::to_string(number);
        renamed.push_back(std::move(other));
    }
    const bool is_plain = renamed.size() <= most_renamed && std::ranges::none_of(renamed, [](const std::string& name) {
                              return name.find_first_of(" ,\"'$`\\&|;<>()*?!#~") != std::string::npos;
                          });
    const bool is_row = is_missing_value(repeated[0]) || (repeated[0][0] >= '0' && repeated[0][0] <= '9');
    throw InvalidInput(
        Reason::malformed,
        reader.input().name() + ":1: the header repeats " + first_shown(repeated, repeated.size()) +
            (is_row     ? ": that line seems to be a row: add --no-header"
             : is_plain ? ": add --names " + first_few(renamed, renamed.size(), ",")
                        : ": give the columns other names with --names, or leave them out with --leave-out"));
}

}  // namespace

std::vector<std::string> columns_of_point(const std::vector<std::string>& features, const Roles& roles) {
    std::vector<std::string> names = features;
    for (const GroupColumn& column : roles.groups) names.push_back(column.name);
    if (!roles.target.empty()) names.push_back(roles.target);
    return names;
}

Reader open_reader(const InputFile& file, const Roles& roles, const std::function<void(double)>& progress) {
    check_names(roles);
    Reader reader(file);
    if (roles.features.empty()) reader.find_all_columns(progress);
    reader.expect(columns_of_point(roles.features, roles));
    std::vector<std::string> others = roles.needed;
    for (const std::string& name : {roles.id, roles.weight, roles.time, roles.part, roles.event, roles.classes})
        if (!name.empty()) others.push_back(name);
    others.insert(others.end(), roles.kept.begin(), roles.kept.end());
    others.insert(others.end(), roles.left_out.begin(), roles.left_out.end());
    reader.expect(others);
    if (std::ranges::any_of(roles.features, [&](const std::string& name) { return reader.has_column(name); }))
        reader.provide(roles.optional);
    return reader;
}

std::unordered_set<std::string_view> non_feature_columns(const Roles& roles) {
    std::unordered_set<std::string_view> names{roles.target, roles.classes, roles.id,   roles.part,
                                               roles.weight, roles.time,    roles.event};
    for (const GroupColumn& column : roles.groups) names.insert(column.name);
    for (const auto* const others : {&roles.left_out, &roles.left_out_if_present})
        names.insert(others->begin(), others->end());
    return names;
}

std::vector<std::string> feature_names(const Reader& reader, const Roles& roles) {
    for (const std::string& name : roles.left_out)
        // A column with a repeated name may be left out.
        if (!reader.has_column(name)) (void)reader.column(name);
    if (!roles.features.empty()) return roles.features;
    std::unordered_set<std::string_view> other;
    for (const std::string_view name : non_feature_columns(roles))
        other.insert(trimmed(name, reader.shape().separator));
    std::vector<std::string> result;
    for (const std::string& name : reader.header()) {
        if (!other.contains(name)) result.push_back(name);
    }
    if (result.empty())
        throw InvalidInput(Reason::malformed,
                           "no column is left as a feature: name one with --features, or leave fewer columns out");
    require_distinct(reader, result);
    return result;
}

}  // namespace fairstream::files
