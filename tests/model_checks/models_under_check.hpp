#pragma once
/// The models that the check suites run on: all of the engine's, and two of the tests' own.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include <fairstream/models.hpp>

#include "model_streams.hpp"

namespace fairstream::test {

template <class... Options>
::testing::Types<typename StreamOf<Options>::Model..., threshold::Model, trend::Model> models_of(
    const std::tuple<Options...>&);

using Models = decltype(models_of(FirstClassModels()));

struct NameOfModel {
    template <class M> static std::string GetName(int) { return std::string(M::name); }
};

}  // namespace fairstream::test
