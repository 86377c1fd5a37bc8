#include <fairstream/options.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

#include <fairstream/base/name_list.hpp>
#include <fairstream/models.hpp>

namespace fairstream {
namespace {

/// Returns the parts of a text between separators.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t end = std::min(text.find(separator, first), text.size());
        parts.push_back(text.substr(first, end - first));
        first = end + separator.size();
    }
    return parts;
}

/// Returns whether a clause of `Effect::only_with` holds, and sets `is` to a text with the value of its option, e.g.
/// "affinity is knn".
bool holds(std::string_view clause, const std::vector<OptionText>& all, std::string& is) {
    const std::size_t equals = clause.find('=');
    const OptionText* const option = find_option(all, clause.substr(0, equals));
    if (option == nullptr || std::ranges::count(parts_of(clause.substr(equals + 1), "|"), option->value) > 0)
        return true;
    is += (is.empty() ? "" : ", ") + option->name + " is " + (option->from_file ? "given" : option->value);
    return false;
}

/// Returns why an option has no effect under the values of the others; empty if it has an effect.
std::string idle_reason(const OptionText& option, const std::vector<OptionText>& all) {
    const std::string_view needed = option.effect.only_with;
    std::string is;
    if (needed.empty() ||
        std::ranges::any_of(parts_of(needed, " or "), [&](std::string_view clause) { return holds(clause, all, is); }))
        return {};
    return "has an effect only with " + std::string(needed) + ", but " + is;
}

std::string idle_reason(OptionScope there) {
    return there == OptionScope::points ? "has an effect only from the second step on, but only one step is made"
                                        : "has an effect only on points, but a graph is clustered";
}

}  // namespace

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

/// Returns the index in a text; empty if the text is not a number.
std::optional<std::size_t> spelled_index(std::string_view text) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(index) : std::nullopt;
}

/// The value of `attribute_option` for all attributes; an attribute of this name must be in quotes.
constexpr std::string_view every_attribute = "all";

bool is_number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

/// Returns the list `value` with each of its texts replaced.
template <class Replace> std::string replaced(std::string_view value, const Replace& replace) {
    std::string list;
    for (const std::string& text : read_names(value)) list += (list.empty() ? "" : ",") + replace(text);
    return list;
}

}  // namespace

std::string attribute_indices(std::string_view value, std::span<const Attribute> attributes) {
    if (value == every_attribute) return std::string(value);
    const auto index_of = [&](std::string_view text) -> std::string {
        const auto found = std::ranges::find(attributes, text, &Attribute::name);
        if (found != attributes.end()) return std::to_string(found - attributes.begin());
        if (text == every_attribute || is_number(text)) return std::string(text);  // the option's rule checks these
        std::string names;
        for (const Attribute& attribute : attributes)
            names += (names.empty() ? "" : ", ") + written_name(attribute.name);
        throw InvalidInput(
            Reason::bad_option,
            std::string(attribute_option) + " = " + std::string(text) + ": " +
                (names.empty() ? "the stream has no protected attribute; add one to it, or leave this option out"
                               : "must be one of " + names));
    };
    return replaced(value, index_of);
}

void set_option(ModelOptions& options, std::string_view name, std::string_view value,
                std::span<const Attribute> attributes) {
    if (name == attribute_option)
        set_option(options, name, attribute_indices(value, attributes));
    else
        set_option(options, name, value);
}

std::string attribute_names(std::string_view value, std::span<const Attribute> attributes) {
    return replaced(value, [&](std::string_view text) {
        const std::optional<std::size_t> index = spelled_index(text);
        if (!index || *index >= attributes.size()) return std::string(text);
        const std::string& name = attributes[*index].name;
        return name == every_attribute ? '"' + name + '"' : written_name(name);
    });
}

std::vector<OptionText> list_options(const ModelOptions& options) {
    return options.kind().list_options(options);
}

std::vector<IdleOption> idle_options(const ModelOptions& options, std::span<const std::string> named, OptionScope there,
                                     bool has_targets) {
    std::vector<IdleOption> idle;
    const std::vector<OptionText> all = list_options(options);
    for (const OptionText& option : all) {
        if (std::ranges::none_of(named, [&](const std::string& name) { return option.is_called(name); })) continue;
        if (const OptionScope needed = option.effect.scope; needed > there)
            idle.push_back({option.name, idle_reason(there), needed});
        else if (option.effect.needs_targets && !has_targets)
            idle.push_back({option.name, "has an effect only with targets, but the stream has none"});
        else if (std::string why = idle_reason(option, all); !why.empty())
            idle.push_back({option.name, std::move(why)});
    }
    return idle;
}

std::vector<IdleOption> idle_options(const ModelOptions& options, bool has_targets) {
    const std::vector<OptionText> all = list_options(options), usual = list_options(options.kind().default_options());
    std::vector<std::string> named;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].value != usual[i].value) named.push_back(all[i].name);
    return idle_options(options, named, OptionScope::steps, has_targets);
}

}  // namespace fairstream
