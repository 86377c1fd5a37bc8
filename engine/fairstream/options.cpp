#include <fairstream/options.hpp>

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
std::vector<OptionText> list_options(const ModelOptions& options) {
    return options.kind().list_options(options);
}

}  // namespace fairstream
