#include <fairstream/options.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

#include <fairstream/models.hpp>

namespace fairstream {

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const ModelKind* kind : model_kinds()) names.emplace_back(kind->name());
    return names;
}
ModelOptions default_options(std::string_view model) {
    return model_kind(model).default_options();
}
ModelOptions recorded_options(std::string_view model) {
    const ModelKind& kind = model_kind(model);
    ModelOptions options = kind.default_options();
    kind.set_to_when_missing(options);
    return options;
}
std::string_view model_name(const ModelOptions& options) {
    return options.kind().name();
}

bool keeps_front(const ModelOptions& options) {
    return options.kind().keeps_front();
}
bool gives_numbers(const ModelOptions& options) {
    return options.kind().outputs() == OutputKind::scores || gives_predictions(options);
}
bool gives_outputs(const ModelOptions& options) {
    return options.kind().outputs() != OutputKind::none;
}
bool gives_predictions(const ModelOptions& options) {
    return options.kind().outputs() == OutputKind::predictions;
}
bool has_memberships(const ModelOptions& options) {
    return options.kind().has_memberships();
}
std::size_t cluster_count(const ModelOptions& options) {
    return static_cast<std::size_t>(options.kind().cluster_count(options));
}

void set_option(ModelOptions& options, std::string_view name, std::string_view value) {
    options.kind().set_option(options, name, value);
}
namespace {

/// Returns the index that a text spells; empty where it spells none.
std::optional<std::size_t> spelled_index(std::string_view text) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(index) : std::nullopt;
}

bool is_number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

/// Returns `value`, a list with commas, with each of its texts replaced.
template <class Replace> std::string replaced(std::string_view value, const Replace& replace) {
    std::string text;
    for (std::size_t from = 0; from <= value.size();) {
        const std::size_t comma = std::min(value.find(',', from), value.size());
        text += (from == 0 ? "" : ",") + replace(value.substr(from, comma - from));
        from = comma + 1;
    }
    return text;
}

}  // namespace

std::string attribute_indices(std::string_view value, std::span<const Attribute> attributes) {
    const auto index_of = [&](std::string_view text) -> std::string {
        if (spelled_index(text) || text == "all") return std::string(text);
        const auto found = std::ranges::find(attributes, text, &Attribute::name);
        if (found != attributes.end()) return std::to_string(found - attributes.begin());
        if (is_number(text)) return std::string(text);  // which the option's own rule refuses
        std::string names;
        for (const Attribute& attribute : attributes) names += (names.empty() ? "" : ", ") + attribute.name;
        throw InvalidInput(Reason::bad_option,
                           std::string(attribute_option) + " = " + std::string(text) + ": must be " +
                               (names.empty() ? "an index: there is no protected attribute" : "one of " + names));
    };
    return replaced(value, index_of);
}

std::string attribute_names(std::string_view value, std::span<const Attribute> attributes) {
    return replaced(value, [&](std::string_view text) {
        const std::optional<std::size_t> index = spelled_index(text);
        if (!index || *index >= attributes.size()) return std::string(text);
        const std::string& name = attributes[*index].name;
        const bool is_read_otherwise = name == "all" || spelled_index(name) || name.find(',') != std::string::npos;
        return is_read_otherwise ? std::string(text) : name;
    });
}

std::vector<OptionText> list_options(const ModelOptions& options) {
    return options.kind().list_options(options);
}

}  // namespace fairstream
