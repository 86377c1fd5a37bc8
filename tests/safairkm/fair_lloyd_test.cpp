/// Lloyd's algorithm with fair assignments: without a demand it equals Lloyd's algorithm.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "from_scratch.hpp"
#include "support/rounding.hpp"
#include "support/streams.hpp"

namespace fairstream::safairkm {
namespace {

using Labels = std::vector<ClusterId>;

// Points, and Lloyd's algorithm from the first of them as centres.
struct Rounds {
    Rounds(std::size_t n, std::size_t clusters, std::vector<std::uint32_t> attributes, std::uint64_t seed)
        : Rounds(test::mixture(test::two_attributes(), n, seed), clusters, std::move(attributes)) {}
    Rounds(const PointColumns& points, std::size_t clusters, std::vector<std::uint32_t> attributes)
        : window(window_of(test::two_attributes(), points)),
          k(clusters),
          d(window.dimensions()),
          centres(window.features(0), window.features(0) + k * d),
          lloyd(window, centres, attributes) {}

    [[nodiscard]] Labels labels() const {
        Labels all(window.size(), no_cluster);
        lloyd.copy_labels(all);
        return all;
    }
    // Largest squared norm of a point.
    [[nodiscard]] double reach() const {
        double most = 0;
        const std::vector<float> origin(d);
        for (Slot slot = 0; slot < window.size(); ++slot)
            most = std::max(most, squared_distance<float>(window, slot, origin, 0));
        return most;
    }

    Window window;
    std::size_t k, d;
    std::vector<float> centres;
    FairLloyd lloyd;
};

std::size_t differences(const Labels& a, const Labels& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
    return count;
}

// No distance exceeds 4 reach. Each is d squares added in float to a mean rounded to float: at most three more
// roundings, for the chosen cluster and for the other one.
void expect_nearest(const Rounds& run, const Labels& labels, const std::vector<double>& centres) {
    const double rounding = 2 * test::gamma(run.d + 6, test::float_unit) * 4 * run.reach();
    for (Slot slot = 0; slot < run.window.size(); ++slot) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t l = 0; l < run.k; ++l)
            nearest = std::min(nearest, squared_distance<double>(run.window, slot, centres, l));
        const auto taken = static_cast<std::size_t>(labels[slot]);
        ASSERT_LE(squared_distance<double>(run.window, slot, centres, taken), nearest + rounding);
    }
}

// Runs rounds until nothing moves, each compared with Lloyd's: every point at the nearest of the previous round's
// means.
void expect_lloyds(Rounds& run, const Demands& no_demand) {
    std::vector<double> centres(run.centres.begin(), run.centres.end());
    Labels before = run.labels();
    ASSERT_EQ(before, Labels(run.window.size(), no_cluster)) << "before the first round";
    for (int round = 0;; ++round) {
        ASSERT_LT(round, 200) << "Lloyd's algorithm comes to an end";
        const std::size_t moved = run.lloyd.round(no_demand);
        const Labels labels = run.labels();
        EXPECT_EQ(moved, differences(labels, before));
        expect_nearest(run, labels, centres);
        if (moved == 0) return;
        centres = means(run.window, labels, run.k, centres);
        before = labels;
    }
}

TEST(FairLloyd, WithoutADemandItIsLloyds) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Rounds none(1500, 7, {}, seed), one(1500, 7, {0}, seed), two(1500, 7, {0, 1}, seed);
        expect_lloyds(none, {});
        expect_lloyds(one, {{{0, 0}}, {}});
        expect_lloyds(two, {{{0, 0}, {1, 0}}, {}});
        EXPECT_EQ(one.labels(), none.labels()) << "the order in which points are looked at does not matter";
        EXPECT_EQ(two.labels(), none.labels());
    }
}

TEST(FairLloyd, WithoutADemandTheCostNeverRises) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Rounds run(800, 6, {1}, seed);
        double before = std::numeric_limits<double>::infinity();
        while (run.lloyd.round(Demands{{{1, 0}}, {}}) > 0) {
            const double now = cost(run.window, run.labels(), run.k);
            // A point may take a centre that is nearest except for rounding.
            EXPECT_LE(now, before + 2 * test::gamma(run.d + 6, test::float_unit) * 4 * run.reach());
            before = now;
        }
    }
}

TEST(FairLloyd, AnEmptyClusterKeepsItsCentre) {
    PointColumns points = test::mixture(test::two_attributes(), 300, 1);
    std::fill_n(points.features.begin(), 12, 0.0F);  // three centres in one place: two stay empty at first
    Rounds run(points, 3, {0});
    std::vector<double> centres(run.centres.begin(), run.centres.end());
    run.lloyd.round(Demands{{{0, 0}}, {}});
    ASSERT_EQ(run.labels(), Labels(300, 0)) << "ties go to the lower index";
    centres = means(run.window, run.labels(), 3, centres);
    ASSERT_EQ(std::vector<double>(centres.begin() + 4, centres.end()), std::vector<double>(8, 0));
    run.lloyd.round(Demands{{{0, 0}}, {}});
    expect_nearest(run, run.labels(), centres);
    EXPECT_GT(differences(run.labels(), Labels(300, 0)), 0U) << "who is near the old place comes back to it";
}

TEST(FairLloyd, EndsAtRestOrLimit) {
    Rounds one(800, 6, {0}, 1), all(800, 6, {0}, 1), some(800, 6, {0}, 1);
    int rounds = 0;
    while (one.lloyd.round(Demands{{{0, 0}}, {}}) > 0) ++rounds;
    ASSERT_GT(rounds, 3);
    EXPECT_EQ(all.lloyd.converge(Demands{{{0, 0}}, {}}, 1000), rounds);
    EXPECT_EQ(all.labels(), one.labels());
    EXPECT_EQ(all.lloyd.converge(Demands{{{0, 0}}, {}}, 1000), 0);
    EXPECT_EQ(some.lloyd.converge(Demands{{{0, 0}}, {}}, 3), 3);
    EXPECT_NE(some.labels(), one.labels());
}

// A clustering of the window that takes over the labels of some rounds.
struct Taken {
    explicit Taken(const Rounds& run, CentreUpdate update = CentreUpdate::exact)
        : options{.clusters = static_cast<int>(run.k), .centre_update = update},
          state(safairkm::Model::start(options, run.window)) {
        state.started = true;
        Clustering clustering(options, state, workspace, run.window, run.window.size());
        clustering.relabel_all(std::vector<ClusterId>(run.window.size()));
        run.lloyd.copy_to(clustering);
    }
    void take(const Rounds& run) {
        Clustering clustering(options, state, workspace, run.window, run.window.size());
        run.lloyd.copy_to(clustering);
    }
    Options options;
    State state;
    Workspace workspace;
};

void expect_taken(Rounds& run, const Taken& taken) {
    const Labels labels = run.labels();
    EXPECT_EQ(taken.state.labels, labels);
    safairkm::Model::verify(taken.options, taken.state, run.window);
    // Either all sums are recomputed, n updates, or a tenth of the points move, two updates each.
    const double rounding = test::gamma(3 * 2 * labels.size() + run.d + 3, test::double_unit) * run.reach();
    EXPECT_NEAR(safairkm::Model::objective(taken.state), cost(run.window, labels, run.k), rounding);
    const std::vector<double> mean = means(run.window, labels, run.k);
    for (std::size_t at = 0; at < mean.size(); ++at)
        EXPECT_NEAR(taken.state.centres[at], mean[at], 2 * test::float_unit * std::sqrt(run.reach()));
}

// For all new labels or a few, and for any steps of centres that the options set.
TEST(FairLloyd, ClusteringTakesLabels) {
    for (const CentreUpdate update : {CentreUpdate::exact, CentreUpdate::paper}) {
        Rounds run(500, 5, {1}, 4);
        run.lloyd.converge(Demands{{{1, 0}}, {}}, 2);
        Taken taken(run, update);
        expect_taken(run, taken);
        const Labels before = run.labels();
        run.lloyd.round(Demands{{{1, 0}}, {}});
        const std::size_t moved = differences(run.labels(), before);
        ASSERT_GT(moved, 0U);
        ASSERT_LT(moved, 50U);
        taken.take(run);
        expect_taken(run, taken);
    }
}

TEST(FairLloyd, EmptyClusterGetsPoint) {
    PointColumns same = test::mixture(test::two_attributes(), 40, 1);
    std::ranges::fill(same.features, 1.0F);
    Rounds run(same, 3, {0});
    run.lloyd.round(Demands{{{0, 0}}, {}});
    ASSERT_EQ(run.labels(), Labels(40, 0));
    const Taken taken(run);
    for (ClusterId l = 0; l < 3; ++l) EXPECT_EQ(std::ranges::count(taken.state.labels, l), l == 0 ? 38 : 1);
    safairkm::Model::verify(taken.options, taken.state, run.window);
}

// Centres and multipliers come to rest together; then the balance is met except for the points split by a vertex of the
// linear programme: k for two groups.
TEST(FairLloyd, BalanceFollowsADemandThatRises) {
    Rounds run(3000, 4, {0}, 2);
    const double best = best_balance(run.window, 0);
    while (run.lloyd.round(Demands{{{0, 0}}, {}}) > 0) continue;
    const auto now = [&] { return cost(run.window, run.labels(), 4); };
    double before = now();
    ASSERT_LT(balance(run.window, run.labels(), 4, 0), 0.6 * best);
    for (const double share : {0.7, 0.8, 0.9}) {
        for (int round = 0; round < 100; ++round) run.lloyd.round(Demands{{{0, share * best}}, {}});
        const std::vector<std::int64_t> counts = group_counts(run.window, run.labels(), 4, 0);
        for (std::size_t l = 0; l < 4; ++l) {
            const auto [least, most] = std::minmax(counts[2 * l], counts[2 * l + 1]);
            EXPECT_GE(static_cast<double>(least), share * best * static_cast<double>(most) - 4) << "share " << share;
        }
        EXPECT_GT(now(), before) << "share " << share;
        before = now();
    }
}

// Prices of a demand on one attribute were once used for a demand on another with more groups, and read past their end.
// A change of options, or of which groups are rare, may replace one demand by another.
TEST(FairLloyd, PricesOfOtherDemandsAreGivenUp) {
    const Demand of_sex{.attribute = 0, .ratio = 0.4}, of_age{.attribute = 1, .ratio = 0.4};
    Rounds anew(200, 4, {0, 1}, 3), resumed(200, 4, {0, 1}, 3), other(200, 4, {0, 1}, 3);
    (void)other.lloyd.round({{of_sex}, {}});
    ASSERT_EQ(other.lloyd.prices()[0].size(), 4U * 2);
    resumed.lloyd.resume(other.lloyd.prices());
    (void)resumed.lloyd.round({{of_age}, {}});
    (void)anew.lloyd.round({{of_age}, {}});
    EXPECT_EQ(resumed.lloyd.prices()[0].size(), 4U * 3) << "clusters x groups";
    EXPECT_EQ(resumed.lloyd.prices(), anew.lloyd.prices());
    EXPECT_EQ(resumed.labels(), anew.labels());
}

}  // namespace
}  // namespace fairstream::safairkm
