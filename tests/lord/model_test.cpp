/// The model on streams: the invariants of every step, and how it follows changes.

#include <gtest/gtest.h>

#include <set>

#include <fairstream/numeric/detail/blocks.hpp>

#include "model_bench.hpp"
#include "support/repeated_points.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

const SeparatedStream separated{two_attributes(3), 4};

TEST(LordModel, IsSoundAfterEveryStep) {
    for (const Method method : methods)
        for (const Fair fair : {Fair::proportional, Fair::off})
            for (const double tau : {tau1, tau2, 0.0, 1.0}) {
                if (method == Method::lord && tau != tau2) continue;
                Options options = plain(4, method);
                options.fair = fair;
                options.tau = tau;
                LordBench bench(options);
                for (const PointColumns& batch : batches(two_attributes(), 8, 55, 1, 0.1F)) {
                    bench.ingest(batch.view());
                    expect_sound(bench);
                }
                EXPECT_EQ(bench.state.steps, 8U);
                bench.improve();
                expect_sound(bench);
            }
}

// The objective from the graph written out.
TEST(LordModel, CostsWhatItsDefinitionSays) {
    for (const Method method : methods) {
        LordBench bench(plain(4, method));
        for (const PointColumns& batch : batches(two_attributes(), 5, 80, 2, 0.1F)) {
            bench.ingest(batch.view());
            Cloud cloud{4, {}};
            cloud.rows.assign(bench.window.features(0), bench.window.features(0) + 4 * bench.window.size());
            const CloudGraph graph(cloud);
            const Matrix s = written_out(graph.affinity()), v = bench.state.v, rise = plain_product(s, v);
            double objective = 0;
            if (method == Method::lord) {
                Matrix gap = plain_product(v, plain_transpose(v));
                for (std::size_t e = 0; e < gap.values.size(); ++e) gap.values[e] -= s.values[e];
                objective = squared_norm(gap);
            } else {
                for (std::size_t e = 0; e < v.values.size(); ++e)
                    objective -= v.values[e] * (rise.values[e] + bench.state.quality.gamma * v.values[e]);
            }
            EXPECT_NEAR(bench.state.quality.objective, objective, 1e-6 * std::abs(objective) + 1e-9);
            EXPECT_EQ(bench.report.solve.objective, bench.state.quality.objective);
        }
    }
}

TEST(LordModel, FindsClustersThatLieApart) {
    for (const Method method : methods)
        for (const Fair fair : {Fair::proportional, Fair::off}) {
            Options options = plain(4, method);
            options.fair = fair;
            options.starts = 10;
            LordBench bench(options, separated.format);
            bench.ingest(separated.fair_points(0, 300).view());
            labels_of_blobs(bench, separated);
        }
}

// Overlapping blobs, a twentieth of which is replaced at each step. Shares of groups then change, and with group
// marginals the probabilities move with them. Fresh starts, which may lead to other clusters, are off.
double mean_churn(Method method, Fair fair) {
    double churn = 0;
    constexpr int steps = 12, streams = 3;
    for (std::uint64_t stream = 1; stream <= streams; ++stream) {
        Options options = plain(5, method);
        options.starts = 10;
        options.fresh_every = 0;
        options.fair = fair;
        LordBench bench(options, two_attributes(), 500);
        bench.ingest(mixture(two_attributes(), 500, 100 * stream).view());
        for (std::size_t b = 0; b < steps; ++b)
            churn += bench.ingest(mixture(two_attributes(), 25, 100 * stream + 1 + b, 1'000 + b * 25).view()).churn;
    }
    return churn / (steps * streams);
}

// A problem of fewer points leads to better solutions; a fit of all points must not be worse than one begun that way.
TEST(LordModel, SingleBatchIsAsLowAsMany) {
    for (std::uint64_t stream = 1; stream <= 3; ++stream) {
        Options options = plain(5);
        options.starts = 10;
        options.tau = 0.27;
        LordBench at_once(options, two_attributes(), 1'000), by_parts(options, two_attributes(), 1'000);
        PointColumns all;
        for (std::uint64_t b = 0; b < 8; ++b) {
            const PointColumns part = mixture(two_attributes(), 125, 100 * stream + b, 1'000 * b);
            by_parts.ingest(part.view());
            all.ids.insert(all.ids.end(), part.ids.begin(), part.ids.end());
            all.features.insert(all.features.end(), part.features.begin(), part.features.end());
            all.groups.insert(all.groups.end(), part.groups.begin(), part.groups.end());
        }
        at_once.ingest(all.view());
        by_parts.improve();
        const double lowest = by_parts.state.quality.objective;
        EXPECT_LE(at_once.state.quality.objective, lowest + 0.02 * std::abs(lowest));
    }
}

TEST(LordModel, FewReplacementsKeepLabels) {
    for (const Method method : methods) {
        EXPECT_LE(mean_churn(method, Fair::off), 0.02);
        EXPECT_LE(mean_churn(method, Fair::proportional), 0.15);
    }
}

TEST(LordModel, WarmStepNeedsFewIterations) {
    for (const Method method : methods) {
        Options options = plain(5, method);
        options.fresh_every = 0;
        LordBench bench(options, two_attributes(), 500);
        const auto cold = bench.ingest(mixture(two_attributes(), 500, 1).view()).solve.iterations;
        double warm = 0;
        for (std::size_t b = 0; b < 10; ++b)
            warm += static_cast<double>(
                        bench.ingest(mixture(two_attributes(), 25, 10 + b, 1'000 + 25 * b).view()).solve.iterations) /
                    10;
        EXPECT_LT(warm, 0.5 * static_cast<double>(cold)) << warm << " after " << cold;
    }
}

TEST(LordModel, PredictionsSumToOne) {
    LordBench bench(plain(4));
    const PointColumns others = mixture(two_attributes(), 150, 9);
    std::vector<float> p(600, 7.0F);
    lord::Model::predict_memberships(bench.options, bench.state, others.features, p);
    EXPECT_TRUE(std::ranges::all_of(p, [](float x) { return x == 0; })) << "while warming";
    bench.ingest(mixture(two_attributes(), 300, 1).view());
    lord::Model::predict_memberships(bench.options, bench.state, others.features, p);
    const std::vector<ClusterId> labels = bench.predicted(others.features);
    for (std::size_t i = 0; i < 150; ++i) {
        const auto row = std::span(p).subspan(4 * i, 4);
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
        EXPECT_GE(std::ranges::min(row), 0.0F);
        EXPECT_EQ(row[static_cast<std::size_t>(labels[i])], std::ranges::max(row));
    }
}

TEST(LordModel, GivesEachClusterItsPrior) {
    for (const Method method : methods) {
        Options options = plain(3, method);
        options.priors = {1, 3, 6};
        LordBench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 5, 80, 4)) {
            bench.ingest(batch.view());
            expect_sound(bench);
            const Matrix p = lord::Model::memberships(options, bench.state);
            for (std::size_t j = 0; j < 3; ++j) {
                double share = 0;
                for (std::size_t i = 0; i < p.rows; ++i) share += p.at(i, j) / static_cast<double>(p.rows);
                EXPECT_NEAR(share, std::vector<double>({0.1, 0.3, 0.6})[j], 1e-7);
            }
        }
    }
}

TEST(LordModel, TakesFreshStartsWhereTheyAreClearlyBetter) {
    Options options = plain(4);
    options.fresh_every = 1;
    options.starts = 40;
    // Two blobs, which give poor clusters for later points.
    const auto some = [&](PointId first, std::size_t n, bool low) {
        PointColumns points;
        for (PointId id = first; points.ids.size() < n; ++id)
            if ((separated.blob(id) < 2) == low) points.append(separated.points(id, 1).view());
        return points;
    };
    LordBench bench(options, separated.format);
    bench.ingest(some(0, 300, true).view());
    bench.ingest(some(1'000, 150, false).view());
    bench.ingest(some(2'000, 1, false).view());
    labels_of_blobs(bench, separated);
}

// Weights and the same number of equal points: the partition of separate blobs is the same.
TEST(LordModel, TakesAWeightForAsManyEqualPoints) {
    for (const Method method : methods) {
        const WeightedPair pair = weigh_and_repeat(separated.points(0, 100), 3);
        StreamFormat format = separated.format;
        format.has_weights = true;
        Options options = plain(4, method);
        options.fair = Fair::off;
        options.starts = 10;
        LordBench one(options, format, 400), many(options, separated.format, 600);
        one.ingest(pair.weighted.view());
        many.ingest(pair.repeated.view());
        expect_sound(one);
        EXPECT_NEAR(one.state.mass, many.state.mass, 1e-9);
        EXPECT_NEAR(one.state.quality.gamma, many.state.quality.gamma, 0.02 * std::abs(many.state.quality.gamma));
        EXPECT_NEAR(one.state.quality.normalised_cut, many.state.quality.normalised_cut, 1e-5);
        std::map<ClusterId, std::set<ClusterId>> names;
        for (std::size_t r = 0; r < pair.origin.size(); ++r)
            names[one.state.labels[pair.origin[r]]].insert(many.state.labels[r]);
        EXPECT_EQ(names.size(), 4U);
        for (const auto& [label, others] : names) EXPECT_EQ(others.size(), 1U) << label;
    }
}

// Overlapping blobs: from the V of the weighted points, written out for each copy, the repeated points cannot improve.
TEST(LordModel, WeightsMatchRepetition) {
    const WeightedPair pair = weigh_and_repeat(mixture(two_attributes(), 120, 6), 6);
    StreamFormat format = two_attributes();
    format.has_weights = true;
    for (const Method method : methods) {
        Options options = plain(4, method);
        options.fair = Fair::off;
        options.tau = 0.2;
        options.starts = 20;
        LordBench one(options, format, 400), many(options, two_attributes(), 900);
        one.ingest(pair.weighted.view());
        many.ingest(pair.repeated.view());
        const double scale = std::abs(many.state.quality.objective);
        EXPECT_NEAR(one.state.quality.objective, many.state.quality.objective, 0.01 * scale);
    }
}

TEST(LordModel, FollowsOptionsThatChangeWhileItRuns) {
    LordBench bench(plain(4));
    std::size_t step = 0;
    for (const PointColumns& batch : batches(two_attributes(), 9, 60, 1)) {
        bench.options.method = step % 2 == 0 ? Method::lord : Method::b_lord;
        bench.options.fair = step % 3 == 0 ? Fair::off : Fair::proportional;
        bench.options.tau = step % 4 == 0 ? tau1 : 0.1 * static_cast<double>(step);
        bench.ingest(batch.view());
        expect_sound(bench);
        EXPECT_LE(set_of(bench).violation(bench.state.v), 1e-6);
        ++step;
    }
}

}  // namespace
}  // namespace fairstream::lord
