#include <fairstream/models.hpp>

#include <algorithm>
#include <stdexcept>

#include <fairstream/base/nearest_name.hpp>

namespace fairstream {
namespace {

std::vector<const ModelKind*>& kinds() {
    static std::vector<const ModelKind*> all = std::apply(
        [](const auto&... options) { return std::vector<const ModelKind*>{&kind_of(options)...}; }, FirstClassModels());
    return all;
}

}  // namespace

std::vector<const ModelKind*> model_kinds() {
    return kinds();
}

std::string model_names_with(bool (ModelKind::*has)() const noexcept, std::string_view between) {
    std::string names;
    for (const ModelKind* kind : kinds())
        if ((kind->*has)()) names.append(names.empty() ? "" : between).append(kind->name());
    return names;
}

const ModelKind& model_kind(std::string_view name) {
    const auto found = std::ranges::find(kinds(), name, &ModelKind::name);
    if (found != kinds().end()) return **found;
    std::vector<std::string_view> known;
    for (const ModelKind* kind : kinds()) known.push_back(kind->name());
    throw InvalidInput(Reason::unknown_model, unknown_name("model", name, known));
}

void register_model(const ModelKind& kind) {
    if (std::ranges::count(kinds(), &kind) > 0) return;
    if (std::ranges::count(kinds(), kind.name(), &ModelKind::name) > 0)
        throw std::logic_error("model kind " + std::string(kind.name()) + ": registered twice");
    kinds().push_back(&kind);
}

}  // namespace fairstream
