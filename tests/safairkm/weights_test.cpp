/// Weighted points: a point of weight w equals w equal points, sums follow a weighted window, and a state can be
/// converted to another measure.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/front.hpp>
#include <fairstream/targets/target_notes.hpp>

#include "support/model_bench.hpp"

namespace fairstream::safairkm {
namespace {

StreamFormat weighted_format(bool has_weights, bool has_unknown = false) {
    StreamFormat format{.dimensions = 2, .attributes = {{"sex", {"f", "m"}}}, .has_weights = has_weights};
    if (has_unknown) format.attributes[0] = {"sex", {"f", "m", "?"}, true};
    return format;
}

// Points in four clumps with unevenly mixed groups; weights are integers from 1 to 5.
PointColumns clumps(std::size_t n, unsigned seed, PointId first_id = 1, int groups = 2) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    PointColumns points;
    for (std::size_t i = 0; i < n; ++i) {
        const unsigned clump = random() % 4;
        points.ids.push_back(first_id + i);
        points.features.push_back(4.0F * static_cast<float>(clump % 2) + normal(random));
        points.features.push_back(4.0F * static_cast<float>(clump / 2) + normal(random));
        const bool other = random() % 4 <= clump % 3;
        points.groups.push_back(groups == 3 && random() % 8 == 0 ? GroupId{2} : GroupId{other});
        points.weights.push_back(static_cast<double>(1 + random() % 5));
    }
    return points;
}

PointColumns repeated(const PointColumns& points) {
    PointColumns out;
    PointId id = 1;
    for (std::size_t i = 0; i < points.ids.size(); ++i)
        for (int copy = 0; copy < static_cast<int>(points.weights[i]); ++copy) {
            out.ids.push_back(id++);
            out.features.insert(out.features.end(), {points.features[2 * i], points.features[2 * i + 1]});
            out.groups.push_back(points.groups[i]);
        }
    return out;
}

using WeightedRun = test::ModelBench<safairkm::Model>;

Options four(double parity = 0) {
    Options options;
    options.clusters = 4;
    options.targets.parity_at_least = parity;
    options.starts = 4;
    return options;
}

void expect_sums_of_window(const WeightedRun& run) {
    const std::size_t k = 4;
    std::vector<double> sums(2 * k), masses(k), squares(k);
    for (Slot slot = 0; slot < run.window.size(); ++slot) {
        const auto l = static_cast<std::size_t>(run.state.labels[slot]);
        const double w = run.window.weight(slot);
        masses[l] += w;
        for (std::size_t j = 0; j < 2; ++j) {
            const double x = run.window.features(slot)[j];
            sums[2 * l + j] += w * x;
            squares[l] += w * x * x;
        }
    }
    double cost = 0, all = 0;
    for (std::size_t l = 0; l < k; ++l) {
        EXPECT_NEAR(run.state.tally.weight(static_cast<ClusterId>(l)), masses[l], 1e-9 * masses[l]);
        EXPECT_NEAR(run.state.squares[l], squares[l], 1e-9 * squares[l]);
        all += masses[l];
        if (masses[l] == 0) continue;
        for (std::size_t j = 0; j < 2; ++j) {
            EXPECT_NEAR(run.state.sums[2 * l + j], sums[2 * l + j], 1e-9 * std::sqrt(squares[l] * masses[l]));
            EXPECT_NEAR(run.state.centres[2 * l + j], sums[2 * l + j] / masses[l], 1e-5);
        }
        cost += squares[l] - (sums[2 * l] * sums[2 * l] + sums[2 * l + 1] * sums[2 * l + 1]) / masses[l];
    }
    if (all > 0) {
        EXPECT_NEAR(Model::objective(run.state), cost / all, 1e-9 * (1 + cost / all));
    }
    EXPECT_NO_THROW(Model::verify(run.options, run.state, run.window));
}

TEST(SafairkmWeights, RefinementMatchesRepetition) {
    std::vector<Options> wanted{four(), four(0.8), four(), four(), four()};
    wanted[2].targets.balance_at_least = 0.3;
    wanted[3].targets.share_delta = 0.3;
    wanted[4].targets.size_at_least = 150;
    for (std::size_t which = 0; which < wanted.size(); ++which) {
        double ratio = 0;
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const PointColumns points = clumps(300, seed), copies = repeated(points);
            WeightedRun weighted(wanted[which], weighted_format(true), {.capacity = 2000});
            WeightedRun counted(wanted[which], weighted_format(false), {.capacity = 2000});
            weighted.ingest(points.view());
            counted.ingest(copies.view());
            for (WeightedRun* run : {&weighted, &counted}) {
                Model::refine(run->options, run->state, run->workspace, run->window, 0, run->report);
                EXPECT_TRUE(missed_targets(targets_of(run->options), run->window.format(), run->state.tally).empty())
                    << "options " << which << ", seed " << seed << (run == &weighted ? ", weighted" : ", counted");
            }
            expect_sums_of_window(weighted);
            ratio += Model::objective(weighted.state) / Model::objective(counted.state) / 4;
        }
        RecordProperty("cost_ratio_" + std::to_string(which), std::to_string(ratio));
        EXPECT_LT(ratio, 1.02) << "options " << which;
    }
}

TEST(SafairkmWeights, SumsFollowDecay) {
    for (const bool by_age : {false, true}) {
        WindowOptions options{.capacity = 120};
        if (by_age)
            options.max_age = 1000, options.half_life.time = 300;
        else
            options.half_life.points = 40;
        WeightedRun run(four(0.5), weighted_format(true), options);
        std::mt19937 random(7);
        std::int64_t time = 0;
        for (PointId step = 0; step < 80; ++step) {
            PointColumns batch =
                clumps(step % 10 == 9 ? 2 : random() % 30, static_cast<unsigned>(step), 1 + 100 * step);
            time += step % 10 == 9 ? 1500 : static_cast<std::int64_t>(random() % 3) * 100;
            batch.event_time = time;
            run.ingest(batch.view());
            if (run.state.started) expect_sums_of_window(run);
        }
        EXPECT_TRUE(run.state.started);
    }
}

TEST(SafairkmWeights, AnotherMeasureKeepsLabelsAndMapsCentres) {
    WeightedRun run(four(0.5), weighted_format(true), {.capacity = 400});
    run.ingest(clumps(300, 3).view());
    const State before = run.state;
    const MeasureChange change{.factors = {2, 0.5}, .shifts = {1, -3}};
    std::vector<float> rows(run.window.features(0), run.window.features(0) + 2 * run.window.size());
    change.apply(rows);
    std::ranges::copy(rows, run.window.replaceable_features().begin());
    Model::re_express(run.options, run.state, change);
    std::vector<float> centres = before.centres;
    change.apply(centres);
    EXPECT_EQ(run.state.centres, centres);
    EXPECT_EQ(run.state.labels, before.labels);
    EXPECT_NO_THROW(Model::verify(run.options, run.state, run.window));
    run.ingest(clumps(20, 4, 1000).view());
    EXPECT_FALSE(run.state.stale);
    expect_sums_of_window(run);
}

TEST(SafairkmWeights, HeavyAndLightPointsLeaveNoRoundingBehind) {
    WeightedRun run(four(), weighted_format(true), {.capacity = 40});
    for (unsigned step = 0; step < 20; ++step) {
        PointColumns batch = clumps(10, step, 1 + 100 * step);
        for (std::size_t i = 0; i < batch.weights.size(); ++i)
            batch.weights[i] = step % 3 == 0 && i == 0 ? 1e15 : step % 2 == 0 ? 1e-15 : 1.0;
        run.ingest(batch.view());
        EXPECT_NO_THROW(Model::verify(run.options, run.state, run.window));
        for (const float x : run.state.centres) EXPECT_LT(std::abs(x), 20) << "step " << step;
    }
}

TEST(SafairkmWeights, PointsOfUnknownGroupChangeNoTarget) {
    WeightedRun run(four(0.8), weighted_format(true, true), {.capacity = 1000});
    run.ingest(clumps(400, 5, 1, 3).view());
    Model::refine(run.options, run.state, run.workspace, run.window, 0, run.report);
    EXPECT_TRUE(missed_targets(targets_of(run.options), run.window.format(), run.state.tally).empty());
    EXPECT_GE(attribute_fairness(run.state.tally, 0).parity, 0.8 - 1e-9);
    EXPECT_TRUE(left_out_groups(targets_of(run.options), group_masses(run.state.tally)).empty());
    expect_sums_of_window(run);
}

TEST(SafairkmWeights, FrontMatchesRepetition) {
    FrontOptions options;
    options.model = four();
    options.stages = 16;
    const PointColumns points = clumps(200, 6), copies = repeated(points);
    Window weighted(weighted_format(true), {.capacity = 1000}), counted(weighted_format(false), {.capacity = 1000});
    (void)weighted.apply(points.view());
    (void)counted.apply(copies.view());
    const Front one = find_front(options, weighted), other = find_front(options, counted);
    EXPECT_NEAR(one.reference_cost, other.reference_cost, 1e-9 * other.reference_cost);
    EXPECT_NEAR(one.hypervolume, other.hypervolume, 0.03 * other.hypervolume);
}

}  // namespace
}  // namespace fairstream::safairkm
