#include <fairstream/figures/schema.hpp>

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <fairstream/base/types.hpp>
#include <fairstream/figures/words.hpp>

namespace fairstream::figures {
namespace {

using nlohmann::ordered_json;

std::string word_name(std::string_view word) {
    return "word." + std::string(word);
}

std::string object_name(std::string_view shape) {
    std::string name = "object." + std::string(shape);
    std::ranges::replace(name, ' ', '_');
    return name;
}

ordered_json reference(const std::string& name) {
    return {{"$ref", "#/$defs/" + name}};
}

/// Returns the JSON Schema of a key's type (`Word::type`), such as "[object missing_rate]"; adds the names of the
/// objects in this type to `shapes`.
ordered_json type_schema(std::string_view type, std::vector<std::string>& shapes) {
    if (type.ends_with('?'))
        return {{"anyOf", {type_schema(type.substr(0, type.size() - 1), shapes), {{"type", "null"}}}}};
    if (type.starts_with('['))
        return {{"type", "array"}, {"items", type_schema(type.substr(1, type.size() - 2), shapes)}};
    if (type.starts_with('{'))
        return {{"type", "object"}, {"additionalProperties", type_schema(type.substr(1, type.size() - 2), shapes)}};
    if (constexpr std::string_view object = "object "; type.starts_with(object)) {
        shapes.emplace_back(type.substr(object.size()));
        return reference(object_name(shapes.back()));
    }
    if (type == "unbounded") return {{"anyOf", {{{"type", "number"}}, {{"const", "Infinity"}}}}};
    if (type == "share") return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
    if (type == "yes/no") return {{"type", "boolean"}};
    if (type == "text") return {{"type", "string"}};
    if (type == "any") return ordered_json::object();
    if (type == "number" || type == "integer") return {{"type", std::string(type)}};
    throw std::logic_error("no type of words is called " + std::string(type));
}

/// Adds an object and all objects that it refers to, unless it is present.
void add_object(const std::string& shape, ordered_json& definitions) {
    const std::string name = object_name(shape);
    if (definitions.contains(name)) return;
    ordered_json properties = ordered_json::object(), required = ordered_json::array();
    std::vector<std::string> inner;
    definitions[name] = ordered_json::object();  // before the keys of the object, which may refer to the object
    for (const auto& [key, may_be_missing] : keys_of(shape)) {
        const Word* const word = find_word(key);
        if (word == nullptr) throw std::logic_error("'" + key + "' is in no table of words");
        properties[key] = reference(word_name(key));
        if (!may_be_missing) required.push_back(key);
        if (definitions.contains(word_name(key))) continue;
        ordered_json about = type_schema(word->type, inner);
        about["description"] = word->meaning;
        definitions[word_name(key)] = std::move(about);
    }
    definitions[name] = {{"type", "object"},
                         {"properties", std::move(properties)},
                         {"required", std::move(required)},
                         {"additionalProperties", false}};
    for (const std::string& one : inner) add_object(one, definitions);
}

}  // namespace

std::vector<std::string> commands_with_reports() {
    std::vector<std::string> commands;
    for (const Report& report : reports())
        if (std::ranges::count(commands, report.command) == 0) commands.emplace_back(report.command);
    std::ranges::sort(commands);
    return commands;
}

ordered_json report_schema(std::string_view command) {
    ordered_json kinds = ordered_json::array(), definitions = ordered_json::object();
    for (const Report& report : reports()) {
        if (report.command != command) continue;
        add_object(std::string(report.shape), definitions);
        ordered_json kind = reference(object_name(report.shape));
        kind["description"] = std::string(report.when);
        kinds.push_back(std::move(kind));
    }
    if (kinds.empty()) {
        std::string known;
        for (const std::string& name : commands_with_reports()) known += (known.empty() ? "" : ", ") + name;
        throw InvalidInput(Reason::bad_option,
                           "'" + std::string(command) + "' has no report as JSON: " + known + " have one");
    }
    return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "fairstream " + std::string(command) + " --json"},
            {"anyOf", std::move(kinds)},
            {"$defs", std::move(definitions)}};
}

}  // namespace fairstream::figures
