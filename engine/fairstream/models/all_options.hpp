#pragma once
/// The option lists of all models. Private to the engine.

#include <fairstream/models/safairkm/options.hpp>
