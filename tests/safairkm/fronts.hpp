#pragma once
/// Helpers of the tests of the front.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/front.hpp>

#include "from_scratch.hpp"
#include "support/rounding.hpp"
#include "support/streams.hpp"

namespace fairstream::safairkm {

inline Window people(std::size_t n, std::uint64_t seed = 1, std::size_t components = 5) {
    return window_of(test::two_attributes(), test::mixture(test::two_attributes(), n, seed, 0, components));
}

/// A short search.
inline FrontOptions quick(int clusters = 4) {
    FrontOptions options;
    options.model.clusters = clusters;
    options.model.starts = 2;
    options.stages = 8;
    return options;
}

inline std::vector<ClusterId> labels_of(const Front& front, std::size_t i) {
    std::vector<ClusterId> labels(front.labels[i].size());
    front.labels[i].copy_to(labels);
    return labels;
}

/// Bounds the rounding error of a cost that is updated while points move. Each of M updates of a cluster's sum of
/// squares, or of its sum, rounds the current value by at most u n X^2, X the largest norm; |sum|^2 / m doubles the
/// error of the sum. A stage sets its n labels afresh or moves a tenth of them, and fewer than n swaps repair it. Later
/// a round makes at most 2 (n_a + n_b) moves per iteration; a move or half a swap updates two clusters.
inline double cost_rounding(const FrontOptions& options, const Window& window, const Front& front) {
    double reach = 0;
    const std::vector<float> origin(window.dimensions());
    for (Slot slot = 0; slot < window.size(); ++slot)
        reach = std::max(reach, squared_distance<float>(window, slot, origin, 0));
    const auto total = static_cast<std::size_t>(options.pairs[0].kmeans_updates + options.pairs[0].swaps);
    const std::size_t updates = 5 * window.size() * static_cast<std::size_t>(options.stages + 1) +
                                4 * total * static_cast<std::size_t>(front.rounds * options.iterations);
    return test::gamma(3 * updates + window.dimensions() + 3, test::double_unit) * reach;
}

/// Takes in the points as one batch, and refines until nothing improves.
inline State refined(const Options& options, const Window& points) {
    Window window(points.format(), {.capacity = points.size()});
    State state = safairkm::Model::start(options, window);
    Workspace workspace;
    StepReport<ClusterId> report;
    safairkm::Model::step(options, state, workspace, window, window.apply(points.points()), report);
    safairkm::Model::refine(options, state, workspace, window, 0, report);
    return state;
}

inline void expect_rising(const Front& front) {
    ASSERT_GT(front.points.size(), 5U);
    for (std::size_t i = 1; i < front.points.size(); ++i) {
        EXPECT_GT(front.points[i].cost, front.points[i - 1].cost);
        EXPECT_GT(front.points[i].balance, front.points[i - 1].balance);
    }
}

/// Expects f1 and f2 of every point to be those of its labels, no point to dominate another, and the area to be theirs.
inline void expect_sound(const FrontOptions& options, const Window& window, const Front& front) {
    const auto k = static_cast<std::size_t>(options.model.clusters);
    const double rounding = cost_rounding(options, window, front);
    ASSERT_FALSE(front.points.empty());
    ASSERT_EQ(front.labels.size(), front.points.size());
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        const std::vector<ClusterId> labels = labels_of(front, i);
        ASSERT_EQ(labels.size(), window.size());
        for (const ClusterId label : labels) ASSERT_TRUE(label >= 0 && static_cast<std::size_t>(label) < k) << label;
        EXPECT_NEAR(front.points[i].cost, cost(window, labels, k), rounding);
        EXPECT_EQ(front.points[i].balance,
                  balance(window, labels, k, static_cast<std::uint32_t>(options.model.targets.attribute[0])));
        if (i > 0) {
            EXPECT_GT(front.points[i].cost, front.points[i - 1].cost);
            EXPECT_GT(front.points[i].balance, front.points[i - 1].balance);
        }
    }
    EXPECT_NEAR(front.reference_cost, cost(window, std::vector<ClusterId>(window.size()), 1), rounding);
    EXPECT_EQ(front.hypervolume, hypervolume(front.points, front.reference_cost));
}

/// Expects equal fronts, except for the time taken.
inline void expect_same(const Front& a, const Front& b) {
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.reference_cost, b.reference_cost);
    EXPECT_EQ(a.hypervolume, b.hypervolume);
    EXPECT_EQ(a.rounds, b.rounds);
    EXPECT_EQ(a.outcome, b.outcome);
}

}  // namespace fairstream::safairkm
