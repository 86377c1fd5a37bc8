#pragma once
/// The models that cluster a graph of neighbours, for tests that all of them pass.

#include "fair_spectral/model_bench.hpp"
#include "lord/model_bench.hpp"
#include "support/separated_stream.hpp"

namespace fairstream::test {

struct FairSpectral {
    using Model = fair_spectral::Model;
    using Options = fair_spectral::Options;
    static std::vector<Options> all_forms(int clusters) { return fair_spectral::all_forms(clusters); }
    /// Returns options for each graph.
    static std::vector<Options> few_forms(int clusters) {
        std::vector<Options> some;
        for (const auto affinity : fair_spectral::affinity_kinds)
            some.push_back(fair_spectral::spectral(clusters, affinity));
        return some;
    }
    /// Points with which a window of `two_attributes` starts when both are constrained: one attribute leaves one
    /// cluster free, the other two.
    static std::size_t fewest_points(int clusters) { return static_cast<std::size_t>(clusters) + 3; }
    static constexpr double predictions_that_agree = 0.9;  ///< share that equals the next step's labels
};

struct Lord {
    using Model = lord::Model;
    using Options = lord::Options;
    static std::vector<Options> all_forms(int clusters) { return lord::all_forms(clusters); }
    /// Returns options for each objective.
    static std::vector<Options> few_forms(int clusters) {
        std::vector<Options> some;
        for (const auto method : lord::methods) some.push_back(lord::plain(clusters, method));
        for (Options& options : some) options.starts = 10;
        return some;
    }
    static std::size_t fewest_points(int clusters) { return static_cast<std::size_t>(clusters); }
    static constexpr double predictions_that_agree = 0.8;
};

using GraphClusterers = ::testing::Types<FairSpectral, Lord>;

/// Expects a sound state of a started window, and a label for every point, retained or new.
template <class Model> void expect_labelled(const ModelBench<Model>& bench) {
    expect_sound(bench);
    ASSERT_TRUE(bench.state.started);
    for (const ClusterId label : bench.state.labels) ASSERT_TRUE(label >= 0 && label < bench.options.clusters);
    for (const float value : Model::centres(bench.state)) ASSERT_TRUE(std::isfinite(value));
    for (const ClusterId label : bench.predicted(bench.window.points().features))
        ASSERT_TRUE(label >= 0 && label < bench.options.clusters);
}

}  // namespace fairstream::test
