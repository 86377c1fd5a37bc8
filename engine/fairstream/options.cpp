#include <fairstream/options.hpp>

#include <algorithm>
#include <optional>

#include <fairstream/base/option_text.hpp>
#include <fairstream/detail/all_options.hpp>

namespace fairstream {
namespace {

template <class... M> std::vector<std::string> names(ModelList<M...>) {
    return {std::string(M::name)...};
}

template <class... M> ModelOptions defaults(ModelList<M...>, std::string_view model) {
    std::optional<ModelOptions> options;
    ((model == M::name ? void(options = typename M::Options{}) : void()), ...);
    if (options) return *options;
    std::string known;
    for (const std::string& name : model_names()) known += (known.empty() ? "" : ", ") + name;
    throw InvalidInput(Reason::unknown_model, "no model '" + std::string(model) + "': known are " + known);
}

template <class... M> std::string_view name_of(ModelList<M...>, const ModelOptions& options) {
    std::string_view name;
    ((std::holds_alternative<typename M::Options>(options) ? void(name = M::name) : void()), ...);
    return name;
}

template <class... M> bool has_front(ModelList<M...>, const ModelOptions& options) {
    return ((HasFront<M> && std::holds_alternative<typename M::Options>(options)) || ...);
}

template <class... M> bool has_scores(ModelList<M...>, const ModelOptions& options) {
    return ((ScoringModel<M> && std::holds_alternative<typename M::Options>(options)) || ...);
}

}  // namespace

std::vector<std::string> model_names() {
    return names(Models{});
}
ModelOptions default_options(std::string_view model) {
    return defaults(Models{}, model);
}
ModelOptions recorded_options(std::string_view model) {
    ModelOptions options = default_options(model);
    std::visit([](auto& chosen) { leave_unsaid(chosen); }, options);
    return options;
}
std::string_view model_name(const ModelOptions& options) {
    return name_of(Models{}, options);
}

bool keeps_front(const ModelOptions& options) {
    return has_front(Models{}, options);
}
bool gives_scores(const ModelOptions& options) {
    return has_scores(Models{}, options);
}

void set_option(ModelOptions& options, std::string_view name, std::string_view value) {
    std::visit([&](auto& chosen) { set_option_of(chosen, name, value); }, options);
}

std::vector<OptionText> list_options(const ModelOptions& options) {
    return std::visit([](const auto& chosen) { return list_options_of(chosen); }, options);
}

}  // namespace fairstream
