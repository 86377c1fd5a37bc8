#pragma once
/// The option lists of all models. Private to the engine.

#include <fairstream/models/fair_spectral/options.hpp>
#include <fairstream/models/live_front/options.hpp>
#include <fairstream/models/partial_fair_scorer/options.hpp>
#include <fairstream/models/safairkm/options.hpp>
