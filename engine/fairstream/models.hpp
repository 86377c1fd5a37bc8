#pragma once
/// The list of models: the one place that names them all.

#include <variant>

#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/models/live_front/live_front.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream {

template <class... M> struct ModelList {};

using Models = ModelList<safairkm::Model, live_front::Model, fair_spectral::Model, partial_fair_scorer::Model>;
using ModelOptions =
    std::variant<safairkm::Options, live_front::Options, fair_spectral::Options, partial_fair_scorer::Options>;

}  // namespace fairstream
