#pragma once
/// The option lists of all models.

#include <fairstream/models/fair_spectral/detail/options.hpp>
#include <fairstream/models/live_front/detail/options.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
