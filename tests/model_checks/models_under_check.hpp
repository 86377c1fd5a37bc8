#pragma once
/// The models that the check suites run on: all of the engine's, and two of the tests' own.

#include <gtest/gtest.h>

#include <string>

#include <fairstream/models.hpp>

#include "sixth_model/threshold/threshold.hpp"
#include "sixth_model/trend/trend.hpp"

namespace fairstream::test {

using Models =
    ::testing::Types<safairkm::Model, live_front::Model, fair_spectral::Model, lord::Model, partial_fair_scorer::Model,
                     esvd_fair::Model, group_metrics::Model, threshold::Model, trend::Model>;

struct NameOfModel {
    template <class M> static std::string GetName(int) { return std::string(M::name); }
};

}  // namespace fairstream::test
