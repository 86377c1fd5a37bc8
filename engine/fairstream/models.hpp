#pragma once
/// The kinds of models by name, and the options of fairstream's own models.

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fairstream/models/esvd_fair/esvd_fair.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream {

/// The options of fairstream's own models, in the order in which commands list them.
using FirstClassModels = std::tuple<safairkm::Options, live_front::Options, fair_spectral::Options, lord::Options,
                                    partial_fair_scorer::Options, esvd_fair::Options, group_metrics::Options>;

/// Returns fairstream's own models, then those that were registered.
[[nodiscard]] std::vector<const ModelKind*> model_kinds();
/// Returns the names of the models for which `has` is true, e.g. "safairkm, lord".
[[nodiscard]] std::string model_names_with(bool (ModelKind::*has)() const noexcept, std::string_view between = ", ");
/// Returns the model of this name. Throws `InvalidInput` (unknown_model), which lists the known names.
[[nodiscard]] const ModelKind& model_kind(std::string_view name);
/// Adds another library's model to those that configurations, recordings and commands can name. Must be called from one
/// thread, before configurations, recordings and commands are read. Throws `std::logic_error` if another model has this
/// name.
void register_model(const ModelKind& kind);

}  // namespace fairstream
