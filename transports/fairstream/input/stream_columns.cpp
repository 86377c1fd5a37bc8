#include <fairstream/input/stream_columns.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/input/by_column.hpp>

namespace fairstream::files {
namespace {

/// Returns "6 features; sex: female, male; ...; without targets".
std::string name_of_format(const StreamFormat& format) {
    std::string text = std::to_string(format.dimensions) + " features";
    for (const Attribute& attribute : format.attributes) {
        std::string groups;
        for (const std::string& group : attribute.groups) groups += (groups.empty() ? "" : ", ") + group;
        text += "; " + attribute.name + ": " + groups;
    }
    return text + (format.has_targets ? "; with targets" : "; without targets");
}

void require_equal(std::size_t have, std::size_t need, const std::string& what, const KnownStream& stream) {
    if (have == need) return;
    throw InvalidInput(Reason::wrong_shape, "the input has " + std::to_string(have) + " " + what + ", " + stream.name +
                                                " has " + std::to_string(need));
}

std::vector<std::string> attribute_names(const StreamFormat& format) {
    std::vector<std::string> names;
    for (const Attribute& attribute : format.attributes) names.push_back(attribute.name);
    return names;
}

/// Returns the names of the stream's columns; empty if some have no name.
std::vector<std::string> column_names(const StreamFormat& format) {
    std::vector<std::string> names;
    for (const FeatureColumn& column : format.columns) names.push_back(column.name);
    return std::ranges::count(names, "") > 0 ? std::vector<std::string>() : names;
}

/// Returns whether none of the names is the stream's, so that columns are taken by position.
bool are_foreign(const std::vector<std::string>& names, const std::vector<std::string>& of_stream) {
    return std::ranges::none_of(names, [&](const auto& name) { return std::ranges::count(of_stream, name) > 0; });
}

/// Sorts names of columns into the stream's order if they are names of the stream. One name may differ, unless it is
/// one of `others`, further columns of the stream.
void sort_into_stream_order(std::vector<std::string>& names, const std::vector<std::string>& of_stream,
                            const std::vector<std::string>& others, const std::string& option,
                            const KnownStream& stream) {
    std::vector<std::string> sorted = names;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        throw InvalidInput(Reason::bad_option, option + ": names column " + shown(*twice) + " twice");
    if (are_foreign(names, of_stream)) return;
    const auto is_of = [](const std::vector<std::string>& some) {
        return [&some](const std::string& name) { return std::ranges::count(some, name) > 0; };
    };
    const auto foreign = std::ranges::find_if_not(names, is_of(of_stream));
    const auto absent = std::ranges::find_if_not(of_stream, is_of(names));
    const bool is_one = names.size() == of_stream.size() && foreign != names.end() && !is_of(others)(*foreign) &&
                        std::find_if_not(std::next(foreign), names.end(), is_of(of_stream)) == names.end();
    if (is_one) {  // the differing name stands for the missing one
        std::string other = std::move(names[static_cast<std::size_t>(foreign - names.begin())]);
        names = of_stream;
        names[static_cast<std::size_t>(absent - of_stream.begin())] = std::move(other);
        return;
    }
    if (!std::ranges::is_permutation(names, of_stream))
        throw InvalidInput(Reason::bad_option, option + ": names only some of the columns of " + stream.name +
                                                   ", which are " + with_commas(of_stream, ", ") +
                                                   ": name all of them, in any order; or rename the columns of the "
                                                   "file, and remove " +
                                                   option);
    names = of_stream;
}

/// Returns the options with "all" features as an empty list, and with the stream's own names in the stream's order.
InputOptions in_stream_order(InputOptions options, const KnownStream& stream) {
    if (options.features == std::vector<std::string>{"all"}) options.features.clear();
    const std::vector<std::string> attributes = attribute_names(stream.format), columns = column_names(stream.format);
    sort_into_stream_order(options.groups, attributes, columns, "--group", stream);
    sort_into_stream_order(options.features, columns, attributes, "--features", stream);
    return options;
}

/// Adds a line that names the file's columns, and the stream's columns that they were taken for.
void add_by_position(const std::vector<std::string>& names, const std::vector<std::string>& of_stream,
                     const std::string& option, const std::string& owner, std::vector<std::string>& lines) {
    if (names.size() != of_stream.size()) return;
    constexpr std::size_t most_named = 8;
    std::vector<std::string> taken;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] != of_stream[i]) taken.push_back(names[i] + " is read as " + owner + of_stream[i]);
    if (taken.empty()) return;
    const bool is_cut = taken.size() > most_named;
    if (is_cut) taken.resize(most_named);
    lines.push_back(option + ": " + with_commas(taken, ", ") + (is_cut ? ", and so on by position" : ""));
}

/// Returns the columns whose missing cells make a row be left out, if not all columns are needed.
std::vector<std::string> needed_columns(const InputOptions& options, const Roles& roles, const KnownStream& stream) {
    std::vector<std::string> names = columns_of_point(roles.features, roles), needed;
    if (!roles.weight.empty()) names.push_back(roles.weight);
    for (const std::string& setting : options.missing) {
        if (setting == "drop") continue;
        if (!setting.ends_with("=drop"))
            throw InvalidInput(
                Reason::bad_option,
                "--missing " + setting + ": [prepare] in " + stream.configuration +
                    " already says how missing values are filled in; use --missing drop, which leaves out every row "
                    "that lacks a value, or --missing COL,...=drop for rows that lack a value in these columns");
        const ByColumn rule("--missing", {setting}, names);
        for (const std::string& name : names)
            if (rule.named(name)) needed.push_back(name);
    }
    return needed;
}

/// Reduces the columns to those needed by points that are only labelled or scored: the features, and the groups of
/// these attributes.
void keep_question_groups(const std::vector<int>& attributes, FileColumns& columns) {
    std::vector<GroupColumn> groups;
    for (const int attribute : attributes)
        groups.push_back(columns.roles.groups.at(static_cast<std::size_t>(attribute)));
    for (const GroupColumn& column : columns.roles.groups) columns.roles.left_out_if_present.push_back(column.name);
    columns.roles.groups = std::move(groups);
    columns.formats.has_text_ids = true;
}

}  // namespace

TimeUnit time_unit(const FormatOptions& options) {
    if (const auto unit = find_time_unit(options.time_unit)) return *unit;
    throw InvalidInput(Reason::bad_option, "--time-unit " + options.time_unit + ": must be s, ms, us or ns");
}

DecimalMark decimal_mark(const FormatOptions& options) {
    if (options.decimal_mark.empty()) return DecimalMark::found;
    if (const auto mark = find_decimal_mark(options.decimal_mark)) return *mark;
    throw InvalidInput(Reason::bad_option, "--decimal-mark " + options.decimal_mark + ": must be point or comma");
}

std::optional<DateOrder> date_order(const FormatOptions& options) {
    if (options.date_order.empty()) return std::nullopt;
    if (const auto order = find_date_order(options.date_order)) return order;
    throw InvalidInput(Reason::bad_option,
                       "--date-order " + options.date_order + ": must be year_first, day_first or month_first");
}

std::string KnownStream::remedy(const BadRow& error, const ColumnOptions& columns) const {
    if (error.fault() == Fault::missing && error.column() == columns.target)
        return "for a monitor, set targets = \"later\" under [stream] in " + configuration +
               " to accept points whose outcome comes later";
    switch (error.fault()) {
        case Fault::group:
            return is_saved_fit
                       ? "fit with --unknown-group NAME to accept points whose group is unknown"
                       : "for points whose group is unknown, set unknown = \"NAME\" under [[stream.attribute]] in " +
                             configuration + ", and begin a new recording";
        case Fault::missing:
            return is_saved_fit ? "fit with --missing to fill in missing values"
                                : "set under [prepare] in " + configuration + " how missing values are filled in";
        case Fault::text:
            return is_saved_fit
                       ? "fit with --categorical or --dates to accept columns of text or dates"
                       : "if it is a category or a date, give the column's levels, hash or dates under [prepare] in " +
                             configuration;
        case Fault::future:
            return "--future-times sends times as far ahead as the engine's [ingest] ahead_at_most allows (\"any\": "
                   "all "
                   "times)";
        case Fault::outcome:
            return "--positive TEXT names the text that means yes";
        default:
            return "";
    }
}

FileColumns columns_of(const InputOptions& options) {
    FileColumns columns;
    Roles& roles = columns.roles;
    if (options.features != std::vector<std::string>{"all"}) roles.features = options.features;
    for (const std::string& name : options.groups) roles.groups.push_back({name, {}});
    for (const std::string& name : options.left_out)
        if (std::ranges::count(roles.features, name) > 0)
            throw InvalidInput(Reason::bad_option, "--leave-out " + name + ": --features names that column");
    roles.left_out = options.left_out;
    roles.target = options.target;
    roles.id = options.id;
    roles.weight = options.weight;
    roles.time = options.time;
    roles.event = options.event;
    roles.classes = options.classes;
    roles.kept = options.with;
    if (!splits_by_fractions(options)) roles.part = options.split;
    roles.needs_all = std::ranges::count(options.missing, "drop") > 0;
    Formats& formats = columns.formats;
    if (!options.time_unit.empty()) formats.time_unit = time_unit(options);
    formats.time_order = date_order(options).value_or(DateOrder::year_first);
    formats.time_ahead = options.time_ahead;
    formats.cells = {options.missing_texts, decimal_mark(options)};
    formats.scales_features = options.scales();
    if (!options.positive.empty()) formats.positive = options.positive;
    columns.bad_rows = {options.bad_rows, options.bad_rows_file};
    return columns;
}

FileColumns columns_of(const InputOptions& options, const InputStream& stream) {
    FileColumns columns = columns_of(options);
    Roles& roles = columns.roles;
    roles.features.clear();
    for (std::size_t i = 0; i < stream.features.size(); ++i) {
        if (std::ranges::count(options.left_out, stream.features[i]) > 0) continue;
        roles.features.push_back(stream.features[i]);
        if (stream.format.columns.empty()) continue;
        columns.formats.cells.date_orders.push_back(stream.reader.date_order(i));
        columns.formats.described.push_back(stream.format.columns[i]);
    }
    for (std::size_t i = 0; i < roles.groups.size(); ++i) {
        roles.groups[i].groups = stream.format.attributes[i].groups;
        roles.groups[i].has_unknown = stream.format.attributes[i].has_unknown;
    }
    if (!stream.format.has_targets) roles.target.clear();
    roles.needed = stream.needed;
    columns.formats.has_text_ids = stream.format.has_text_ids;
    columns.formats.positive = stream.positive;
    columns.formats.targets_come_later = stream.format.targets_come_later;
    return columns;
}

namespace {

/// Throws for a column to leave out that the stream has.
void refuse_left_out(const InputOptions& options, const Roles& roles, const KnownStream& stream) {
    for (const std::string& name : options.left_out)
        if (std::ranges::count(roles.features, name) > 0)
            throw InvalidInput(Reason::bad_option, "--leave-out " + name + ": is a column of " + stream.name +
                                                       ", which needs all its columns");
}

/// Returns the stream's texts of missing values, with the names of the file's columns.
std::vector<std::string> missing_texts_for(const KnownStream& stream, const Roles& roles) {
    const StreamFormat& format = stream.format;
    std::vector<std::string> texts = stream.reader.missing_texts;
    const auto rename = [&](const std::string& name, const std::string& of_file) {
        for (std::string& text : texts)
            if (text.starts_with(name + "=")) text.replace(0, name.size(), of_file);
    };
    for (std::size_t i = 0; i < format.attributes.size(); ++i)
        rename(format.attributes[i].name, roles.groups.at(i).name);
    for (std::size_t i = 0; i < std::min(format.columns.size(), roles.features.size()); ++i)
        rename(format.columns[i].name, roles.features[i]);
    return texts;
}

/// Returns the stream's columns whose cells may all be missing, if they have the stream's own names. A column that the
/// command line names differently must exist, as its name may be wrong.
std::vector<std::string> optional_columns(const StreamFormat& format, const Roles& roles) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(format.columns.size(), roles.features.size()); ++i)
        if (format.columns[i].may_be_missing && format.columns[i].name == roles.features[i])
            names.push_back(roles.features[i]);
    const std::vector<std::string> attributes = attribute_names(format);
    for (const GroupColumn& column : roles.groups)
        if (column.has_unknown && std::ranges::count(attributes, column.name) > 0) names.push_back(column.name);
    return names;
}

/// Throws if the stream lacks roles that the options name, or has roles that the options do not name.
void require_roles(const Roles& roles, const KnownStream& stream) {
    const StreamFormat& format = stream.format;
    const bool taken_in = !stream.question_attributes;
    const auto refuse = [&](const std::string& what) { throw InvalidInput(Reason::wrong_shape, stream.name + what); };
    if (taken_in && format.has_text_ids && roles.id.empty()) refuse(" has text ids: name their column with --id");
    if (!format.has_weights && !roles.weight.empty())
        refuse(" has no weights: remove --weight, or set weights = true under [stream] in " + stream.configuration);
    if (taken_in && format.has_targets && !format.targets_come_later && roles.target.empty())
        refuse(" has targets: name their column with --target");
}

}  // namespace

FileColumns columns_for(const InputOptions& options, const KnownStream& stream) {
    const StreamFormat& format = stream.format;
    FileColumns columns = columns_of(in_stream_order(options, stream));
    Roles& roles = columns.roles;
    Formats& formats = columns.formats;
    if (roles.groups.empty())
        for (const Attribute& attribute : format.attributes) roles.groups.push_back({attribute.name, {}});
    require_equal(roles.groups.size(), format.attributes.size(), "group columns", stream);
    for (std::size_t i = 0; i < roles.groups.size(); ++i) {
        roles.groups[i].groups = format.attributes[i].groups;
        roles.groups[i].has_unknown = format.attributes[i].has_unknown;
    }
    if (roles.features.empty())
        for (const FeatureColumn& column : format.columns) roles.features.push_back(column.name);
    formats.usual_decimal_mark = stream.reader.decimal_mark;
    formats.cells.add_missing_texts(missing_texts_for(stream, roles));
    roles.needed = needed_columns(options, roles, stream);
    refuse_left_out(options, roles, stream);
    formats.described = format.columns;
    for (std::size_t i = 0; i < format.columns.size(); ++i)
        formats.cells.date_orders.push_back(date_order(options).value_or(stream.reader.date_order(i)));
    formats.targets_come_later = format.targets_come_later;
    formats.has_text_ids = format.has_text_ids;
    if (!format.columns.empty()) require_features(roles.features.size(), stream);
    require_roles(roles, stream);
    if (!format.has_targets && !roles.target.empty())  // named only so that it is no feature
        roles.left_out.push_back(std::exchange(roles.target, {}));
    if (stream.question_attributes) keep_question_groups(*stream.question_attributes, columns);
    roles.optional = optional_columns(format, roles);
    return columns;
}

std::vector<std::string> position_notes(const InputOptions& options, const KnownStream& stream) {
    const InputOptions names = in_stream_order(options, stream);
    const std::string owner = stream.question_attributes ? "the model's " : "the engine's ";
    std::vector<std::string> lines;
    add_by_position(names.groups, attribute_names(stream.format), "--group", owner, lines);
    add_by_position(names.features, column_names(stream.format), "--features", owner, lines);
    return lines;
}

void require_features(std::size_t features, const KnownStream& stream) {
    require_equal(features, stream.format.dimensions, "features", stream);
}

void require_format(const StreamFormat& made, const KnownStream& stream) {
    if (stream.format == made) return;
    throw InvalidInput(Reason::wrong_shape,
                       stream.name + ": the format differs from the generator's (" + name_of_format(made) + ")");
}

}  // namespace fairstream::files
