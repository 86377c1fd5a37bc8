#include <fairstream/input/saved_stream.hpp>

#include <algorithm>

#include <fairstream/files/cells/shown.hpp>
#include <fairstream/input/by_column.hpp>

namespace fairstream::files {
namespace {

/// Returns a name for the group of points whose group is not known; no group of the attribute has this name.
std::string name_of_unknown(const Attribute& attribute) {
    std::string name = "unknown";
    while (std::ranges::count(attribute.groups, name) > 0) name += "_";
    return name;
}

/// Returns text as lines of a comment of at most 120 columns.
std::string as_comment(const std::string& text) {
    constexpr std::size_t widest = 118;
    std::string lines, line;
    for (std::size_t first = 0; first < text.size();) {
        const std::size_t end = std::min(text.find(' ', first), text.size());
        const std::string word = text.substr(first, end - first);
        if (!line.empty() && line.size() + 1 + word.size() > widest) {
            lines += "# " + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        first = end + 1;
    }
    return lines + "# " + line + "\n";
}

}  // namespace

std::vector<std::string> send_arguments(const InputOptions& options, const InputStream& stream) {
    std::vector<std::string> words{"--input", options.input.string()};
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {option, value});
    };
    if (options.shape.separator) add("--separator", separator_name(*options.shape.separator));
    if (options.shape.has_header) words.emplace_back(*options.shape.has_header ? "--header" : "--no-header");
    if (options.shape.skipped_lines) add("--skip-lines", std::to_string(*options.shape.skipped_lines));
    add("--names", names_text(options.shape.names));
    if (!stream.file) {  // otherwise the stream has the file's names and scale
        add("--features", names_text(options.features));
        add("--group", names_text(options.groups));
        if (const std::string scaling = options.column_scaling(); !scaling.empty()) words.push_back(scaling);
        if (options.unit_rows) words.emplace_back("--unit-rows");
    }
    add("--id", options.id);
    add("--target", options.target);
    add("--positive", stream.positive.value_or(""));
    add("--weight", options.weight);
    for (const std::string& setting : options.missing)
        if (setting == "drop" || setting.ends_with("=drop")) add("--missing", setting);
    if (options.bad_rows > 0) add("--bad-rows", std::to_string(options.bad_rows));
    add("--rows", options.rows.string());
    return words;
}

void allow_unlisted_groups(StreamFormat& format) {
    for (Attribute& attribute : format.attributes) {
        if (attribute.has_unknown) continue;
        attribute.groups.push_back(name_of_unknown(attribute));
        attribute.has_unknown = true;
    }
}

void allow_missing_values(config::StreamOptions& stream, const std::vector<std::string>& needed,
                          std::span<const double> fills) {
    for (std::size_t i = 0; i < stream.format.columns.size(); ++i) {
        FeatureColumn& column = stream.format.columns[i];
        if (column.may_be_missing || std::ranges::count(needed, column.name) > 0) continue;
        column.may_be_missing = true;
        ColumnPreparation& preparation = stream.prepare.columns[i];
        preparation.missing = column.is_category() ? Missing::most_frequent : Missing::mean;
        preparation.fill = fills[i];
    }
}

std::string tolerance_comment(const config::StreamOptions& stream) {
    const StreamFormat& format = stream.format;
    std::string text = "Later files may contain values that this file does not.";
    const auto has_levels = [&](Encoding encoding) {
        for (std::size_t i = 0; i < format.columns.size(); ++i)
            if (!format.columns[i].levels.empty() && stream.prepare.columns[i].encoding == encoding) return true;
        return false;
    };
    if (std::ranges::any_of(format.columns, &FeatureColumn::may_be_missing)) text += " Missing values are filled in.";
    if (has_levels(Encoding::onehot)) text += " Text that is not a listed level counts as one more level.";
    if (has_levels(Encoding::ordinal))
        text += " In an ordinal column, such as yes and no, text that is not a listed level counts as missing.";
    std::string groups;
    for (const Attribute& attribute : format.attributes)
        if (attribute.has_unknown)
            groups += (groups.empty() ? "" : ", ") + shown(attribute.groups.back()) + " of " + shown(attribute.name);
    if (!groups.empty())
        text += " A group that is not listed counts as " + groups +
                ": such points are clustered, scored or counted, but targets and figures leave them out.";
    else if (!format.attributes.empty())
        text +=
            " A group that is not listed is refused, since options of the model are lists by group. To accept it, set "
            "unknown = \"NAME\" under [[stream.attribute]], which adds one group to those lists.";
    return as_comment(
        text +
        " fairstream send reports how many there were. To refuse them instead, remove the lines with missing "
        "and unknown before the first start.");
}

}  // namespace fairstream::files
