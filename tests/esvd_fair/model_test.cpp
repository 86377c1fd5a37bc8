/// esvd_fair on a stream: solved from moments as from the points; solved again when the stream changes, and only then.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/models/esvd_fair/detail/options.hpp>
#include <fairstream/models/esvd_fair/esvd_fair.hpp>
#include <fairstream/models/esvd_fair/fair_network.hpp>
#include <fairstream/network/train.hpp>

#include "support/matrices.hpp"
#include "support/refusal.hpp"

namespace fairstream::esvd_fair {
namespace {

using namespace fairstream::test;

StreamFormat format_of(bool has_targets = true, bool has_weights = false) {
    StreamFormat format{3, {{"sex", {"f", "m"}}}, has_targets};
    format.has_weights = has_weights;
    return format;
}

/// Points whose inputs reveal the group: x_0 is shifted by `shift` for the second group, and the target follows it.
class Source {
public:
    explicit Source(std::uint64_t seed) : random_(seed, 6) {}
    [[nodiscard]] PointColumns next(std::size_t n, double shift = 1) {
        PointColumns points;
        for (std::size_t i = 0; i < n; ++i) {
            const auto group = static_cast<GroupId>(random_.below(2));
            const float a = static_cast<float>(group * shift) + normal(random_), b = normal(random_),
                        c = normal(random_);
            points.ids.push_back(id_++);
            points.groups.push_back(group);
            points.features.insert(points.features.end(), {a, b, c});
            points.targets.push_back(0.6F * a + 0.5F * b + 0.3F * std::abs(c) + 0.1F * normal(random_));
        }
        return points;
    }

private:
    Random random_;
    PointId id_ = 0;
};

Options small_options() {
    Options options;
    options.hidden = {8, 6};
    options.epochs = 5;
    options.start_after = 300;
    return options;
}

Engine engine_of(const Options& options, Slot capacity = 500, const StreamFormat& format = format_of(),
                 const WindowOptions& window = {}) {
    EngineOptions engine{format, window, {{"m", options, {}}}};
    engine.window.capacity = capacity;
    return Engine(engine);
}

double figure(const Engine& engine, std::string_view name) {
    return engine.report("m").figure(name).value();
}

LabelledRows rows_of(const Window& window) {
    const PointBatch points = window.points();
    return {{points.features, points.targets, window.weights()}, points.groups, 2};
}

// The original last layer of the network of `engine` does not matter: it is fitted again.
TEST(EsvdFair, MomentsMatchPoints) {
    Engine engine = engine_of(small_options());
    Source source(1);
    for (int batch = 0; batch < 120; ++batch) engine.ingest(source.next(25).view());
    engine.ingest(KnobChange{"m", "means", "0.02"});
    const Network found = *engine.network("m");
    FairOptions options;
    options.means = 0.02;
    const FairNetwork expected = equalised(found, rows_of(engine.window()), options);
    const std::vector<float> by_points = Evaluation(expected.network)(engine.window().points().features);
    for (Slot slot = 0; slot < engine.window().size(); ++slot)
        ASSERT_NEAR(engine.scores("m")[slot], double{by_points[slot]}, 2e-4);
    EXPECT_NEAR(figure(engine, "ks_after"), expected.after.ks, 0.02);
    EXPECT_NEAR(figure(engine, "mse_after"), expected.after.mse, 1e-4);
}

// A bound on the effect of rounding decides when the moments are summed again.
TEST(EsvdFair, SumsMomentsAnewBeforeRoundingMatters) {
    Options options = small_options();
    Engine engine = engine_of(options, 100);
    Source source(12);
    for (int batch = 0; batch < 3000; ++batch) engine.ingest(source.next(100).view());
    const PointColumns last = source.next(100);
    engine.ingest(last.view());
    engine.ingest(KnobChange{"m", "ridge", "1e-6"});
    FairOptions limits;
    limits.ridge = 1e-6;
    const FairNetwork expected = equalised(*engine.network("m"), rows_of(engine.window()), limits);
    const std::vector<float> by_points = Evaluation(expected.network)(engine.window().points().features);
    for (Slot slot = 0; slot < engine.window().size(); ++slot)
        ASSERT_NEAR(engine.scores("m")[slot], double{by_points[slot]}, 1e-3);
}

TEST(EsvdFair, PredictsAtOnceWhatTheNetworkSays) {
    Engine engine = engine_of(small_options());
    Source source(2);
    for (int batch = 0; batch < 20; ++batch) {
        engine.ingest(source.next(40).view());
        if (engine.network("m") == nullptr) continue;
        const std::vector<float> all = Evaluation(*engine.network("m"))(engine.window().points().features);
        for (Slot slot = 0; slot < engine.window().size(); ++slot)
            ASSERT_EQ(engine.scores("m")[slot], double{all[slot]});
    }
    EXPECT_EQ(engine.report("m").prediction_fairness().points, 500);
}

TEST(EsvdFair, BringsGroupsNearerOnPointsThatComeLater) {
    Engine engine = engine_of(small_options(), 2000);
    Source source(3);
    for (int batch = 0; batch < 10; ++batch) engine.ingest(source.next(200).view());
    engine.ingest(Refinement{"m", 20});
    EXPECT_GT(figure(engine, "ks_before"), 0.25);
    for (int batch = 0; batch < 10; ++batch) engine.ingest(source.next(200).view());
    const PredictionFairness later = engine.report("m").prediction_fairness();
    EXPECT_LT(later.ks, 0.15);
    EXPECT_EQ(figure(engine, "alarms"), 0);
}

TEST(EsvdFair, ResolvesWhenGroupMoves) {
    Options options = small_options(), unwatched = small_options();
    options.hidden = unwatched.hidden = {32, 32};
    options.epochs = unwatched.epochs = 100;
    unwatched.false_alarms = 0;
    Engine engine = engine_of(options, 2000), other = engine_of(unwatched, 2000);
    Source source(4);
    for (int batch = 0; batch < 100; ++batch) {
        const PointColumns points = source.next(50);
        engine.ingest(points.view());
        other.ingest(points.view());
    }
    ASSERT_EQ(figure(engine, "alarms"), 0);
    std::optional<int> noticed;
    for (int batch = 0; batch < 100; ++batch) {
        const PointColumns points = source.next(50, 3);
        engine.ingest(points.view());
        other.ingest(points.view());
        if (!noticed && figure(engine, "alarms") > 0) noticed = 50 * (batch + 1);
    }
    ASSERT_TRUE(noticed.has_value());
    EXPECT_LT(*noticed, 2000);
    EXPECT_LT(engine.report("m").prediction_fairness().ks, 0.75 * other.report("m").prediction_fairness().ks);
    EXPECT_LT(*engine.report("m").prediction_fairness().mse, *other.report("m").prediction_fairness().mse);
    EXPECT_GT(figure(engine, "since_solved"), 1500) << "with a whole window of points from after the change it is done";
}

TEST(EsvdFair, FindsNoChangeInAStreamWithoutOne) {
    Engine engine = engine_of(small_options());
    Source source(5);
    for (int batch = 0; batch < 600; ++batch) engine.ingest(source.next(100).view());
    EXPECT_EQ(figure(engine, "alarms"), 0);
    EXPECT_EQ(figure(engine, "solves"), 3) << "at the start, with the window full, and with all of it new";
}

TEST(EsvdFair, ResolvesWhenGroupAppears) {
    Engine engine = engine_of(small_options());
    Source source(13);
    for (int batch = 0; batch < 10; ++batch) {
        PointColumns points = source.next(100);
        std::ranges::fill(points.groups, GroupId{0});
        engine.ingest(points.view());
    }
    const double solves = figure(engine, "solves");
    for (int batch = 0; batch < 10; ++batch) engine.ingest(source.next(50).view());
    EXPECT_GT(figure(engine, "solves"), solves);
    EXPECT_LT(figure(engine, "ks_after"), figure(engine, "ks_before"));
}

TEST(EsvdFair, NoticesAChangeOfTheSpreadAlone) {
    const std::size_t widths[] = {3, 5, 1};
    Options options = small_options();
    Network network = random_network(widths, Activation::identity, 3);
    options.network = NetworkOption(network);
    options.refits = false;
    Engine engine = engine_of(options, 1000, format_of(false));
    Source source(14);
    for (int batch = 0; batch < 120; ++batch) {
        PointColumns points = source.next(50, 0);
        points.targets.clear();
        if (batch >= 60)
            for (std::size_t i = 0; i < 50; ++i)
                if (points.groups[i] == 1)
                    for (std::size_t j = 0; j < 3; ++j) points.features[3 * i + j] *= 5;
        engine.ingest(points.view());
    }
    EXPECT_GE(figure(engine, "alarms"), 1);
}

// Groups that are already alike: the remaining gap is chance, and an adjustment only costs.
TEST(EsvdFair, KeepsNetworkWithoutGain) {
    Options options = small_options();
    options.epochs = 100;
    Engine engine = engine_of(options, 1000);
    Source source(15);
    for (int batch = 0; batch < 20; ++batch) engine.ingest(source.next(50, 0).view());
    EXPECT_LE(figure(engine, "ks_after"), figure(engine, "ks_before") + 1e-12);
    const bool is_better = figure(engine, "ks_after") < figure(engine, "ks_before") ||
                           figure(engine, "mse_after") < figure(engine, "mse_before");
    EXPECT_EQ(is_better, figure(engine, "left") == 0);
    EXPECT_EQ(engine.report("m").solve.outcome, is_better ? Outcome::converged : Outcome::stalled);
}

TEST(EsvdFair, OfInputsThatSayNothingPredictsTheMean) {
    Engine engine = engine_of(small_options());
    PointColumns points = Source(16).next(400);
    std::ranges::fill(points.features, 1.0F);
    engine.ingest(points.view());
    double mean = 0;
    for (const float y : points.targets) mean += double{y} / 400;
    for (Slot slot = 0; slot < 400; ++slot) ASSERT_NEAR(engine.scores("m")[slot], mean, 0.05);
}

TEST(EsvdFair, UnverifiableWishIsNotPromised) {
    Options options = small_options();
    options.ks_at_most = 0.2;
    Engine engine = engine_of(options);
    PointColumns points = Source(17).next(400);
    for (std::size_t i = 0; i < 400; ++i) points.groups[i] = i == 7 ? 1 : 0;
    engine.ingest(points.view());
    EXPECT_EQ(engine.report("m").solve.outcome, Outcome::stalled);
}

TEST(EsvdFair, GivenNetworkStaysWithoutTargets) {
    const std::size_t widths[] = {3, 5, 1};
    Options options = small_options();
    options.network = NetworkOption(random_network(widths, Activation::relu, 3));
    options.refits = false;
    options.means = 1;
    Engine engine = engine_of(options);
    engine.ingest(Source(6).next(400).view());
    EXPECT_EQ(*engine.network("m"), *options.network);
    const std::vector<float> expected = Evaluation(*options.network)(engine.window().points().features);
    for (Slot slot = 0; slot < 400; ++slot) ASSERT_EQ(engine.scores("m")[slot], double{expected[slot]});
    EXPECT_EQ(figure(engine, "ks_before"), figure(engine, "ks_after"));
}

TEST(EsvdFair, GivenNetworkNeedsNoTargets) {
    const std::size_t widths[] = {3, 5, 1};
    Options options = small_options();
    options.network = NetworkOption(random_network(widths, Activation::relu, 3));
    Engine engine = engine_of(options, 500, format_of(false));
    PointColumns points = Source(7).next(400);
    points.targets.clear();
    engine.ingest(points.view());
    EXPECT_FALSE(engine.report("m").prediction_fairness().mse.has_value());
    EXPECT_LT(
        engine.report("m").prediction_fairness().mean_gap, 0.2 * [&] {
            const std::vector<float> given = Evaluation(*options.network)(points.features);
            const std::vector<float> none(given.size());
            return measure(given, {{points.features, none}, points.groups, 2}).mean_gap;
        }());
    expect_refused(Reason::bad_option, {"targets", "network = @FILE"},
                   [&] { (void)engine_of(small_options(), 500, format_of(false)); });
}

TEST(EsvdFair, MeetsOrReportsWish) {
    Options options = small_options();
    options.ks_at_most = 0.15;
    options.epochs = 200;
    Engine engine = engine_of(options, 2000);
    Source source(8);
    for (int batch = 0; batch < 4; ++batch) engine.ingest(source.next(500).view());
    EXPECT_LE(figure(engine, "held_back_ks"), 0.15);
    EXPECT_LT(figure(engine, "aimed_ks"), 0.15) << "a margin for new points";
    EXPECT_EQ(engine.report("m").solve.outcome, Outcome::converged);
    engine.ingest(KnobChange{"m", "ks_at_most", "1e-3"});
    EXPECT_GT(figure(engine, "held_back_ks"), 1e-3);
    EXPECT_EQ(engine.report("m").solve.outcome, Outcome::stalled);
}

TEST(EsvdFair, KeepsWishForWholeWindowOnly) {
    int kept = 0, missed = 0;
    for (std::uint64_t seed = 30; seed < 38; ++seed) {
        for (const double wish : {0.1, 0.2, 0.3}) {
            Options options = small_options();
            options.ks_at_most = wish;
            Engine engine = engine_of(options, 400);
            engine.ingest(Source(seed).next(400).view());
            const bool is_kept = figure(engine, "held_back_ks") <= wish && figure(engine, "ks_after") <= wish &&
                                 figure(engine, "left") == 0;
            EXPECT_EQ(engine.report("m").solve.outcome, is_kept ? Outcome::converged : Outcome::stalled) << seed;
            (is_kept ? kept : missed)++;
        }
    }
    EXPECT_GT(kept, 0);
    EXPECT_GT(missed, 0);
}

TEST(EsvdFair, RefusesNetworksThatDoNotFit) {
    const auto refused = [](const std::vector<std::size_t>& widths, Activation last, std::string_view why) {
        Options options = small_options();
        Network network = random_network(widths, Activation::relu, 3);
        network.layers.back().activation = last;
        options.network = NetworkOption(network);
        expect_refused(Reason::bad_option, {"network", why}, [&] { (void)engine_of(options); });
    };
    refused({4, 5, 1}, Activation::identity, " 4 ");
    refused({3, 5, 2}, Activation::identity, "2 outputs");
    refused({3, 5, 1}, Activation::sigmoid, "no activation");
}

TEST(EsvdFair, UnknownGroupIsNotCompared) {
    StreamFormat format = format_of();
    format.attributes[0] = {"sex", {"f", "m", "unknown"}, true};
    Engine engine = engine_of(small_options(), 500, format);
    Source source(9);
    for (int batch = 0; batch < 12; ++batch) {
        PointColumns points = source.next(100);
        for (std::size_t i = 0; i < 100; i += 5) {
            points.groups[i] = 2;
            points.features[3 * i] += 20;
        }
        engine.ingest(points.view());
    }
    EXPECT_LT(engine.report("m").prediction_fairness().ks, 0.25);
    EXPECT_EQ(figure(engine, "alarms"), 0);
}

TEST(EsvdFair, ExtremeRowsGiveFinitePredictions) {
    Engine engine = engine_of(small_options());
    Source source(10);
    engine.ingest(source.next(400).view());
    PointColumns far = source.next(50);
    for (float& x : far.features) x *= 3e14F;
    for (float& y : far.targets) y *= 3e14F;
    for (float& x : far.features) x = std::clamp(x, -1e15F, 1e15F);
    for (float& y : far.targets) y = std::clamp(y, -1e15F, 1e15F);
    engine.ingest(far.view());
    engine.ingest(KnobChange{"m", "means", "0.5"});
    for (const Score score : engine.scores("m")) ASSERT_TRUE(std::isfinite(score));
    const Engine again = Engine::load(engine.options(), engine.save());
    EXPECT_TRUE(std::ranges::equal(again.scores("m"), engine.scores("m")));
}

TEST(EsvdFair, OfWeightedPointsSolvesAsOfRepeatedOnes) {
    const std::size_t widths[] = {3, 5, 1};
    Options options = small_options();
    options.network = NetworkOption(random_network(widths, Activation::relu, 3));
    options.start_after = 450;
    Engine weighted = engine_of(options, 450, format_of(true, true));
    Engine repeated = engine_of(options, 900, format_of(true, true));
    PointColumns points = Source(11).next(450);
    points.weights.assign(450, 2.0);
    weighted.ingest(points.view());
    points.weights.assign(450, 1.0);
    Engine* const twice = &repeated;
    PointColumns both = points;
    for (std::size_t i = 0; i < 450; ++i) {
        both.ids.push_back(1000 + i);
        both.groups.push_back(points.groups[i]);
        both.targets.push_back(points.targets[i]);
        both.weights.push_back(1);
        for (std::size_t j = 0; j < 3; ++j) both.features.push_back(points.features[3 * i + j]);
    }
    twice->ingest(both.view());
    for (Slot slot = 0; slot < 450; ++slot) ASSERT_NEAR(weighted.scores("m")[slot], repeated.scores("m")[slot], 1e-5);
    EXPECT_NEAR(figure(weighted, "ks_after"), figure(repeated, "ks_after"), 0.01);
}

}  // namespace
}  // namespace fairstream::esvd_fair
