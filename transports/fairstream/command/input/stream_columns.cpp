#include <fairstream/command/input/stream_columns.hpp>

namespace fairstream::command {
namespace {

/// Returns "6 features; sex: female, male; ...; without targets".
std::string described(const StreamFormat& format) {
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

/// Returns remedies that are settings of a stream, in the configuration of that name.
csv::Remedies remedies_in(const std::string& configuration) {
    return {.text = "if it is a category, give the column's levels under [prepare] in " + configuration,
            .missing = "say under [prepare] in " + configuration + " how missing values are filled in",
            .no_group = "set unknown = \"NAME\" under [[stream.attribute]] in " + configuration +
                        " for points whose group is not known"};
}

}  // namespace

csv::Columns columns_of(const InputOptions& options) {
    csv::Columns result{.features = options.features,
                        .groups = {},
                        .target = options.target,
                        .id = options.id,
                        .weight = options.weight,
                        .time = options.time};
    result.classes = options.classes;
    if (!splits_by_fractions(options)) result.part = options.split;
    if (result.features == std::vector<std::string>{"all"}) result.features.clear();
    for (const std::string& name : options.groups) result.groups.push_back({name, {}});
    result.remedies = remedies_in("a file for --config");
    result.remedies.text += ", or leave the column out with --features";
    return result;
}

csv::Columns columns_for(const InputOptions& options, const KnownStream& stream) {
    const StreamFormat& format = stream.format;
    csv::Columns result = columns_of(options);
    if (result.groups.empty()) {
        for (const Attribute& attribute : format.attributes) result.groups.push_back({attribute.name, {}});
    }
    require_equal(result.groups.size(), format.attributes.size(), "group columns", stream);
    for (std::size_t i = 0; i < result.groups.size(); ++i) {
        result.groups[i].groups = format.attributes[i].groups;
        result.groups[i].has_unknown = format.attributes[i].has_unknown;
    }
    if (result.features.empty())
        for (const FeatureColumn& column : format.columns) result.features.push_back(column.name);
    result.described = format.columns;
    if (!format.columns.empty()) require_features(result.features.size(), stream);
    if (!format.has_weights && !result.weight.empty())
        throw InvalidInput(Reason::wrong_shape, stream.name +
                                                    " has no weights, and takes no --weight: they need "
                                                    "weights = true under [stream] in " +
                                                    stream.configuration);
    if (format.has_targets && result.target.empty())
        throw InvalidInput(Reason::wrong_shape, stream.name + " has targets: name their column with --target");
    result.remedies = remedies_in(stream.configuration);
    return result;
}

void require_features(std::size_t features, const KnownStream& stream) {
    require_equal(features, stream.format.dimensions, "features", stream);
}

void require_format(const StreamFormat& made, const KnownStream& stream) {
    if (stream.format == made) return;
    throw InvalidInput(Reason::wrong_shape,
                       stream.name + " is not of the generator's format (" + described(made) + ")");
}

}  // namespace fairstream::command
