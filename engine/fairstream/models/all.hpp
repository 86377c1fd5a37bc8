#pragma once
/// The list of models: the one place that names them all.

#include <variant>

#include <fairstream/models/safairkm.hpp>

namespace fairstream {

template <class... M> struct ModelList {};

using Models = ModelList<safairkm::Model>;
using ModelOptions = std::variant<safairkm::Options>;

}  // namespace fairstream
