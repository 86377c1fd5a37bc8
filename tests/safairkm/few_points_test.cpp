/// Clusterings of few points are the best possible, compared with all clusterings.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream {
namespace {

struct Few {
    PointColumns points;
    StreamFormat format;
};

Few drawn(std::mt19937_64& random, std::size_t n, std::size_t groups) {
    Few few;
    few.format = {.dimensions = 2, .attributes = {{"g", {}}}};
    for (std::size_t j = 0; j < groups; ++j) few.format.attributes[0].groups.push_back(std::string(1, "abc"[j]));
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < n; ++i) {
        const auto group = static_cast<GroupId>(i < groups ? i : random() % groups);
        few.points.ids.push_back(i);
        few.points.groups.push_back(group);
        for (int j = 0; j < 2; ++j) few.points.features.push_back(normal(random) + static_cast<float>(group));
    }
    return few;
}

double cost_of(const PointColumns& points, const std::vector<ClusterId>& labels, int k) {
    double total = 0;
    for (int l = 0; l < k; ++l) {
        double size = 0, sums[2] = {}, squares = 0;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (labels[i] != l) continue;
            ++size;
            for (std::size_t j = 0; j < 2; ++j) {
                const double x = points.features[2 * i + j];
                sums[j] += x, squares += x * x;
            }
        }
        if (size > 0) total += squares - (sums[0] * sums[0] + sums[1] * sums[1]) / size;
    }
    return total / static_cast<double>(labels.size());
}

// Calls `each` for every partition of n points into k clusters, none empty.
void for_each_partition(std::size_t n, int k, const std::function<void(const std::vector<ClusterId>&)>& each) {
    std::vector<ClusterId> labels(n);
    const std::function<void(std::size_t, int)> place = [&](std::size_t at, int used) {
        if (at == n) {
            if (used == k) each(labels);
            return;
        }
        for (int l = 0; l < std::min(used + 1, k); ++l) {
            labels[at] = l;
            place(at + 1, std::max(used, l + 1));
        }
    };
    place(0, 0);
}

bool meets(const safairkm::Options& options, const Few& few, const std::vector<ClusterId>& labels) {
    const int groups[] = {static_cast<int>(few.format.attributes[0].groups.size())};
    FairnessTally tally(options.clusters, groups);
    tally.add(labels, few.points.groups.data());
    return missed_targets(targets_of(options), few.format, tally).empty();
}

TEST(FewPoints, HaveTheCheapestClustersOfAll) {
    std::mt19937_64 random(20261127);
    int met = 0, unattainable = 0;
    for (int trial = 0; trial < 150; ++trial) {
        const std::size_t n = 6 + random() % 5, groups = 2 + random() % 2;
        const Few few = drawn(random, n, groups);
        safairkm::Options options;
        options.clusters = static_cast<int>(2 + random() % 2);
        options.targets.rare_below = 0;
        options.targets.parity_at_least = 0;
        switch (random() % 5) {
            case 0:
                options.targets.balance_at_least = 0.3;
                break;
            case 1:
                options.targets.parity_at_least = 0.5;
                break;
            case 2:
                options.targets.share_delta = 0.4;
                break;
            case 3:
                options.targets.size_at_least = 2,
                options.targets.size_at_most = static_cast<std::int64_t>(n) / options.clusters + 1;
                break;
            default:
                break;
        }
        double best = std::numeric_limits<double>::infinity();
        for_each_partition(n, options.clusters, [&](const std::vector<ClusterId>& labels) {
            if (meets(options, few, labels)) best = std::min(best, cost_of(few.points, labels, options.clusters));
        });
        Engine engine({few.format, {static_cast<Slot>(n)}, {{"m", options, {}}}});
        engine.ingest(few.points.view());
        const Outcome outcome = engine.ingest(Refinement{"m", 0}).models[0].solve.outcome;
        const std::vector<ClusterId> labels(engine.labels("m").begin(), engine.labels("m").end());
        EXPECT_EQ(meets(options, few, labels), std::isfinite(best)) << trial;
        if (std::isfinite(best)) {
            EXPECT_NEAR(cost_of(few.points, labels, options.clusters), best, 1e-6 * (1 + best)) << trial;
            EXPECT_EQ(outcome, Outcome::converged) << trial;
            ++met;
        } else {
            EXPECT_EQ(outcome, Outcome::unattainable) << trial;
            ++unattainable;
        }
    }
    EXPECT_GT(met, 80);
    EXPECT_GT(unattainable, 5);
}

}  // namespace
}  // namespace fairstream
